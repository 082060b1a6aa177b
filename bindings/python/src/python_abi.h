/*===- python_abi.h - Python's stable ABI, with buffers ---------*- C -*-===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* One binary for Python 3.9 and later. The buffer protocol and fast calls were
|* made part of the stable ABI in 3.11 and 3.10, as they had been since 3.0 and
|* 3.7: for older headers they are declared here.
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_PYTHON_ABI_H
#define PERMC_PYTHON_ABI_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x03090000
#endif
#include <Python.h>

#ifndef METH_FASTCALL
#define METH_FASTCALL 0x0080
#endif

#if Py_LIMITED_API + 0 < 0x030b0000
typedef struct {
  void *buf;
  PyObject *obj;
  Py_ssize_t len;
  Py_ssize_t itemsize;
  int readonly;
  int ndim;
  char *format;
  Py_ssize_t *shape;
  Py_ssize_t *strides;
  Py_ssize_t *suboffsets;
  void *internal;
} Py_buffer;

int PyObject_CheckBuffer(PyObject *object);
int PyObject_GetBuffer(PyObject *object, Py_buffer *view, int flags);
void PyBuffer_Release(Py_buffer *view);

#define PyBUF_WRITABLE 0x0001
#define PyBUF_FORMAT 0x0004
#define PyBUF_STRIDES (0x0010 | 0x0008)
#define Py_bf_getbuffer 1
#define Py_bf_releasebuffer 2
#endif

/* Of functions that take (self, arguments, count, names). */
typedef PyObject *(*fast_function)(PyObject *, PyObject *const *, Py_ssize_t,
                                   PyObject *);

#endif /* PERMC_PYTHON_ABI_H */
