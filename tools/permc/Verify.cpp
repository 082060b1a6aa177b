//===- Verify.cpp - permc verify ------------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "PermuteOptions.h"
#include "VerifyHere.h"

#include "permc/Compiler/ObjectInfo.h"

#include "llvm/Support/raw_ostream.h"

using namespace permc;
namespace cl = llvm::cl;

namespace {

class VerifyCommand : public Command {
public:
  VerifyCommand()
      : Command("verify", "Prove compiled kernels again, from their files"),
        files(cl::Positional, cl::desc("FILE..."), cl::sub(subCommand())) {}

  llvm::StringRef examples() const override {
    return R"(
FILE is an object or a static library as permc compile wrote it. That no byte of
it has changed since is seen from its seal; then each kernel is run, here or in
an emulator, and every element checked, as --verify does when it is compiled.
What was asked for is read from NAME_info.

Examples:
  permc verify hwc_to_chw.o
  permc verify libkernels.a libkernels_arm.a
)";
  }

  int run() override {
    if (files.empty())
      return failUsage("verify needs a FILE, such as kernel.o or libkernels.a");
    for (const std::string &path : files)
      if (Status ok = verifyFile(path); !ok)
        return fail(ok.error());
    return ExitSuccess;
  }

private:
  static Error at(const std::string &where, const Error &error) {
    return {error.cause, where + ": " + error.message};
  }

  static Status verifyFile(const std::string &path) {
    auto bytes = readFile(path);
    if (!bytes)
      return bytes.error();
    auto objects = readObjects(*bytes, path);
    if (!objects)
      return at(path, objects.error());
    for (const NamedObject &object : *objects) {
      auto version = checkSeal(object.bytes);
      if (!version)
        return at(object.name, version.error());
      auto requests = readRequests(object.bytes);
      if (!requests)
        return at(object.name, requests.error());
      llvm::errs() << object.name << ": as permc " << *version
                   << " wrote it, for " << requests->front().target.name
                   << "\n";
      if (Status ok = verifyObject(object.bytes, *requests); !ok)
        return at(object.name, ok.error());
    }
    return Done{};
  }

  cl::list<std::string> files;
};

} // namespace

std::unique_ptr<Command> permc::makeVerifyCommand() {
  return std::make_unique<VerifyCommand>();
}
