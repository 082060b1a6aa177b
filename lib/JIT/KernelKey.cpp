//===- KernelKey.cpp - what makes two kernels the same --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelKey.h"

#include "permc/Plan/TargetPlanner.h"

#include "permc-source-hash.h"

#include "llvm-c/Core.h"

using namespace permc;

namespace {

/// Names values line by line. Lengths come first, so that no text can pass for
/// the next field.
class KeyText {
public:
  void add(std::string_view name, std::string_view value) {
    text.append(name).append(" ").append(std::to_string(value.size()));
    text.append(" ").append(value).append("\n");
  }
  void add(std::string_view name, int64_t value) {
    add(name, std::to_string(value));
  }
  void add(std::string_view name, const Dims &values) {
    add(name, spellList(values));
  }
  std::string text;
};

/// Every field decides about schedules.
void addFacts(KeyText &key, const TargetFacts &facts) {
  visitFacts(facts, [&](const char *name, const auto &value) {
    if constexpr (requires { value.back; })
      key.add(name, Dims{value.back, value.ahead});
    else
      key.add(name, std::to_string(value));
  });
  key.add("planner", facts.planner ? facts.planner->name() : "");
}

/// Of the library that is loaded, not of the headers.
Dims llvmVersion() {
  unsigned major, minor, patch;
  LLVMGetVersion(&major, &minor, &patch);
  return {major, minor, patch};
}

} // namespace

std::string permc::kernelKey(const Problem &canonical, const Request &request) {
  KeyText key;
  key.add("permc", PERMC_VERSION);
  key.add("sources", PERMC_SOURCE_HASH);
  key.add("llvm", llvmVersion());
  key.add("triple", request.target.triple);
  key.add("cpu", request.target.cpu);
  key.add("features", request.target.features);
  addFacts(key, request.target.facts);
  key.add("schedule", request.schedule);
  key.add("unaligned", request.unaligned);
  key.add("element", canonical.elementBytes());
  key.add("shape", canonical.shape());
  key.add("perm", canonical.perm());
  key.add("src", canonical.srcByteStrides());
  key.add("dst", canonical.dstByteStrides());
  return key.text;
}
