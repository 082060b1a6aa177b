/*===- check_kernels.c - run compiled kernels against a plain loop --------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Linked with a file that defines `kernels`, a list of the NAME_info of all
|* kernels. Buffers have exactly the bytes they need, for AddressSanitizer to
|* watch their ends. With TRAP_MISALIGNED an x86 traps every misaligned access
|* while a kernel runs.
|*
\*===----------------------------------------------------------------------===*/

#include "permc-c/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const permc_kernel *const kernels[];

enum { PADDING = 0xEE };

static void trapMisaligned(int on) {
#if defined(TRAP_MISALIGNED) && defined(__i386__)
  if (on)
    __asm__ volatile("pushfl\n\torl $0x40000, (%%esp)\n\tpopfl" ::
                         : "memory", "cc");
  else
    __asm__ volatile("pushfl\n\tandl $~0x40000, (%%esp)\n\tpopfl" ::
                         : "memory", "cc");
#else
  (void)on;
#endif
}

/* Moves every element as the description says, one at a time. */
static void movePlainly(const permc_kernel *kernel, const uint8_t *src,
                        uint8_t *dst) {
  int64_t index[64] = {0};
  uint64_t count = 1, i;
  uint32_t d;
  for (d = 0; d < kernel->rank; ++d)
    count *= (uint64_t)kernel->shape[d];
  for (i = 0; i < count; ++i) {
    int64_t from = 0, to = 0;
    for (d = 0; d < kernel->rank; ++d) {
      int64_t last = kernel->shape[kernel->perm[d]] - 1;
      int64_t in = kernel->src_strides[kernel->perm[d]];
      int64_t out = kernel->dst_strides[d];
      /* Buffers begin with their lowest byte. */
      from += in < 0 ? (index[d] - last) * in : index[d] * in;
      to += out < 0 ? (index[d] - last) * out : index[d] * out;
    }
    memcpy(dst + to * kernel->element_bytes, src + from * kernel->element_bytes,
           kernel->element_bytes);
    for (d = kernel->rank; d-- > 0;) {
      if (++index[d] < kernel->shape[kernel->perm[d]])
        break;
      index[d] = 0;
    }
  }
}

static int checkAt(const permc_kernel *kernel, size_t srcShift, size_t dstShift,
                   uint32_t parts) {
  uint8_t *srcMemory = malloc(kernel->src_bytes + srcShift);
  uint8_t *dstMemory = malloc(kernel->dst_bytes + dstShift);
  uint8_t *expected = malloc(kernel->dst_bytes + 1);
  uint8_t *src = srcMemory + srcShift, *dst = dstMemory + dstShift;
  int wrong, round;
  uint32_t part;
  for (round = 0, wrong = 0; round < 3 && !wrong; ++round) {
    size_t i;
    for (i = 0; i < kernel->src_bytes; ++i)
      src[i] = (uint8_t)(i >> (8 * round));
    memset(expected, PADDING, kernel->dst_bytes);
    memset(dst, PADDING, kernel->dst_bytes);
    movePlainly(kernel, src, expected);
    trapMisaligned(1);
    if (parts == 0)
      kernel->run(src, dst);
    for (part = 0; part < parts; ++part)
      kernel->run_part(src, dst, part, parts);
    /* A share that does not exist. */
    kernel->run_part(src, dst, parts, parts);
    trapMisaligned(0);
    wrong = memcmp(expected, dst, kernel->dst_bytes) != 0;
  }
  if (wrong)
    printf("%s is wrong: src + %d, dst + %d, %u parts\n", kernel->name,
           (int)srcShift, (int)dstShift, (unsigned)parts);
  free(srcMemory);
  free(dstMemory);
  free(expected);
  return wrong;
}

int main(void) {
  static const size_t shifts[][2] = {{0, 0}, {1, 3}, {2, 2}, {4, 1}, {3, 0}};
  static const uint32_t parts[] = {1, 2, 3, 7, 100};
  int wrong = 0, checked = 0;
  size_t i;
  for (; kernels[checked]; ++checked) {
    const permc_kernel *kernel = kernels[checked];
    if (kernel->size != sizeof(permc_kernel)) {
      printf("%s has an info of another size\n", kernel->name);
      return 1;
    }
    for (i = 0; i < sizeof shifts / sizeof *shifts; ++i)
      wrong += checkAt(kernel, shifts[i][0], shifts[i][1], 0);
    for (i = 0; i < sizeof parts / sizeof *parts; ++i)
      wrong += checkAt(kernel, 0, 0, parts[i]);
  }
  printf("%d kernels, %d wrong\n", checked, wrong);
  return wrong != 0 || checked == 0;
}
