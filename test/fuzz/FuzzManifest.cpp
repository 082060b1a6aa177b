//===- FuzzManifest.cpp - manifests ------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"

#include "permc/Frontend/Manifest.h"

using namespace permc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto read = parseManifest(Input(data, size).remainder(), "kernels.yaml");
  // An error says where.
  if (!read)
    require(read.error().message.find("kernels.yaml") != std::string::npos);
  return 0;
}
