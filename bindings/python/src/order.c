/*===- order.c - orders of dims -------------------------------------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Letters are those of `permc --perm`: "nhwc->nchw", or words with spaces
|* between them, "batch row column -> batch column row".
|*
\*===----------------------------------------------------------------------===*/

#include "order.h"

#include <string.h>

/*===-- Numbers -----------------------------------------------------------===*/

int read_integers(PyObject *list, const char *name, int64_t *numbers,
                  int *count) {
  Py_ssize_t size = PySequence_Size(list);
  if (size < 0)
    return -1;
  if (size > MAX_NDIM) {
    PyErr_Format(PyExc_ValueError, "%s has %zd entries; expected at most %d",
                 name, size, MAX_NDIM);
    return -1;
  }
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject *item = PySequence_GetItem(list, i);
    if (!item)
      return -1;
    numbers[i] = PyNumber_AsSsize_t(item, PyExc_OverflowError);
    Py_DECREF(item);
    if (numbers[i] == -1 && PyErr_Occurred())
      return -1;
  }
  *count = (int)size;
  return 0;
}

static int read_axes(PyObject *given, int ndim, int64_t *axes) {
  int count;
  if (read_integers(given, "axes", axes, &count) != 0)
    return -1;
  if (count != ndim) {
    PyErr_Format(PyExc_ValueError,
                 "the order %R has %d axes; expected %d, one for each dim",
                 given, count, ndim);
    return -1;
  }
  uint64_t seen = 0;
  for (int i = 0; i < ndim; ++i) {
    if (axes[i] < -ndim || axes[i] >= ndim) {
      PyErr_Format(PyExc_ValueError,
                   "axis %lld in the order %R; expected %d to %d",
                   (long long)axes[i], given, -ndim, ndim - 1);
      return -1;
    }
    axes[i] += axes[i] < 0 ? ndim : 0;
    if (seen >> axes[i] & 1) {
      PyErr_Format(PyExc_ValueError,
                   "axis %lld twice in the order %R; expected each axis once",
                   (long long)axes[i], given);
      return -1;
    }
    seen |= (uint64_t)1 << axes[i];
  }
  return 0;
}

/*===-- Letters -----------------------------------------------------------===*/

struct name {
  const char *text;
  size_t size;
};

/* The names on one side of the arrow. */
struct side {
  struct name names[MAX_NDIM];
  int count;
};

static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static int is_part_of_name(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

static int find(const struct side *side, struct name name) {
  for (int i = 0; i < side->count; ++i)
    if (side->names[i].size == name.size &&
        memcmp(side->names[i].text, name.text, name.size) == 0)
      return i;
  return -1;
}

static int refuse(PyObject *given, const char *what) {
  PyErr_Format(PyExc_ValueError,
               "the order %R %s; expected a letter for each dim on both sides "
               "of one '->', as in 'hwc->chw', or a sequence of axes",
               given, what);
  return -1;
}

/* Without spaces each letter is a name. */
static int read_side(PyObject *given, const char *text, const char *end,
                     struct side *side) {
  while (text < end && *text == ' ')
    ++text;
  while (text < end && end[-1] == ' ')
    --end;
  const int are_words = memchr(text, ' ', (size_t)(end - text)) != NULL;
  side->count = 0;
  while (text < end) {
    struct name name = {text, 1};
    if (!is_letter(*text))
      return refuse(given, "has what is no letter");
    while (are_words && text + name.size < end &&
           is_part_of_name(text[name.size]))
      ++name.size;
    if (find(side, name) >= 0)
      return refuse(given, "names a dim twice");
    if (side->count == MAX_NDIM)
      return refuse(given, "names too many dims");
    side->names[side->count++] = name;
    for (text += name.size; text < end && *text == ' ';)
      ++text;
  }
  return 0;
}

static int read_letters(PyObject *given, const char *text, int ndim,
                        int64_t *axes) {
  const char *arrow = strstr(text, "->");
  struct side from, to;
  if (!arrow)
    return refuse(given, "has no '->'");
  if (read_side(given, text, arrow, &from) != 0 ||
      read_side(given, arrow + 2, text + strlen(text), &to) != 0)
    return -1;
  if (from.count != ndim) {
    PyErr_Format(PyExc_ValueError,
                 "the order %R names %d dims on the left; the array has %d",
                 given, from.count, ndim);
    return -1;
  }
  if (to.count != ndim)
    return refuse(given, "has another number of dims on the right");
  for (int i = 0; i < ndim; ++i) {
    axes[i] = find(&from, to.names[i]);
    if (axes[i] < 0)
      return refuse(given, "names a dim on the right only");
  }
  return 0;
}

int read_order(PyObject *given, int ndim, int64_t *axes) {
  if (!given) {
    for (int i = 0; i < ndim; ++i)
      axes[i] = ndim - 1 - i;
    return 0;
  }
  if (!PyUnicode_Check(given))
    return read_axes(given, ndim, axes);
  PyObject *text = PyUnicode_AsUTF8String(given);
  if (!text)
    return -1;
  int ok = read_letters(given, PyBytes_AsString(text), ndim, axes);
  Py_DECREF(text);
  return ok;
}
