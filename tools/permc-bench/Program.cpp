//===- Program.cpp - what programs that measure have in common ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>
#include <vector>

using namespace permc;
namespace cl = llvm::cl;

void bench::die(const std::string &message) {
  llvm::errs() << program_invocation_short_name << ": error: " << message
               << "\n";
  std::exit(1);
}

void bench::removeForeignOptions() {
  std::vector<cl::Option *> foreign;
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (name != "help" && name != "version")
      foreign.push_back(option);
  for (cl::Option *option : foreign)
    option->removeArgument();
}
