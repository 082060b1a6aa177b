/*===- check.h - what a check of kernels in an emulator consists of -------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* A program that checks kernels is four files: check.c, a list of what was
|* asked for, the machine (linux.c or cortex_m.c), and the kernels themselves.
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_EMULATION_CHECK_H
#define PERMC_EMULATION_CHECK_H

#include "kernel.h"

#include <stddef.h>

/* What was asked for: sizes by output dim, strides in bytes by output dim. */
struct asked {
  const char *name;
  const permc_kernel *info;
  void (*run)(const void *src, void *dst);
  void (*run_part)(const void *src, void *dst, uint32_t part, uint32_t parts);
  uint32_t rank, element;
  const int64_t *sizes, *src_strides, *dst_strides;
  /* A kernel with dynamic dims has an entry for each choice of them, one after
   * the other, and these in the place of run and run_part. */
  uint32_t dynamic_dims;
  const int64_t *dims;
  void (*run_dynamic)(const void *src, void *dst, const int64_t *dims);
  void (*run_dynamic_part)(const void *src, void *dst, const int64_t *dims,
                           uint32_t part, uint32_t parts);
};

/* The list, and its end: an entry without a name. */
extern const struct asked asked[];

/* The machine: memory between bytes that must not be touched, of which it can
 * tell, and a way to say something. */
enum side { SRC, DST, EXPECTED, SIDES };

/* Bytes that a machine without guard pages leaves free round a buffer. */
extern const size_t machine_margin;

/* At least `bytes` bytes for a side, until the next call for it; `bytes`
 * becomes their number. NULL if there are none. Both ends touch a guard page.
 */
unsigned char *machine_memory(enum side side, size_t *bytes);
/* Whether a side may be written. */
void machine_protect(enum side side, int read_only);
void machine_print(const char *text);

/* Checks all kernels; 0 if all are right. */
int check_all(void);

void check_print_number(size_t number);

/* Prints what is being run, for the message of a machine that traps. */
void check_print_running(void);

#endif
