/*===- module.c - permc for Python ----------------------------------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* The functions of permc/__init__.py that move memory. Each opens its arrays as
|* views (view.h), brings the dims of both into one order (move.h), and lets the
|* run-time library, or a plan of the JIT (jit.h), do the rest.
|*
\*===----------------------------------------------------------------------===*/

#include "jit.h"
#include "memory.h"
#include "move.h"
#include "order.h"
#include "view.h"

#include <permc-rt/permc_rt.h>

#include <string.h>

/*===-- Arguments ---------------------------------------------------------===*/

/* Sorts the arguments of a call into `found` by the names of the function's
 * parameters; what is not given stays null. The first `positional` may be given
 * without a name, the first `required` must be given. */
static int read_arguments(const char *function, const char *const *parameters,
                          Py_ssize_t positional, Py_ssize_t required,
                          PyObject *const *arguments, Py_ssize_t count,
                          PyObject *names, PyObject **found) {
  if (count > positional) {
    PyErr_Format(PyExc_TypeError,
                 "%s() takes at most %zd positional arguments (%zd given)",
                 function, positional, count);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; ++i)
    found[i] = arguments[i];
  Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject *name = PyTuple_GetItem(names, i);
    Py_ssize_t at = 0;
    while (parameters[at] &&
           PyUnicode_CompareWithASCIIString(name, parameters[at]) != 0)
      ++at;
    if (!parameters[at] || found[at]) {
      PyErr_Format(PyExc_TypeError,
                   parameters[at]
                       ? "%s() got multiple values for argument '%U'"
                       : "%s() got an unexpected keyword argument '%U'",
                   function, name);
      return -1;
    }
    found[at] = arguments[count + i];
  }
  for (Py_ssize_t i = 0; i < required; ++i)
    if (!found[i]) {
      PyErr_Format(PyExc_TypeError, "%s() missing required argument: '%s'",
                   function, parameters[i]);
      return -1;
    }
  for (Py_ssize_t i = 0; parameters[i]; ++i)
    if (found[i] == Py_None)
      found[i] = NULL;
  return 0;
}

/* None is no array: view_open says so. */
static PyObject *array_of(PyObject *given) { return given ? given : Py_None; }

/* How many threads may work; 0: as many as the library thinks best. */
static int read_threads(PyObject *given, uint32_t *threads) {
  *threads = 0;
  if (!given)
    return 0;
  Py_ssize_t number = PyNumber_AsSsize_t(given, PyExc_OverflowError);
  if (number == -1 && PyErr_Occurred())
    return -1;
  if (number < 1 || number > UINT32_MAX) {
    PyErr_Format(PyExc_ValueError, "%zd threads; expected 1 or more", number);
    return -1;
  }
  *threads = (uint32_t)number;
  return 0;
}

/*===-- Functions ---------------------------------------------------------===*/

/* Puts the dims of a view in another order. */
static void reorder(struct view *view, const int64_t *axes) {
  int64_t shape[MAX_NDIM], strides[MAX_NDIM];
  for (int i = 0; i < view->ndim; ++i) {
    shape[i] = view->shape[axes[i]];
    strides[i] = view->strides[axes[i]];
  }
  memcpy(view->shape, shape, (size_t)view->ndim * sizeof *shape);
  memcpy(view->strides, strides, (size_t)view->ndim * sizeof *strides);
}

/* A new array with the elements of `src`. */
static PyObject *copy_new(struct view *src, int fortran, uint32_t threads) {
  struct view dst;
  PyObject *made = view_make(&dst, src, src->ndim, src->shape, fortran);
  if (!made)
    return NULL;
  int ok = move(src, &dst, threads);
  view_close(&dst);
  if (ok == 0)
    return view_finish(src, made);
  Py_DECREF(made);
  return NULL;
}

/* The elements of `src` to an array that is there; gives its object. */
static PyObject *copy_to(struct view *src, PyObject *object, const char *name,
                         uint32_t threads) {
  struct view dst;
  if (view_open(&dst, object, name, /*writable=*/1) != 0)
    return NULL;
  int ok = check_shapes(src, &dst) == 0 && view_same_type(src, &dst) == 0 &&
           move(src, &dst, threads) == 0;
  view_close(&dst);
  if (!ok)
    return NULL;
  Py_INCREF(object);
  return object;
}

static PyObject *transpose(PyObject *self, PyObject *const *arguments,
                           Py_ssize_t count, PyObject *names) {
  static const char *const parameters[] = {"a", "axes", "out", "threads", NULL};
  PyObject *found[4] = {NULL};
  uint32_t threads;
  struct view src;
  int64_t axes[MAX_NDIM];
  (void)self;
  if (read_arguments("transpose", parameters, 2, 1, arguments, count, names,
                     found) != 0 ||
      read_threads(found[3], &threads) != 0 ||
      view_open(&src, array_of(found[0]), "a", 0) != 0)
    return NULL;
  PyObject *result = NULL;
  if (read_order(found[1], src.ndim, axes) == 0) {
    reorder(&src, axes);
    result = found[2] ? copy_to(&src, found[2], "out", threads)
                      : copy_new(&src, 0, threads);
  }
  view_close(&src);
  return result;
}

