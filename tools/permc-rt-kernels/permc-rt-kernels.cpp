//===- permc-rt-kernels.cpp - writes the shim's kernels -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   permc-rt-kernels TARGET ASSEMBLY TABLE
//
// A part of the build: compiles the generic kernels for one target into an
// assembly file and a C++ file that lists them.
//
//===----------------------------------------------------------------------===//

#include "GenericKernels.h"

#include <cstdio>
#include <fstream>

using namespace permc;

static int fail(const std::string &message) {
  std::fprintf(stderr, "permc-rt-kernels: error: %s\n", message.c_str());
  return 1;
}

static bool write(const char *path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file.good();
}

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: permc-rt-kernels TARGET ASSEMBLY TABLE\n");
    return 2;
  }
  Result<Target> target = findTarget(argv[1]);
  if (!target)
    return fail(target.error().message);
  Result<GenericSources> sources = makeGenericKernels(*target);
  if (!sources)
    return fail(sources.error().message);
  if (!write(argv[2], sources->assembly))
    return fail(std::string("cannot write '") + argv[2] + "'");
  if (!write(argv[3], sources->table))
    return fail(std::string("cannot write '") + argv[3] + "'");
  return 0;
}
