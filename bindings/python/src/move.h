/*===- move.h - the elements of one view to another -------------*- C -*-===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_PYTHON_MOVE_H
#define PERMC_PYTHON_MOVE_H

#include "view.h"

#include <permc-c/status.h>

/* Moves every element of src to the place of the same indices in dst, which has
 * the same shape. Large arrays are moved without Python's lock. */
int move(const struct view *src, const struct view *dst, uint32_t threads);

/* Both have one shape, or a ValueError is raised. */
int check_shapes(const struct view *src, const struct view *dst);

/* The exception for a status of the library, with its message; 0 for
 * PERMC_OK. */
int raise_status(permc_status status, const char *message);

/* Below this many bytes giving Python's lock away takes longer than the move.
 */
#define MIN_UNLOCKED_BYTES (32 << 10)

#endif /* PERMC_PYTHON_MOVE_H */