/* Whether elements lie as in a new array. */
static int is_dense(const struct view *view, int fortran) {
  int64_t stride = view->itemsize;
  for (int i = 0; i < view->ndim; ++i)
    if (view->shape[i] == 0)
      return 1;
  for (int i = 0; i < view->ndim; ++i) {
    int dim = fortran ? i : view->ndim - 1 - i;
    if (view->shape[dim] != 1 && view->strides[dim] != stride)
      return 0;
    stride *= view->shape[dim];
  }
  return 1;
}

/* As numpy's functions of this name: one dim at least, and what lies as it
 * should is given back as it is. */
static PyObject *as_array(const char *name, int fortran,
                          PyObject *const *arguments, Py_ssize_t count,
                          PyObject *names) {
  static const char *const parameters[] = {"a", "threads", NULL};
  PyObject *found[2] = {NULL};
  uint32_t threads;
  struct view src;
  if (read_arguments(name, parameters, 1, 1, arguments, count, names, found) !=
          0 ||
      read_threads(found[1], &threads) != 0 ||
      view_open(&src, array_of(found[0]), "a", 0) != 0)
    return NULL;
  PyObject *result;
  if (src.ndim > 0 && is_dense(&src, fortran) && view_is_plain(&src)) {
    result = found[0];
    Py_INCREF(result);
  } else {
    if (src.ndim == 0) {
      src.ndim = 1;
      src.shape[0] = 1;
      src.strides[0] = src.itemsize;
    }
    result = copy_new(&src, fortran, threads);
  }
  view_close(&src);
  return result;
}

static PyObject *as_contiguous(PyObject *self, PyObject *const *arguments,
                               Py_ssize_t count, PyObject *names) {
  (void)self;
  return as_array("ascontiguousarray", 0, arguments, count, names);
}

static PyObject *as_fortran(PyObject *self, PyObject *const *arguments,
                            Py_ssize_t count, PyObject *names) {
  (void)self;
  return as_array("asfortranarray", 1, arguments, count, names);
}

static PyObject *copy_elements(PyObject *self, PyObject *const *arguments,
                               Py_ssize_t count, PyObject *names) {
  static const char *const parameters[] = {"dst", "src", "threads", NULL};
  PyObject *found[3] = {NULL};
  uint32_t threads;
  struct view src;
  (void)self;
  if (read_arguments("copyto", parameters, 2, 2, arguments, count, names,
                     found) != 0 ||
      read_threads(found[2], &threads) != 0)
    return NULL;
  if (!found[0] || !found[1]) {
    PyErr_SetString(PyExc_TypeError, "copyto() got None; expected two arrays");
    return NULL;
  }
  if (view_open(&src, found[1], "src", 0) != 0)
    return NULL;
  PyObject *dst = copy_to(&src, found[0], "dst", threads);
  view_close(&src);
  if (!dst)
    return NULL;
  Py_DECREF(dst);
  Py_RETURN_NONE;
}

/* The order as numbers from 0 on, checked: for permc/_kernel.py. */
static PyObject *order_of(PyObject *self, PyObject *arguments) {
  PyObject *given;
  int ndim;
  int64_t axes[MAX_NDIM];
  (void)self;
  if (!PyArg_ParseTuple(arguments, "Oi", &given, &ndim))
    return NULL;
  if (ndim < 0 || ndim > MAX_NDIM) {
    PyErr_Format(PyExc_ValueError, "%d dims; expected at most %d", ndim,
                 MAX_NDIM);
    return NULL;
  }
  if (read_order(given == Py_None ? NULL : given, ndim, axes) != 0)
    return NULL;
  PyObject *order = PyTuple_New(ndim);
  for (int i = 0; order && i < ndim; ++i) {
    PyObject *axis = PyLong_FromLongLong(axes[i]);
    if (!axis || PyTuple_SetItem(order, i, axis) != 0) {
      Py_DECREF(order);
      return NULL;
    }
  }
  return order;
}

/*===-- Plans of the JIT --------------------------------------------------===*/

static PyObject *make_plan(PyObject *self, PyObject *arguments) {
  PyObject *shape_list, *axes_list;
  Py_ssize_t itemsize;
  unsigned threads;
  int64_t shape[MAX_NDIM], axes[MAX_NDIM];
  int ndim, order;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "OOnI", &shape_list, &axes_list, &itemsize,
                        &threads) ||
      read_integers(shape_list, "shape", shape, &ndim) != 0 ||
      read_integers(axes_list, "axes", axes, &order) != 0)
    return NULL;
  if (order != ndim) {
    PyErr_SetString(PyExc_ValueError, "shape and axes differ in length");
    return NULL;
  }
  return jit_plan((uint32_t)ndim, shape, axes, (uint64_t)itemsize, threads);
}

