/*===- count.h - the cases whose instructions are counted -----------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_BENCHMARKS_COUNT_H
#define PERMC_BENCHMARKS_COUNT_H

#include "check.h"

struct counted {
  const char *name;
  size_t bytes;
  void (*plain)(const void *src, void *dst);
  void (*kernel)(const void *src, void *dst);
};

/* Its end is an entry without a name. */
extern const struct counted counted[];

#endif
