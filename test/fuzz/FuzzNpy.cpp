//===- FuzzNpy.cpp - headers of .npy files -----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"

#include "permc/Frontend/Npy.h"

using namespace permc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string file = Input(data, size).remainder();
  auto header = readNpyHeader(file, "in.npy");
  if (!header)
    return 0;
  int64_t bytes = header->elementBytes;
  for (int64_t dim : header->shape)
    require(dim >= 0 && !__builtin_mul_overflow(bytes, dim, &bytes));
  require(header->dataOffset >= 0 && bytes >= 0 &&
          header->dataOffset + bytes <= static_cast<int64_t>(file.size()));
  return 0;
}
