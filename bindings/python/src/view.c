/*===- view.c - arrays of Python as strided memory ------------------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "view.h"

#include "dlpack_abi.h"
#include "memory.h"
#include "numpy_abi.h"

#include <string.h>

/*===-- numpy -------------------------------------------------------------===*/

static PyTypeObject *numpy_array_type;
static numpy_new numpy_make;
static int numpy_is_2;

/* Looks for numpy if the program has imported it. */
static int find_numpy(void) {
  static const char *const places[] = {"numpy._core._multiarray_umath",
                                       "numpy.core._multiarray_umath"};
  PyObject *modules = PyImport_GetModuleDict();
  if (!PyDict_GetItemString(modules, "numpy"))
    return 0;
  for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
    PyObject *module = PyDict_GetItemString(modules, places[i]);
    PyObject *api =
        module ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
    void **table = api ? PyCapsule_GetPointer(api, NULL) : NULL;
    Py_XDECREF(api);
    if (!table) {
      PyErr_Clear();
      continue;
    }
    unsigned version =
        ((numpy_get_abi_version)table[NUMPY_GET_ABI_VERSION])() >> 24;
    if (version != 1 && version != 2)
      return 0;
    numpy_is_2 = version == 2;
    numpy_make = (numpy_new)table[NUMPY_NEW];
    numpy_array_type = (PyTypeObject *)table[NUMPY_ARRAY_TYPE];
    return 1;
  }
  return 0;
}

static int is_numpy(PyObject *object) {
  if (!numpy_array_type && !find_numpy())
    return 0;
  return Py_TYPE(object) == numpy_array_type ||
         PyType_IsSubtype(Py_TYPE(object), numpy_array_type);
}

static int refuse_ndim(const char *name, int ndim) {
  PyErr_Format(PyExc_ValueError, "%s has %d dims; expected at most %d", name,
               ndim, MAX_NDIM);
  return -1;
}

static int refuse_objects(const char *name) {
  PyErr_Format(PyExc_TypeError,
               "%s holds Python objects, which cannot be moved byte by byte; "
               "expected elements that hold their own data",
               name);
  return -1;
}

static int refuse_read_only(const char *name) {
  PyErr_Format(PyExc_BufferError,
               "%s is read-only; expected an array that can be written", name);
  return -1;
}

static int open_numpy(struct view *view, const char *name, int writable) {
  const struct numpy_array *array = (const struct numpy_array *)view->object;
  const struct numpy_descr_head *descr =
      (const struct numpy_descr_head *)array->descr;
  if (array->nd > MAX_NDIM)
    return refuse_ndim(name, array->nd);
  const uint64_t flags = numpy_is_2
                             ? ((const struct numpy_descr_2 *)descr)->flags
                             : (uint64_t)(unsigned char)descr->flags;
  if (flags & NUMPY_HAS_OBJECTS)
    return refuse_objects(name);
  view->kind = VIEW_NUMPY;
  view->data = array->data;
  view->ndim = array->nd;
  view->itemsize = numpy_is_2 ? ((const struct numpy_descr_2 *)descr)->elsize
                              : ((const struct numpy_descr_1 *)descr)->elsize;
  view->writable = (array->flags & NUMPY_WRITEABLE) != 0;
  view->dtype = array->descr;
  if (writable && !view->writable)
    return refuse_read_only(name);
  for (int i = 0; i < array->nd; ++i) {
    view->shape[i] = array->dimensions[i];
    view->strides[i] = array->strides[i];
  }
  return 0;
}

/*===-- DLPack ------------------------------------------------------------===*/

static void fill_dense(struct view *view, int fortran) {
  int64_t stride = view->itemsize;
  for (int i = 0; i < view->ndim; ++i) {
    int dim = fortran ? i : view->ndim - 1 - i;
    view->strides[dim] = stride;
    stride *= view->shape[dim] ? view->shape[dim] : 1;
  }
}

