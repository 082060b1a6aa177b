/*===- move.c - the elements of one view to another -----------------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Two views of one shape are a permutation of strided memory. So that equal
|* ones look equal to the library, whatever they are called in Python, the dims
|* are put in the order of src's strides, and the order of dst's is the
|* permutation.
|*
\*===----------------------------------------------------------------------===*/

#include "move.h"

#include <permc-rt/permc_rt.h>

/* A problem as the library takes it. */
struct problem {
  uint32_t rank;
  int64_t element;
  int64_t shape[MAX_NDIM + 1], perm[MAX_NDIM + 1];
  int64_t src[MAX_NDIM + 1], dst[MAX_NDIM + 1];
};

static int64_t distance(int64_t stride) {
  return stride < 0 ? -stride : stride;
}

static int64_t divisor(int64_t a, int64_t b) {
  for (b = distance(b); b != 0;) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* The dims by their strides in src, the slowest first. */
static uint32_t sort_by_src(const struct view *src, int *order) {
  uint32_t count = 0;
  for (int i = 0; i < src->ndim; ++i) {
    if (src->shape[i] == 1)
      continue;
    uint32_t place = count++;
    for (; place > 0 &&
           distance(src->strides[order[place - 1]]) < distance(src->strides[i]);
         --place)
      order[place] = order[place - 1];
    order[place] = i;
  }
  return count;
}

static void sort_by_dst(const struct view *dst, const int *order,
                        uint32_t count, int64_t *perm) {
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t place = i;
    for (; place > 0 && distance(dst->strides[order[perm[place - 1]]]) <
                            distance(dst->strides[order[i]]);
         --place)
      perm[place] = perm[place - 1];
    perm[place] = i;
  }
}

/* Strides of Python are in bytes. One that is no multiple of the element, as a
 * field of a packed struct has it, makes the element smaller, and a dim more.
 */
static void take_apart(struct problem *problem) {
  int64_t unit = problem->element;
  for (uint32_t i = 0; i < problem->rank; ++i)
    unit = divisor(divisor(unit, problem->src[i]), problem->dst[i]);
  if (unit != problem->element) {
    uint32_t last = problem->rank++;
    problem->shape[last] = problem->element / unit;
    problem->perm[last] = last;
    problem->src[last] = problem->dst[last] = unit;
    problem->element = unit;
  }
  for (uint32_t i = 0; i < problem->rank; ++i) {
    problem->src[i] /= unit;
    problem->dst[i] /= unit;
  }
}

static void describe(const struct view *src, const struct view *dst,
                     struct problem *problem) {
  int order[MAX_NDIM];
  problem->element = src->itemsize;
  problem->rank = sort_by_src(src, order);
  sort_by_dst(dst, order, problem->rank, problem->perm);
  for (uint32_t i = 0; i < problem->rank; ++i) {
    problem->shape[i] = src->shape[order[i]];
    problem->src[i] = src->strides[order[i]];
    problem->dst[i] = dst->strides[order[problem->perm[i]]];
  }
  take_apart(problem);
}

int move(const struct view *src, const struct view *dst, uint32_t threads) {
  struct problem problem;
  int64_t bytes = src->itemsize;
  for (int i = 0; i < src->ndim; ++i)
    if (__builtin_mul_overflow(bytes, src->shape[i], &bytes))
      bytes = INT64_MAX; /* broadcast to more than memory holds */
  if (bytes == 0)
    return 0;
  describe(src, dst, &problem);
  permc_status status;
  if (bytes < MIN_UNLOCKED_BYTES) {
    status = permc_rt_permute(src->data, dst->data, problem.rank, problem.shape,
                              problem.perm, problem.src, problem.dst,
                              (uint64_t)problem.element, 1);
    return status == PERMC_OK ? 0 : raise_status(status, permc_rt_last_error());
  }
  Py_BEGIN_ALLOW_THREADS status = permc_rt_permute(
      src->data, dst->data, problem.rank, problem.shape, problem.perm,
      problem.src, problem.dst, (uint64_t)problem.element, threads);
  Py_END_ALLOW_THREADS return raise_status(status, permc_rt_last_error());
}

static PyObject *shape_of(const struct view *view) {
  PyObject *shape = PyTuple_New(view->ndim);
  for (int i = 0; shape && i < view->ndim; ++i) {
    PyObject *size = PyLong_FromLongLong(view->shape[i]);
    if (!size || PyTuple_SetItem(shape, i, size) != 0)
      Py_CLEAR(shape);
  }
  return shape;
}

int check_shapes(const struct view *src, const struct view *dst) {
  int same = src->ndim == dst->ndim;
  for (int i = 0; same && i < src->ndim; ++i)
    same = src->shape[i] == dst->shape[i];
  if (same)
    return 0;
  PyObject *given = shape_of(dst), *expected = shape_of(src);
  if (given && expected)
    PyErr_Format(PyExc_ValueError, "dst has the shape %R; expected %R", given,
                 expected);
  Py_XDECREF(given);
  Py_XDECREF(expected);
  return -1;
}

int raise_status(permc_status status, const char *message) {
  PyObject *type = PyExc_ValueError;
  switch (status) {
  case PERMC_OK:
    return 0;
  case PERMC_NULL_POINTER:
    type = PyExc_BufferError;
    break;
  case PERMC_UNSUPPORTED:
  case PERMC_UNKNOWN_TARGET:
  case PERMC_BAD_FILE:
  case PERMC_VERIFY_FAILED:
  case PERMC_INTERNAL:
    type = PyExc_RuntimeError;
    break;
  }
  PyErr_SetString(type, message);
  return -1;
}
