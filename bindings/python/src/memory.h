/*===- memory.h - memory that the module makes itself -----------*- C -*-===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_PYTHON_MEMORY_H
#define PERMC_PYTHON_MEMORY_H

#include "dlpack_abi.h"
#include "python_abi.h"

/* A dense array that speaks the buffer protocol and DLPack; null with an
 * exception. `type` is DLPack's. */
PyObject *memory_make(int ndim, const int64_t *shape, Py_ssize_t itemsize,
                      int fortran, const char *format, struct dl_type type);

int memory_add_type(PyObject *module);

#endif /* PERMC_PYTHON_MEMORY_H */