static int open_tensor(struct view *view, const char *name) {
  view->tensor = PyCapsule_GetPointer(view->capsule, "dltensor");
  if (!view->tensor)
    return -1;
  const struct dl_tensor *tensor = &view->tensor->tensor;
  const int bits = tensor->type.bits * tensor->type.lanes;
  if (tensor->device_type != DLPACK_CPU) {
    PyErr_Format(PyExc_BufferError,
                 "%s is on a device of DLPack's type %d; expected 1, the CPU",
                 name, (int)tensor->device_type);
    return -1;
  }
  if (bits == 0 || bits % 8 != 0) {
    PyErr_Format(PyExc_TypeError,
                 "%s has elements of %d bits; expected whole bytes", name,
                 bits);
    return -1;
  }
  if (tensor->ndim > MAX_NDIM)
    return refuse_ndim(name, tensor->ndim);
  view->kind = VIEW_DLPACK;
  view->data = (char *)tensor->data + tensor->byte_offset;
  view->ndim = tensor->ndim;
  view->itemsize = bits / 8;
  view->writable = 1;
  for (int i = 0; i < view->ndim; ++i)
    view->shape[i] = tensor->shape[i];
  fill_dense(view, 0);
  for (int i = 0; tensor->strides && i < view->ndim; ++i)
    view->strides[i] = tensor->strides[i] * view->itemsize;
  return 0;
}

static int open_dlpack(struct view *view, const char *name) {
  view->capsule = PyObject_CallMethod(view->object, "__dlpack__", NULL);
  if (!view->capsule)
    return -1;
  if (open_tensor(view, name) == 0)
    return 0;
  Py_CLEAR(view->capsule);
  return -1;
}

/*===-- The buffer protocol -----------------------------------------------===*/

static int open_buffer(struct view *view, const char *name, int writable) {
  int flags = PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(view->object, &view->buffer, flags) != 0)
    return -1;
  const Py_buffer *buffer = &view->buffer;
  int ok = 0;
  if (buffer->ndim > MAX_NDIM)
    ok = refuse_ndim(name, buffer->ndim);
  else if (buffer->format && strchr(buffer->format, 'O'))
    ok = refuse_objects(name);
  if (ok != 0) {
    PyBuffer_Release(&view->buffer);
    return -1;
  }
  view->kind = VIEW_BUFFER;
  view->data = buffer->buf;
  view->ndim = buffer->ndim;
  view->itemsize = buffer->itemsize;
  view->writable = !buffer->readonly;
  view->format = buffer->format;
  for (int i = 0; i < buffer->ndim; ++i) {
    view->shape[i] = buffer->shape[i];
    view->strides[i] = buffer->strides[i];
  }
  return 0;
}

int view_open(struct view *view, PyObject *object, const char *name,
              int writable) {
  view->object = object;
  view->dtype = NULL;
  view->format = NULL;
  view->capsule = NULL;
  if (is_numpy(object))
    return open_numpy(view, name, writable);
  if (PyObject_HasAttrString(object, "__dlpack__"))
    return open_dlpack(view, name);
  if (PyObject_CheckBuffer(object))
    return open_buffer(view, name, writable);
  PyErr_Format(PyExc_TypeError,
               "%s is a %R; expected an array: something with the buffer "
               "protocol or with __dlpack__",
               name, Py_TYPE(object));
  return -1;
}

void view_close(struct view *view) {
  if (view->kind == VIEW_DLPACK)
    Py_CLEAR(view->capsule);
  else if (view->kind == VIEW_BUFFER)
    PyBuffer_Release(&view->buffer);
}

/*===-- Results -----------------------------------------------------------===*/

static PyObject *make_numpy(const struct view *like, int ndim,
                            const int64_t *shape, int fortran) {
  intptr_t dims[MAX_NDIM];
  for (int i = 0; i < ndim; ++i)
    dims[i] = (intptr_t)shape[i];
  Py_INCREF(like->dtype); /* numpy takes it */
  return numpy_make(numpy_array_type, like->dtype, ndim, dims, NULL, NULL,
                    fortran ? NUMPY_F_CONTIGUOUS : 0, NULL);
}

