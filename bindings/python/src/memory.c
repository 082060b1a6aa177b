/*===- memory.c - memory that the module makes itself ---------------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "memory.h"

#include "view.h"

#include <stdlib.h>
#include <string.h>

/* Whole lines are written fastest. */
#define LINE 64

struct memory {
  PyObject base_object;
  char *data;
  char *format;
  int ndim, fortran;
  Py_ssize_t itemsize, bytes;
  struct dl_type type;
  Py_ssize_t shape[MAX_NDIM], strides[MAX_NDIM];
};

static PyTypeObject *memory_type;

/*===-- Making and freeing ------------------------------------------------===*/

static int count_bytes(struct memory *memory) {
  Py_ssize_t bytes = memory->itemsize;
  for (int i = 0; i < memory->ndim; ++i) {
    int dim = memory->fortran ? i : memory->ndim - 1 - i;
    memory->strides[dim] = bytes;
    if (__builtin_mul_overflow(
            bytes, memory->shape[dim] ? memory->shape[dim] : 1, &bytes)) {
      PyErr_SetString(PyExc_ValueError,
                      "the bytes of the result do not fit in 63 bits");
      return -1;
    }
  }
  memory->bytes = bytes;
  for (int i = 0; i < memory->ndim; ++i)
    if (memory->shape[i] == 0)
      memory->bytes = 0;
  return 0;
}

PyObject *memory_make(int ndim, const int64_t *shape, Py_ssize_t itemsize,
                      int fortran, const char *format, struct dl_type type) {
  allocfunc allocate = (allocfunc)PyType_GetSlot(memory_type, Py_tp_alloc);
  struct memory *memory = (struct memory *)allocate(memory_type, 0);
  if (!memory)
    return NULL;
  memory->ndim = ndim;
  memory->itemsize = itemsize;
  memory->fortran = fortran;
  memory->type = type;
  for (int i = 0; i < ndim; ++i)
    memory->shape[i] = (Py_ssize_t)shape[i];
  if (count_bytes(memory) != 0) {
    Py_DECREF(memory);
    return NULL;
  }
  memory->format = strdup(format);
  void *data = NULL;
  if (memory->format && memory->bytes <= PY_SSIZE_T_MAX - LINE &&
      posix_memalign(&data, LINE, (size_t)memory->bytes + 1) == 0)
    memory->data = data;
  if (!memory->data) {
    Py_DECREF(memory);
    return PyErr_NoMemory();
  }
  return (PyObject *)memory;
}

static void memory_free(PyObject *self) {
  struct memory *memory = (struct memory *)self;
  PyTypeObject *type = Py_TYPE(self);
  free(memory->data);
  free(memory->format);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

/*===-- The buffer protocol -----------------------------------------------===*/

static int memory_get_buffer(PyObject *self, Py_buffer *view, int flags) {
  struct memory *memory = (struct memory *)self;
  if (memory->fortran && memory->ndim > 1 &&
      (flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
    PyErr_SetString(PyExc_BufferError,
                    "the array is column-major; expected a reader that takes "
                    "strides");
    view->obj = NULL;
    return -1;
  }
  Py_INCREF(self);
  view->obj = self;
  view->buf = memory->data;
  view->len = memory->bytes;
  view->readonly = 0;
  view->itemsize = memory->itemsize;
  view->format = flags & PyBUF_FORMAT ? memory->format : NULL;
  view->ndim = memory->ndim;
  view->shape = memory->shape;
  view->strides = memory->strides;
  view->suboffsets = NULL;
  view->internal = NULL;
  return 0;
}

/*===-- DLPack ------------------------------------------------------------===*/

/* A tensor that keeps the memory alive, with the lists it points to. */
struct exported {
  struct dl_managed_tensor managed;
  int64_t shape[MAX_NDIM], strides[MAX_NDIM];
};

static void release_exported(struct dl_managed_tensor *managed) {
  /* From any thread, with Python's lock or without. */
  PyGILState_STATE state = PyGILState_Ensure();
  Py_XDECREF((PyObject *)managed->context);
  PyGILState_Release(state);
  free(managed);
}

/* Nobody took the tensor out of its capsule. */
static void release_capsule(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor"))
    return;
  struct dl_managed_tensor *managed = PyCapsule_GetPointer(capsule, "dltensor");
  managed->deleter(managed);
}

static PyObject *memory_dlpack(PyObject *self, PyObject *arguments,
                               PyObject *names) {
  struct memory *memory = (struct memory *)self;
  struct exported *exported = calloc(1, sizeof *exported);
  (void)arguments;
  (void)names;
  if (!exported)
    return PyErr_NoMemory();
  struct dl_tensor *tensor = &exported->managed.tensor;
  tensor->data = memory->data;
  tensor->device_type = DLPACK_CPU;
  tensor->ndim = memory->ndim;
  tensor->type = memory->type;
  tensor->shape = exported->shape;
  tensor->strides = exported->strides;
  for (int i = 0; i < memory->ndim; ++i) {
    exported->shape[i] = memory->shape[i];
    exported->strides[i] = memory->strides[i] / memory->itemsize;
  }
  exported->managed.context = self;
  exported->managed.deleter = release_exported;
  PyObject *capsule =
      PyCapsule_New(&exported->managed, "dltensor", release_capsule);
  if (!capsule) {
    free(exported);
    return NULL;
  }
  Py_INCREF(self);
  return capsule;
}

static PyObject *memory_dlpack_device(PyObject *self, PyObject *arguments) {
  (void)self;
  (void)arguments;
  return Py_BuildValue("ii", DLPACK_CPU, 0);
}

int memory_add_type(PyObject *module) {
  static PyMethodDef methods[] = {
      {"__dlpack__", (PyCFunction)(void (*)(void))memory_dlpack,
       METH_VARARGS | METH_KEYWORDS, "The array as a DLPack capsule."},
      {"__dlpack_device__", memory_dlpack_device, METH_NOARGS,
       "DLPack's name of the CPU."},
      {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, (void *)memory_free},
      {Py_tp_methods, methods},
      {Py_tp_doc, "Memory of a result that is no numpy array."},
      {Py_bf_getbuffer, (void *)memory_get_buffer},
      {0, NULL}};
  static PyType_Spec spec = {"permc._permc.Memory", sizeof(struct memory), 0,
                             Py_TPFLAGS_DEFAULT, slots};
  memory_type = (PyTypeObject *)PyType_FromSpec(&spec);
  if (!memory_type)
    return -1;
  /* Results come from the module's functions only. */
  Py_INCREF(memory_type);
  if (PyModule_AddObject(module, "Memory", (PyObject *)memory_type) == 0)
    return 0;
  Py_DECREF(memory_type);
  return -1;
}
