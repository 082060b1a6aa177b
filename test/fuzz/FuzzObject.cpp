//===- FuzzObject.cpp - objects and libraries to verify ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"

#include "permc/Compiler/ObjectInfo.h"

using namespace permc;

/// Reading runs nothing, and the seal is not asked first: anyone can make one.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto objects = readObjects(Input(data, size).remainder(), "file");
  if (!objects)
    return 0;
  for (const NamedObject &object : *objects) {
    (void)checkSeal(object.bytes);
    (void)readRequests(object.bytes);
  }
  return 0;
}