static PyObject *run_plan(PyObject *self, PyObject *arguments) {
  PyObject *plan, *from, *to;
  struct view src, dst;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "OOO", &plan, &from, &to) ||
      view_open(&src, from, "src", 0) != 0)
    return NULL;
  if (view_open(&dst, to, "dst", /*writable=*/1) != 0) {
    view_close(&src);
    return NULL;
  }
  int ok = -1;
  if (!is_dense(&src, 0) || !is_dense(&dst, 0))
    PyErr_SetString(PyExc_BufferError,
                    "a buffer that is not dense and row-major; expected one "
                    "that is");
  else
    ok = jit_run(plan, &src, &dst);
  view_close(&dst);
  view_close(&src);
  if (ok != 0)
    return NULL;
  Py_RETURN_NONE;
}

/*===-- The library -------------------------------------------------------===*/

static PyObject *enable_jit(PyObject *self, PyObject *arguments) {
  unsigned threshold;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "I", &threshold))
    return NULL;
  permc_status status;
  Py_BEGIN_ALLOW_THREADS status = permc_rt_enable_jit(threshold, jit_library());
  Py_END_ALLOW_THREADS if (raise_status(status, permc_rt_last_error()) !=
                           0) return NULL;
  Py_RETURN_NONE;
}

static PyObject *set_threads(PyObject *self, PyObject *arguments) {
  PyObject *given;
  uint32_t threads;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "O", &given) ||
      read_threads(given == Py_None ? NULL : given, &threads) != 0)
    return NULL;
  permc_rt_set_threads(threads);
  Py_RETURN_NONE;
}

static PyObject *get_target(PyObject *self, PyObject *arguments) {
  permc_rt_statistics statistics = {.size = sizeof statistics};
  (void)self;
  (void)arguments;
  if (raise_status(permc_rt_get_statistics(&statistics),
                   permc_rt_last_error()) != 0)
    return NULL;
  return PyUnicode_FromString(statistics.target);
}

PyDoc_STRVAR(transpose_doc,
             "transpose($module, a, axes=None, *, out=None, threads=None)\n"
             "--\n\n"
             "The array with its dims in another order, as a new, dense, "
             "row-major array.\n\n"
             "Dim i of the result is dim axes[i] of a; without axes the dims "
             "are reversed.\n"
             "Negative axes count from the last. Letters do as well: "
             "'nhwc->nchw'. With out\n"
             "the elements go there, whatever its strides, and out is "
             "returned. threads is\n"
             "how many may work; None: as many as pay.");
PyDoc_STRVAR(as_contiguous_doc,
             "ascontiguousarray($module, a, *, threads=None)\n--\n\n"
             "The array as a dense, row-major one of one dim at least: a "
             "itself if it is one.");
PyDoc_STRVAR(as_fortran_doc,
             "asfortranarray($module, a, *, threads=None)\n--\n\n"
             "The array as a dense, column-major one of one dim at least: a "
             "itself if it\nis one.");
PyDoc_STRVAR(copyto_doc,
             "copyto($module, dst, src, *, threads=None)\n--\n\n"
             "Copies src to dst. Both may be views with any strides, of one "
             "shape and one\ntype of elements, that do not overlap.");
PyDoc_STRVAR(enable_jit_doc,
             "enable_jit($module, threshold, /)\n--\n\n"
             "From the given number of calls on, problems get kernels that "
             "libpermc compiles\nin the background. Raises RuntimeError "
             "where libpermc is not installed.");
PyDoc_STRVAR(set_threads_doc,
             "set_threads($module, threads, /)\n--\n\n"
             "How many threads a call uses at most where it does not say. "
             "None: all CPUs.");
PyDoc_STRVAR(target_doc, "target($module, /)\n--\n\n"
                         "The target of the kernels that this CPU gets, such "
                         "as 'x86-64-v3'.");

#define FAST(name, function, doc)                                              \
  {name, (PyCFunction)(void (*)(void))(fast_function)function,                 \
   METH_FASTCALL | METH_KEYWORDS, doc}

static PyMethodDef functions[] = {
    FAST("transpose", transpose, transpose_doc),
    FAST("ascontiguousarray", as_contiguous, as_contiguous_doc),
    FAST("asfortranarray", as_fortran, as_fortran_doc),
    FAST("copyto", copy_elements, copyto_doc),
    {"order_of", order_of, METH_VARARGS, NULL},
    {"make_plan", make_plan, METH_VARARGS, NULL},
    {"run_plan", run_plan, METH_VARARGS, NULL},
    {"enable_jit", enable_jit, METH_VARARGS, enable_jit_doc},
    {"set_threads", set_threads, METH_VARARGS, set_threads_doc},
    {"target", get_target, METH_NOARGS, target_doc},
    {NULL, NULL, 0, NULL}};

PyMODINIT_FUNC PyInit__permc(void) {
  static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                          "_permc",
                                          NULL,
                                          -1,
                                          functions,
                                          NULL,
                                          NULL,
                                          NULL,
                                          NULL};
  PyObject *module = PyModule_Create(&definition);
  if (!module)
    return NULL;
  if (memory_add_type(module) == 0 &&
      PyModule_AddStringConstant(module, "version",
                                 permc_rt_version_string()) == 0)
    return module;
  Py_DECREF(module);
  return NULL;
}
