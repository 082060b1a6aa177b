/*===- jit.h - kernels of libpermc, where it is installed -------*- C -*-===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_PYTHON_JIT_H
#define PERMC_PYTHON_JIT_H

#include "view.h"

/* What is loaded: PERMC_LIBRARY of the environment, or the library of this
 * version. */
const char *jit_library(void);

/* A plan as a capsule; None if libpermc cannot be loaded, null with an
 * exception for what is wrong with the problem. */
PyObject *jit_plan(uint32_t rank, const int64_t *shape, const int64_t *perm,
                   uint64_t element, uint32_t threads);

/* Runs it on dense buffers, which must not be too small. */
int jit_run(PyObject *plan, const struct view *src, const struct view *dst);

#endif /* PERMC_PYTHON_JIT_H */
