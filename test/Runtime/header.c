/*===- header.c - the shim's header as a C99 compiler sees it -------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "permc-rt/permc_rt.h"

/* Both headers in one file: they share the statuses. */
#include "permc-c/permc.h"

/* Sizes are part of the ABI: a change here is a change for every user. */
typedef char statistics_size[sizeof(permc_rt_statistics) == 40 ? 1 : -1];

permc_status permuteFromC(const void *src, void *dst);
permc_status permuteFromC(const void *src, void *dst) {
  const int64_t shape[] = {2, 3}, perm[] = {1, 0};
  return permc_rt_permute(src, dst, 2, shape, perm, NULL, NULL, 4, 1);
}
