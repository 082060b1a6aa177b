//===- Progress.cpp - how far a run has come ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc::bench;

Progress::Progress(size_t total, bool wanted)
    : total(total), isTerminal(llvm::sys::Process::StandardErrIsDisplayed()),
      wanted(wanted || isTerminal) {}

void Progress::show(const std::string &name) {
  ++done;
  if (wanted)
    llvm::errs() << "[" << done << "/" << total << "] " << name
                 << (isTerminal ? "" : "\n");
}

void Progress::clear() {
  if (wanted && isTerminal)
    llvm::errs() << "\r\x1b[K";
}
