/*===- jit.c - kernels of libpermc, where it is installed -----------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "jit.h"

#include "move.h"

#include <permc-c/permc.h>

#include <dlfcn.h>
#include <stdlib.h>

#define CAPSULE "permc_plan"

static struct {
  int tried;
  permc_status (*create)(permc_jit *, const permc_problem *,
                         const permc_plan_options *, permc_plan **);
  permc_status (*run)(const permc_plan *, const void *, uint64_t, void *,
                      uint64_t);
  void (*release)(permc_plan *);
  const char *(*last_error)(void);
} library;

const char *jit_library(void) {
  const char *given = getenv("PERMC_LIBRARY");
  return given ? given : PERMC_JIT_LIBRARY;
}

/* With Python's lock: once. It is never closed, for its threads may be in it.
 */
static int load(void) {
  if (library.tried)
    return library.create != NULL;
  library.tried = 1;
  void *handle = dlopen(jit_library(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return 0;
  *(void **)&library.run = dlsym(handle, "permc_plan_run_sized");
  *(void **)&library.release = dlsym(handle, "permc_plan_release");
  *(void **)&library.last_error = dlsym(handle, "permc_last_error");
  if (library.run && library.release && library.last_error)
    *(void **)&library.create = dlsym(handle, "permc_plan_create");
  return library.create != NULL;
}

static void free_plan(PyObject *capsule) {
  permc_plan *plan = PyCapsule_GetPointer(capsule, CAPSULE);
  if (plan)
    library.release(plan);
}

PyObject *jit_plan(uint32_t rank, const int64_t *shape, const int64_t *perm,
                   uint64_t element, uint32_t threads) {
  if (!load())
    Py_RETURN_NONE;
  permc_problem problem = {.size = sizeof problem,
                           .rank = rank,
                           .element_bytes = element,
                           .shape = shape,
                           .perm = perm};
  permc_plan_options options = {.size = sizeof options, .threads = threads};
  permc_plan *plan = NULL;
  permc_status status;
  Py_BEGIN_ALLOW_THREADS status =
      library.create(NULL, &problem, &options, &plan);
  Py_END_ALLOW_THREADS if (raise_status(status, library.last_error()) !=
                           0) return NULL;
  PyObject *capsule = PyCapsule_New(plan, CAPSULE, free_plan);
  if (!capsule)
    library.release(plan);
  return capsule;
}

static uint64_t bytes_of(const struct view *view) {
  uint64_t bytes = (uint64_t)view->itemsize;
  for (int i = 0; i < view->ndim; ++i)
    bytes *= (uint64_t)view->shape[i];
  return bytes;
}

int jit_run(PyObject *capsule, const struct view *src, const struct view *dst) {
  const permc_plan *plan = PyCapsule_GetPointer(capsule, CAPSULE);
  if (!plan)
    return -1;
  permc_status status;
  Py_BEGIN_ALLOW_THREADS status =
      library.run(plan, src->data, bytes_of(src), dst->data, bytes_of(dst));
  Py_END_ALLOW_THREADS return raise_status(status, library.last_error());
}
