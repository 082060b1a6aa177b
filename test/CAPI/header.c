/*===- header.c - the header as a C99 compiler sees it
---------------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "permc-c/permc.h"

/* Sizes are part of the ABI: a change here is a change for every user. */
typedef char problem_size[sizeof(permc_problem) == 48 ? 1 : -1];
typedef char plan_options_size[sizeof(permc_plan_options) == 32 ? 1 : -1];
typedef char jit_options_size[sizeof(permc_jit_options) == 40 ? 1 : -1];
typedef char jit_statistics_size[sizeof(permc_jit_statistics) == 56 ? 1 : -1];
typedef char kernel_size[sizeof(permc_kernel) == 136 ? 1 : -1];
typedef char status_size[sizeof(permc_status) == 4 ? 1 : -1];

permc_status permuteFromC(const void *src, void *dst);
permc_status permuteFromC(const void *src, void *dst) {
  const int64_t shape[] = {2, 3}, perm[] = {1, 0};
  return permc_permute(src, dst, 2, shape, perm, 4);
}
