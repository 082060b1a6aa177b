/*===- view.h - arrays of Python as strided memory --------------*- C -*-===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* One description of memory for all that Python has: numpy's arrays, read
|* straight from their structs, anything with DLPack, anything with the buffer
|* protocol. Every function that returns int gives 0, or -1 with an exception.
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_PYTHON_VIEW_H
#define PERMC_PYTHON_VIEW_H

#include "python_abi.h"

#include <stdint.h>

/* One less than the library takes: elements may have to be taken apart. */
#define MAX_NDIM 63

/* Where an array was found, and so what a result is made of. */
enum view_kind { VIEW_NUMPY, VIEW_DLPACK, VIEW_BUFFER };

struct dl_managed_tensor;

struct view {
  enum view_kind kind;
  PyObject *object; /* borrowed */
  char *data;       /* of the first element */
  int ndim;
  Py_ssize_t itemsize;
  int64_t shape[MAX_NDIM];
  int64_t strides[MAX_NDIM]; /* in bytes */
  int writable;
  PyObject *dtype;    /* VIEW_NUMPY: borrowed */
  const char *format; /* VIEW_BUFFER, or null */
  struct dl_managed_tensor *tensor;
  PyObject *capsule;
  Py_buffer buffer;
};

/* What looks at an array without the array's leave ends with view_close. */
int view_open(struct view *view, PyObject *object, const char *name,
              int writable);
void view_close(struct view *view);

/* A new array of the same kind and element as `like`, dense and row-major, or
 * column-major; null with an exception. `view` is opened on it. The result's
 * reference belongs to the caller, who closes the view first. */
PyObject *view_make(struct view *view, const struct view *like, int ndim,
                    const int64_t *shape, int fortran);

/* What a caller gets for what view_make gave: torch's tensor for torch's.
 * Takes the reference. */
PyObject *view_finish(const struct view *like, PyObject *made);

/* Whether the object is what a result would be: no subclass of numpy's. */
int view_is_plain(const struct view *view);

/* Whether both have elements of one type; -1 with a TypeError if not. */
int view_same_type(const struct view *a, const struct view *b);

#endif /* PERMC_PYTHON_VIEW_H */
