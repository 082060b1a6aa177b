/*===- order.h - orders of dims ---------------------------------*- C -*-===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_PYTHON_ORDER_H
#define PERMC_PYTHON_ORDER_H

#include "view.h"

/* Reads at most MAX_NDIM integers of a sequence. */
int read_integers(PyObject *list, const char *name, int64_t *numbers,
                  int *count);

/* The input dim of each output dim, of an array with `ndim` dims: from numbers,
 * negative ones counted from the last, or from letters. Null reverses. */
int read_order(PyObject *given, int ndim, int64_t *axes);

#endif /* PERMC_PYTHON_ORDER_H */
