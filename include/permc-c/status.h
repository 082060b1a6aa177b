/*===- status.h - what permc's functions return -----------------*- C -*-===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* The statuses of the library (permc.h) and of the run-time shim (permc_rt.h).
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_STATUS_H
#define PERMC_STATUS_H

#include <stdint.h>

/* What a call that can fail returns. On failure nothing has been written but
 * the message. */
typedef int32_t permc_status;
enum {
  PERMC_OK = 0,
  PERMC_BAD_RANK = 1,       /* order and shape (or strides) differ in length */
  PERMC_DUPLICATE_AXIS = 2, /* an axis is named twice */
  PERMC_AXIS_OUT_OF_RANGE = 3,   /* an axis is below 0 or past the last */
  PERMC_BAD_SIZE = 4,            /* a negative dim, a buffer too small */
  PERMC_SIZE_OVERFLOW = 5,       /* a product or an offset needs over 63 bits */
  PERMC_BAD_ELEMENT = 6,         /* an element size that does not exist */
  PERMC_BAD_STRIDE = 7,          /* elements of dst would overlap */
  PERMC_BAD_SYNTAX = 8,          /* text that could not be read */
  PERMC_OVERLAPPING_BUFFERS = 9, /* src and dst share bytes */
  PERMC_NULL_POINTER = 10,       /* something is missing */
  PERMC_BAD_SCHEDULE = 11,       /* a schedule that does not fit its problem */
  PERMC_UNKNOWN_TARGET = 12,     /* no target of that name */
  PERMC_UNSUPPORTED = 13,        /* valid, but this machine or version cannot */
  PERMC_BAD_FILE = 14,           /* a folder or file that cannot be used */
  PERMC_VERIFY_FAILED = 15, /* a compiled kernel moved an element wrongly */
  PERMC_INTERNAL = 16       /* a defect of permc itself, or no memory */
};

#endif /* PERMC_STATUS_H */
