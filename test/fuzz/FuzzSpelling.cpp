//===- FuzzSpelling.cpp - tensors, orders and conventions --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"

#include "permc/Frontend/Convention.h"
#include "permc/Plan/Simplify.h"

using namespace permc;

/// TENSOR, ORDER, strides of both sides and shapes, a line each.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  const uint8_t kind = input.byte();
  auto tensor = parseTensor(input.line());
  PermuteSpec spec;
  spec.order = input.line();
  spec.convention = static_cast<Convention>(kind % 4);
  spec.inverse = (kind & 4) != 0;
  auto src = parseIntegers(input.line(), "strides"),
       dst = parseIntegers(input.line(), "strides");
  if (!tensor)
    return 0;
  spec.tensor = *tensor;
  require(parseTensor(spellTensor(*tensor)).operator bool());
  if (src && (kind & 8))
    spec.inStrides = *src;
  if (dst && (kind & 16))
    spec.outStrides = *dst;
  if (tensor->isDynamic()) {
    (void)parseSpecializations(input.line(), *tensor);
    if (auto resolved = resolveDynamic(spec))
      canonicalize(resolved->problem, 16);
    return 0;
  }
  auto resolved = resolve(spec);
  if (!resolved)
    return 0;
  const Problem canonical = canonicalize(resolved->problem, 16);
  require(canonical.bytesMoved() == resolved->problem.bytesMoved());
  require(canonical.dstSpan() == resolved->problem.dstSpan());
  return 0;
}
