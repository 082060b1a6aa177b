/*===- fuzz_program.h - what a program that checks kernels is told --------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_FUZZ_PROGRAM_H
#define PERMC_FUZZ_PROGRAM_H

#include "kernel.h"

/* One run of one case. Sizes and strides are by output dim, strides in bytes;
 * the lowest element is `low` bytes from the first, which is 0 or less. */
struct fuzz_run {
  const permc_kernel *kernel;
  uint32_t number; /* of the case */
  uint32_t rank, element;
  const int64_t *sizes, *src_strides, *dst_strides;
  int64_t src_low, dst_low;
  uint64_t src_bytes, dst_bytes;
  const int64_t *dims;    /* of a kernel with dynamic dims */
  uint32_t parts;         /* 0: the whole tensor at once */
  int32_t src_at, dst_at; /* bytes behind the start of memory; -1: at its end */
};

/* The list, and its end: an entry without a kernel. */
extern const struct fuzz_run fuzz_runs[];

#endif
