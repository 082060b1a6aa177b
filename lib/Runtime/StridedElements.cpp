//===- StridedElements.cpp - one element at a time ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain loops. Where strides are constants compilers turn them into vectors by
// themselves, which is for machines that shuffle no bytes (ShuffledRun.h).
//
//===----------------------------------------------------------------------===//

#include "StridedElements.h"

#include <array>
#include <cstring>
#include <utility>

using namespace permc;

namespace {

template <int element>
[[gnu::always_inline]] inline void moveRow(const char *src,
                                           char *__restrict dst, intptr_t count,
                                           intptr_t from, intptr_t to) {
  for (intptr_t i = 0; i < count; ++i)
    std::memcpy(dst + i * to, src + i * from, element);
}

template <int element>
void moveMatrix(const char *src, char *dst, const KernelCall *call) {
  const KernelLoop &rows = call->loops[0], &row = call->loops[1];
  for (intptr_t i = 0; i < rows.size; ++i, src += rows.src, dst += rows.dst)
    if (row.dst == element && row.src == -element)
      moveRow<element>(src, dst, row.size, -element, element);
    else if (row.dst == element && row.src == 0)
      moveRow<element>(src, dst, row.size, 0, element);
    else
      moveRow<element>(src, dst, row.size, row.src, row.dst);
}

template <int element>
void moveElements(const char *src, char *dst, const KernelCall *call) {
  const KernelLoop &batch = call->loops[2];
  for (intptr_t i = 0; i < batch.size; ++i, src += batch.src, dst += batch.dst)
    moveMatrix<element>(src, dst, call);
}

template <int... sizes>
constexpr std::array<GenericKernel, sizeof...(sizes)>
kernelsFor(std::integer_sequence<int, sizes...>) {
  return {moveElements<sizes + 1>...};
}

} // namespace

GenericKernel permc::stridedElements(int64_t element) {
  static constexpr auto kernels =
      kernelsFor(std::make_integer_sequence<int, maxStridedElement>());
  return kernels[size_t(element - 1)];
}
