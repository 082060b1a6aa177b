/*===- check_kernel.h - checks kernels against a plain loop --------*- C
-*-===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* Every kernel gets random bytes at several alignments. All of dst is compared,
|* with the padding and some bytes before and after.
|*
\*===----------------------------------------------------------------------===*/

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_rank = 8, margin = 128, line = 64 };

/* What was asked for; sizes and strides by output dim, strides in elements. */
struct kernel_check {
  const permc_kernel *info;
  void (*run)(const void *src, void *dst);
  void (*run_part)(const void *src, void *dst, uint32_t part, uint32_t parts);
  int rank;
  size_t element;
  size_t sizes[max_rank];
  ptrdiff_t src[max_rank], dst[max_rank];
};

static size_t span(const struct kernel_check *check, const ptrdiff_t *strides) {
  size_t last = 0;
  for (int i = 0; i < check->rank; ++i)
    last += (check->sizes[i] - 1) *
            (size_t)(strides[i] < 0 ? -strides[i] : strides[i]);
  return (last + 1) * check->element;
}

/* Where in its buffer the first element is. */
static size_t origin(const struct kernel_check *check,
                     const ptrdiff_t *strides) {
  size_t first = 0;
  for (int i = 0; i < check->rank; ++i)
    if (strides[i] < 0)
      first += (check->sizes[i] - 1) * (size_t)-strides[i];
  return first * check->element;
}

/* One element at a time, through the dims from `dim` on. */
static void plain_loop(const struct kernel_check *check, int dim,
                       const unsigned char *src, unsigned char *dst) {
  if (dim == check->rank) {
    memcpy(dst, src, check->element);
    return;
  }
  const ptrdiff_t element = (ptrdiff_t)check->element;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)check->sizes[dim]; ++i)
    plain_loop(check, dim + 1, src + i * check->src[dim] * element,
               dst + i * check->dst[dim] * element);
}

/* `parts` of 0: one call for all. */
static int is_right(const struct kernel_check *check, size_t src_offset,
                    size_t dst_offset, uint32_t parts) {
  const size_t src_bytes = span(check, check->src);
  const size_t dst_bytes = span(check, check->dst);
  const size_t all = dst_bytes + 2 * margin + line;
  unsigned char *src_memory = malloc(src_bytes + 2 * line);
  unsigned char *found = malloc(all), *expected = malloc(all);
  if (!src_memory || !found || !expected)
    abort();
  unsigned char *src =
      src_memory + line - (uintptr_t)src_memory % line + src_offset;
  const size_t start = margin + line - (uintptr_t)found % line + dst_offset;

  for (size_t i = 0; i < src_bytes; ++i)
    src[i] = (unsigned char)(rand() >> 7);
  memset(found, 0xA5, all);
  memset(expected, 0xA5, all);
  plain_loop(check, 0, src + origin(check, check->src),
             expected + start + origin(check, check->dst));
  if (parts == 0)
    check->run(src, found + start);
  for (uint32_t part = 0; part < parts; ++part)
    check->run_part(src, found + start, part, parts);
  const int right = memcmp(found, expected, all) == 0;
  if (!right)
    printf("%s: wrong at alignments %d and %d, in %d parts\n",
           check->info->name, (int)src_offset, (int)dst_offset, (int)parts);
  free(src_memory);
  free(found);
  free(expected);
  return right;
}

static int describes_itself(const struct kernel_check *check) {
  const permc_kernel *info = check->info;
  const int right =
      info->size == sizeof *info && info->rank == (uint32_t)check->rank &&
      info->element_bytes == check->element &&
      info->src_bytes == span(check, check->src) &&
      info->dst_bytes == span(check, check->dst) && info->run == check->run &&
      info->run_part == check->run_part;
  if (!right)
    printf("%s_info is wrong\n", info->name);
  return right;
}

static int check_kernels(const struct kernel_check *checks, size_t count) {
  static const size_t offsets[][2] = {{0, 0}, {1, 0}, {0, 1}, {4, 8}, {3, 61}};
  static const uint32_t part_counts[] = {0, 1, 2, 3, 7, 100};
  size_t right = 0;
  for (size_t i = 0; i < count; ++i) {
    int all = describes_itself(&checks[i]);
    for (size_t j = 0; j < sizeof offsets / sizeof offsets[0]; ++j)
      for (size_t k = 0; k < sizeof part_counts / sizeof part_counts[0]; ++k)
        all &=
            is_right(&checks[i], offsets[j][0], offsets[j][1], part_counts[k]);
    right += (size_t)all;
  }
  printf("%d kernels right\n", (int)right);
  return right == count ? 0 : 1;
}
