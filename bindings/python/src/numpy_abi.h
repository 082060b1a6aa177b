/*===- numpy_abi.h - numpy's arrays without its headers ---------*- C -*-===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* What numpy promises to binaries that were compiled against it, versions 1.x
|* and 2.x alike: the layout of an array, the places of three functions in its
|* table, and the layout of a type, which differs between the two. The module
|* neither needs numpy to be built nor to be there.
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_PYTHON_NUMPY_ABI_H
#define PERMC_PYTHON_NUMPY_ABI_H

#include "python_abi.h"

#include <stdint.h>

struct numpy_array {
  PyObject base_object;
  char *data;
  int nd;
  intptr_t *dimensions;
  intptr_t *strides; /* in bytes */
  PyObject *base;
  PyObject *descr;
  int flags;
};

#define NUMPY_F_CONTIGUOUS 0x0002
#define NUMPY_C_CONTIGUOUS 0x0001
#define NUMPY_WRITEABLE 0x0400

struct numpy_descr_head {
  PyObject base_object;
  PyTypeObject *typeobj;
  char kind, type, byteorder;
  char flags; /* numpy 1 */
  int type_num;
};

struct numpy_descr_1 {
  struct numpy_descr_head head;
  int elsize;
};

struct numpy_descr_2 {
  struct numpy_descr_head head;
  uint64_t flags;
  intptr_t elsize;
};

/* Flags of types whose elements are references to objects. */
#define NUMPY_HAS_OBJECTS 0x01

/* Places in the table. */
enum { NUMPY_GET_ABI_VERSION = 0, NUMPY_ARRAY_TYPE = 2, NUMPY_NEW = 94 };

typedef unsigned (*numpy_get_abi_version)(void);
typedef PyObject *(*numpy_new)(PyTypeObject *type, PyObject *descr, int nd,
                               const intptr_t *dims, const intptr_t *strides,
                               void *data, int flags, PyObject *like);

#endif /* PERMC_PYTHON_NUMPY_ABI_H */