PyObject *view_make(struct view *view, const struct view *like, int ndim,
                    const int64_t *shape, int fortran) {
  PyObject *made;
  if (like->kind == VIEW_NUMPY) {
    made = make_numpy(like, ndim, shape, fortran);
  } else {
    struct dl_type type = {0, 0, 0};
    if (like->kind == VIEW_DLPACK)
      type = like->tensor->tensor.type;
    made = memory_make(ndim, shape, like->itemsize, fortran,
                       like->format ? like->format : "B", type);
  }
  if (!made)
    return NULL;
  int ok;
  view->object = made;
  view->dtype = NULL;
  view->format = NULL;
  view->capsule = NULL;
  if (like->kind == VIEW_NUMPY) {
    ok = open_numpy(view, "the result", 1);
  } else {
    view->kind = VIEW_BUFFER;
    ok = open_buffer(view, "the result", 1);
  }
  if (ok == 0)
    return made;
  Py_DECREF(made);
  return NULL;
}

/* The function of the library that an array is of, or null: none. */
static PyObject *find_from_dlpack(PyObject *array) {
  PyObject *library = NULL, *function = NULL;
  if (PyObject_HasAttrString(array, "__array_namespace__")) {
    library = PyObject_CallMethod(array, "__array_namespace__", NULL);
  } else {
    PyObject *name =
        PyObject_GetAttrString((PyObject *)Py_TYPE(array), "__module__");
    PyObject *parts =
        name ? PyObject_CallMethod(name, "partition", "s", ".") : NULL;
    PyObject *top = parts ? PyTuple_GetItem(parts, 0) : NULL;
    library = top ? PyImport_Import(top) : NULL;
    Py_XDECREF(parts);
    Py_XDECREF(name);
  }
  if (library)
    function = PyObject_GetAttrString(library, "from_dlpack");
  Py_XDECREF(library);
  PyErr_Clear();
  return function;
}

PyObject *view_finish(const struct view *like, PyObject *made) {
  if (like->kind == VIEW_NUMPY)
    return made;
  PyObject *result = NULL, *function = NULL;
  if (like->kind == VIEW_DLPACK)
    function = find_from_dlpack(like->object);
  result = function
               ? PyObject_CallFunctionObjArgs(function, made, (PyObject *)NULL)
               : PyMemoryView_FromObject(made);
  Py_XDECREF(function);
  Py_DECREF(made);
  return result;
}

int view_is_plain(const struct view *view) {
  return view->kind != VIEW_NUMPY || Py_TYPE(view->object) == numpy_array_type;
}

static int refuse_types(PyObject *a, PyObject *b) {
  PyErr_Format(PyExc_TypeError,
               "src has elements of type %R, dst of %R; expected one type", a,
               b);
  return -1;
}

/* Formats without the mark of the machine's own byte order, which is optional.
 */
static const char *plain_format(const char *format) {
  return *format == '@' || *format == '=' ? format + 1 : format;
}

int view_same_type(const struct view *a, const struct view *b) {
  if (a->itemsize != b->itemsize) {
    PyErr_Format(PyExc_TypeError,
                 "src has elements of %zd bytes, dst of %zd; expected one type",
                 a->itemsize, b->itemsize);
    return -1;
  }
  if (a->dtype && b->dtype && a->dtype != b->dtype) {
    int same = PyObject_RichCompareBool(a->dtype, b->dtype, Py_EQ);
    return same < 0 ? -1 : same ? 0 : refuse_types(a->dtype, b->dtype);
  }
  if (a->format && b->format &&
      strcmp(plain_format(a->format), plain_format(b->format)) != 0) {
    PyErr_Format(PyExc_TypeError,
                 "src has elements of format '%s', dst of '%s'; expected one "
                 "type",
                 a->format, b->format);
    return -1;
  }
  if (a->kind == VIEW_DLPACK && b->kind == VIEW_DLPACK &&
      memcmp(&a->tensor->tensor.type, &b->tensor->tensor.type,
             sizeof(struct dl_type)) != 0) {
    PyErr_SetString(PyExc_TypeError, "src and dst have elements of different "
                                     "types; expected one type");
    return -1;
  }
  return 0;
}
