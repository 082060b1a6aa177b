/* Made by permc for arc-hs. Do not edit.
 *
 * embARC MLI's permute kernels: mli_krn_permute_fx8, _fx16 and _sa8. Shapes that
 * were compiled have kernels of their own, all others go through a plain loop. */

/* Define PERMC_MLI_INCLUDE as your MLI header, such as
 * -DPERMC_MLI_INCLUDE='<mli_types.h>', if it is not "mli_api.h". */
#ifndef PERMC_MLI_INCLUDE
#define PERMC_MLI_INCLUDE "mli_api.h"
#endif
#include PERMC_MLI_INCLUDE

/* 0 leaves out all checks, for release builds: bad arguments are then the
 * caller's fault. */
#ifndef PERMC_MLI_CHECKS
#define PERMC_MLI_CHECKS 1
#endif

/* 1 computes a mem_stride of 0 from the shape, as MLI's manual says; MLI's own
 * kernels refuse it. */
#ifndef PERMC_MLI_ZERO_STRIDES
#define PERMC_MLI_ZERO_STRIDES 0
#endif

#include <stddef.h>
#include <stdint.h>

/* Words are copied, not cast: to C, bytes are no words. Compilers make one
 * instruction of a copy. */
#if defined(__GNUC__)
#define PERMC_COPY __builtin_memcpy
#define PERMC_ALIGNED(p, bytes) __builtin_assume_aligned((p), (bytes))
#else
#include <string.h>
#define PERMC_COPY memcpy
#define PERMC_ALIGNED(p, bytes) (p)
#endif

/* The loops are as far unrolled as they should be. GCC is kept from two things:
 * to keep words on the stack that two rounds of a loop could share, and to call
 * memmove for a loop that copies. At -Os it does neither. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#if !defined(__OPTIMIZE_SIZE__)
#pragma GCC optimize("no-predictive-commoning")
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif
#define PERMC_NO_UNROLL _Pragma("GCC unroll 1")
#else
#define PERMC_NO_UNROLL
#endif

#define PERMC_IS_ALIGNED(p, bytes) (((uintptr_t)(p) & ((bytes) - 1)) == 0)

/* Code that takes words apart expects the first byte in the lowest place. */
#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
#define PERMC_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#else
#define PERMC_LITTLE_ENDIAN 0
#endif

/* Without this GCC loads the two halves of a register pair one by one. */
#if defined(__arc__) && defined(__GNUC__)
#define PERMC_IN_ONE_PIECE(word) __asm__("" : : "r"(word))
#else
#define PERMC_IN_ONE_PIECE(word) ((void)0)
#endif

static inline uint32_t permc_load8(const uint8_t *p, size_t offset) {
  return p[offset];
}

static inline uint32_t permc_load16_any(const uint8_t *p, size_t offset) {
  uint16_t word;
  PERMC_COPY(&word, p + offset, sizeof word);
  return word;
}

static inline uint64_t permc_load64(const uint8_t *p, size_t offset) {
  uint64_t word;
  PERMC_COPY(&word, PERMC_ALIGNED(p + offset, 4), sizeof word);
  PERMC_IN_ONE_PIECE(word);
  return word;
}

static inline void permc_store8(uint8_t *p, size_t offset, uint32_t value) {
  p[offset] = (uint8_t)value;
}

static inline void permc_store16_any(uint8_t *p, size_t offset, uint32_t value) {
  uint16_t word = (uint16_t)value;
  PERMC_COPY(p + offset, &word, sizeof word);
}

static inline void permc_store32_any(uint8_t *p, size_t offset, uint32_t value) {
  uint32_t word = (uint32_t)value;
  PERMC_COPY(p + offset, &word, sizeof word);
}


/* A permute as the specialised kernels are looked up. Strides are in elements,
 * in_stride by input dim, out_stride by output dim. */
typedef struct {
  uint32_t element_bytes, rank;
  uint32_t shape[4], perm[4], in_stride[4], out_stride[4];
} permc_mli_permute;

typedef struct {
  permc_mli_permute permute;
  void (*run)(const void *src, void *dst);
} permc_mli_kernel;

/* image_to_planes: 32x32x3 i8 by [2, 0, 1], giving 3x32x32
 * moved as 1024x3 1-byte elements by [1, 0]
 * #permc.schedule<word_transpose, tile = [3, 16], loops = [1 : 16], units = 1, vector = 8> */

enum {
  image_to_planes_SRC_STRIDE_0 = 1,
  image_to_planes_DST_STRIDE_0 = 1024,
  image_to_planes_SRC_STRIDE_1 = 3,
  image_to_planes_DST_STRIDE_1 = 1,
  image_to_planes_UNITS = 64,
  image_to_planes_UNIT_GROUP = 4,
  image_to_planes_UNIT_GROUPS = 16
};

static void image_to_planes_words(const uint8_t *restrict src, uint8_t *restrict dst, uint32_t first, uint32_t end) {
  const uint8_t *s = (const uint8_t *) src;
  uint8_t *d = (uint8_t *) dst;
  const uint8_t *first_s = s + first * 16 * image_to_planes_SRC_STRIDE_1;
  uint8_t *first_d = d + first * 16 * image_to_planes_DST_STRIDE_1;
  uint8_t *column_1 = first_d + image_to_planes_DST_STRIDE_0;
  uint8_t *column_2 = first_d + 2 * image_to_planes_DST_STRIDE_0;
  const uint8_t *src1 = first_s;
  uint8_t *dst1_0 = first_d;
  uint8_t *dst1_1 = column_1;
  uint8_t *dst1_2 = column_2;
  PERMC_NO_UNROLL
  for (uint32_t i1 = first; i1 < end; i1 += 1) {
    const uint8_t *s1 = src1;
    uint8_t *d1_0 = dst1_0;
    uint8_t *d1_1 = dst1_1;
    uint8_t *d1_2 = dst1_2;
    uint64_t pair = permc_load64(s1, 13 * image_to_planes_SRC_STRIDE_1 + 1);
    uint32_t high = (uint32_t) (pair >> 32);
    permc_store16_any(d1_0, 14, high);
    uint32_t shifted = high >> 16;
    permc_store8(d1_1, 15, shifted);
    permc_store16_any(d1_2, 14, shifted);
    uint32_t low = (uint32_t) pair;
    uint32_t shifted_2 = low >> 16;
    permc_store8(d1_0, 14, shifted_2);
    permc_store16_any(d1_1, 13, shifted_2);
    permc_store8(d1_2, 14, high);
    permc_store8(d1_1, 13, low);
    permc_store16_any(d1_2, 12, low);
    uint64_t pair_2 = permc_load64(s1, 10 * image_to_planes_SRC_STRIDE_1 + 2);
    uint32_t high_2 = (uint32_t) (pair_2 >> 32);
    uint32_t shifted_3 = high_2 >> 16;
    permc_store16_any(d1_0, 12, shifted_3);
    permc_store8(d1_0, 12, high_2);
    permc_store16_any(d1_1, 11, high_2);
    permc_store8(d1_2, 12, shifted_3);
    uint32_t low_2 = (uint32_t) pair_2;
    permc_store16_any(d1_0, 10, low_2);
    uint32_t shifted_4 = low_2 >> 16;
    permc_store8(d1_1, 11, shifted_4);
    permc_store16_any(d1_2, 10, shifted_4);
    permc_store8(d1_2, 10, low_2);
    uint64_t pair_3 = permc_load64(s1, 8 * image_to_planes_SRC_STRIDE_1);
    uint32_t high_3 = (uint32_t) (pair_3 >> 32);
    uint32_t shifted_5 = high_3 >> 16;
    permc_store8(d1_0, 10, shifted_5);
    permc_store16_any(d1_1, 9, shifted_5);
    uint32_t low_3 = (uint32_t) pair_3;
    uint32_t shifted_6 = low_3 >> 16;
    permc_store16_any(d1_0, 8, shifted_6);
    permc_store8(d1_1, 9, high_3);
    permc_store16_any(d1_2, 8, high_3);
    permc_store8(d1_0, 8, low_3);
    permc_store16_any(d1_1, 7, low_3);
    permc_store8(d1_2, 8, shifted_6);
    uint64_t pair_4 = permc_load64(s1, 5 * image_to_planes_SRC_STRIDE_1 + 1);
    uint32_t high_4 = (uint32_t) (pair_4 >> 32);
    permc_store16_any(d1_0, 6, high_4);
    uint32_t shifted_7 = high_4 >> 16;
    permc_store8(d1_1, 7, shifted_7);
    permc_store16_any(d1_2, 6, shifted_7);
    uint32_t low_4 = (uint32_t) pair_4;
    uint32_t shifted_8 = low_4 >> 16;
    permc_store8(d1_0, 6, shifted_8);
    permc_store16_any(d1_1, 5, shifted_8);
    permc_store8(d1_2, 6, high_4);
    permc_store8(d1_1, 5, low_4);
    permc_store16_any(d1_2, 4, low_4);
    uint64_t pair_5 = permc_load64(s1, 2 * image_to_planes_SRC_STRIDE_1 + 2);
    uint32_t high_5 = (uint32_t) (pair_5 >> 32);
    uint32_t shifted_9 = high_5 >> 16;
    permc_store16_any(d1_0, 4, shifted_9);
    permc_store8(d1_0, 4, high_5);
    permc_store16_any(d1_1, 3, high_5);
    permc_store8(d1_2, 4, shifted_9);
    uint32_t low_5 = (uint32_t) pair_5;
    permc_store16_any(d1_0, 2, low_5);
    uint32_t shifted_10 = low_5 >> 16;
    permc_store8(d1_1, 3, shifted_10);
    permc_store16_any(d1_2, 2, shifted_10);
    permc_store8(d1_2, 2, low_5);
    uint64_t pair_6 = permc_load64(s1, 0);
    uint32_t high_6 = (uint32_t) (pair_6 >> 32);
    uint32_t shifted_11 = high_6 >> 16;
    permc_store8(d1_0, 2, shifted_11);
    permc_store16_any(d1_1, 1, shifted_11);
    uint32_t low_6 = (uint32_t) pair_6;
    uint32_t shifted_12 = low_6 >> 16;
    permc_store16_any(d1_0, 0, shifted_12);
    permc_store8(d1_1, 1, high_6);
    permc_store16_any(d1_2, 0, high_6);
    permc_store8(d1_0, 0, low_6);
    uint32_t shifted_13 = low_6 >> 8;
    permc_store8(d1_1, 0, shifted_13);
    permc_store8(d1_2, 0, shifted_12);
    src1 = s1 + 16 * image_to_planes_SRC_STRIDE_1;
    dst1_0 = d1_0 + 16 * image_to_planes_DST_STRIDE_1;
    dst1_1 = d1_1 + 16 * image_to_planes_DST_STRIDE_1;
    dst1_2 = d1_2 + 16 * image_to_planes_DST_STRIDE_1;
  }
}

static void image_to_planes_elements(const uint8_t *restrict src, uint8_t *restrict dst, uint32_t first, uint32_t end) {
  const uint8_t *s = (const uint8_t *) src;
  uint8_t *d = (uint8_t *) dst;
  const uint8_t *first_s = s + first * 16 * image_to_planes_SRC_STRIDE_1;
  uint8_t *first_d = d + first * 16 * image_to_planes_DST_STRIDE_1;
  const uint8_t *src1 = first_s;
  uint8_t *dst1 = first_d;
  PERMC_NO_UNROLL
  for (uint32_t i1 = first; i1 < end; i1 += 1) {
    const uint8_t *s1 = src1;
    uint8_t *d1 = dst1;
    const uint8_t *src2 = s1;
    uint8_t *dst2 = d1;
    PERMC_NO_UNROLL
    for (uint32_t i2 = 0; i2 < 3; i2 += 1) {
      const uint8_t *s2 = src2;
      uint8_t *d2 = dst2;
      const uint8_t *src3 = s2;
      uint8_t *dst3 = d2;
      PERMC_NO_UNROLL
      for (uint32_t i3 = 0; i3 < 16; i3 += 1) {
        const uint8_t *s3 = src3;
        uint8_t *d3 = dst3;
        uint32_t word = permc_load8(s3, 0);
        permc_store8(d3, 0, word);
        src3 = s3 + image_to_planes_SRC_STRIDE_1;
        dst3 = d3 + image_to_planes_DST_STRIDE_1;
      }
      src2 = s2 + image_to_planes_SRC_STRIDE_0;
      dst2 = d2 + image_to_planes_DST_STRIDE_0;
    }
    src1 = s1 + 16 * image_to_planes_SRC_STRIDE_1;
    dst1 = d1 + 16 * image_to_planes_DST_STRIDE_1;
  }
}

static void image_to_planes_units(const void *src, void *dst,
    uint32_t first, uint32_t end) {
  if (PERMC_LITTLE_ENDIAN && PERMC_IS_ALIGNED(src, 4))
    image_to_planes_words(src, dst, first, end);
  else
    image_to_planes_elements(src, dst, first, end);
}

static void image_to_planes(const void *src, void *dst) {
  image_to_planes_units(src, dst, 0, image_to_planes_UNITS);
}

/* features_to_planes: 16x16x32 i8 by [2, 0, 1], giving 32x16x16
 * moved as 256x32 1-byte elements by [1, 0]
 * #permc.schedule<word_transpose, tile = [8, 16], loops = [0 : 8, 1 : 16], units = 1, vector = 8> */

enum {
  features_to_planes_SRC_STRIDE_0 = 1,
  features_to_planes_DST_STRIDE_0 = 256,
  features_to_planes_SRC_STRIDE_1 = 32,
  features_to_planes_DST_STRIDE_1 = 1,
  features_to_planes_UNITS = 4,
  features_to_planes_UNIT_GROUP = 1,
  features_to_planes_UNIT_GROUPS = 4
};

static void features_to_planes_words(const uint8_t *restrict src, uint8_t *restrict dst, uint32_t first, uint32_t end) {
  const uint8_t *s = (const uint8_t *) src;
  uint8_t *d = (uint8_t *) dst;
  const uint8_t *first_s = s + first * 8 * features_to_planes_SRC_STRIDE_0;
  uint8_t *first_d = d + first * 8 * features_to_planes_DST_STRIDE_0;
  const uint8_t *src1 = first_s;
  uint8_t *dst1 = first_d;
  PERMC_NO_UNROLL
  for (uint32_t i1 = first; i1 < end; i1 += 1) {
    const uint8_t *s1 = src1;
    uint8_t *d1 = dst1;
    uint8_t *column_1 = d1 + features_to_planes_DST_STRIDE_0;
    uint8_t *column_2 = d1 + 2 * features_to_planes_DST_STRIDE_0;
    uint8_t *column_3 = d1 + 3 * features_to_planes_DST_STRIDE_0;
    uint8_t *column_4 = d1 + 4 * features_to_planes_DST_STRIDE_0;
    uint8_t *column_5 = d1 + 5 * features_to_planes_DST_STRIDE_0;
    uint8_t *column_6 = d1 + 6 * features_to_planes_DST_STRIDE_0;
    uint8_t *column_7 = d1 + 7 * features_to_planes_DST_STRIDE_0;
    const uint8_t *src2 = s1;
    uint8_t *dst2_0 = d1;
    uint8_t *dst2_1 = column_1;
    uint8_t *dst2_2 = column_2;
    uint8_t *dst2_3 = column_3;
    uint8_t *dst2_4 = column_4;
    uint8_t *dst2_5 = column_5;
    uint8_t *dst2_6 = column_6;
    uint8_t *dst2_7 = column_7;
    PERMC_NO_UNROLL
    for (uint32_t i2 = 0; i2 < 16; i2 += 1) {
      const uint8_t *s2 = src2;
      uint8_t *d2_0 = dst2_0;
      uint8_t *d2_1 = dst2_1;
      uint8_t *d2_2 = dst2_2;
      uint8_t *d2_3 = dst2_3;
      uint8_t *d2_4 = dst2_4;
      uint8_t *d2_5 = dst2_5;
      uint8_t *d2_6 = dst2_6;
      uint8_t *d2_7 = dst2_7;
      uint64_t pair = permc_load64(s2, 15 * features_to_planes_SRC_STRIDE_1);
      uint32_t low = (uint32_t) pair;
      permc_store8(d2_0, 15, low);
      permc_store16_any(d2_1, 14, low);
      uint32_t shifted = low >> 16;
      permc_store8(d2_2, 15, shifted);
      permc_store16_any(d2_3, 14, shifted);
      uint32_t high = (uint32_t) (pair >> 32);
      permc_store8(d2_4, 15, high);
      permc_store16_any(d2_5, 14, high);
      uint32_t shifted_2 = high >> 16;
      permc_store8(d2_6, 15, shifted_2);
      permc_store16_any(d2_7, 14, shifted_2);
      uint64_t pair_2 = permc_load64(s2, 14 * features_to_planes_SRC_STRIDE_1);
      uint32_t low_2 = (uint32_t) pair_2;
      permc_store8(d2_0, 14, low_2);
      permc_store16_any(d2_1, 13, low_2);
      uint32_t shifted_3 = low_2 >> 16;
      permc_store8(d2_2, 14, shifted_3);
      permc_store16_any(d2_3, 13, shifted_3);
      uint32_t high_2 = (uint32_t) (pair_2 >> 32);
      permc_store8(d2_4, 14, high_2);
      permc_store16_any(d2_5, 13, high_2);
      uint32_t shifted_4 = high_2 >> 16;
      permc_store8(d2_6, 14, shifted_4);
      permc_store16_any(d2_7, 13, shifted_4);
      uint64_t pair_3 = permc_load64(s2, 13 * features_to_planes_SRC_STRIDE_1);
      uint32_t low_3 = (uint32_t) pair_3;
      permc_store8(d2_0, 13, low_3);
      permc_store16_any(d2_1, 12, low_3);
      uint32_t shifted_5 = low_3 >> 16;
      permc_store8(d2_2, 13, shifted_5);
      permc_store16_any(d2_3, 12, shifted_5);
      uint32_t high_3 = (uint32_t) (pair_3 >> 32);
      permc_store8(d2_4, 13, high_3);
      permc_store16_any(d2_5, 12, high_3);
      uint32_t shifted_6 = high_3 >> 16;
      permc_store8(d2_6, 13, shifted_6);
      permc_store16_any(d2_7, 12, shifted_6);
      uint64_t pair_4 = permc_load64(s2, 12 * features_to_planes_SRC_STRIDE_1);
      uint32_t low_4 = (uint32_t) pair_4;
      permc_store8(d2_0, 12, low_4);
      permc_store16_any(d2_1, 11, low_4);
      uint32_t shifted_7 = low_4 >> 16;
      permc_store8(d2_2, 12, shifted_7);
      permc_store16_any(d2_3, 11, shifted_7);
      uint32_t high_4 = (uint32_t) (pair_4 >> 32);
      permc_store8(d2_4, 12, high_4);
      permc_store16_any(d2_5, 11, high_4);
      uint32_t shifted_8 = high_4 >> 16;
      permc_store8(d2_6, 12, shifted_8);
      permc_store16_any(d2_7, 11, shifted_8);
      uint64_t pair_5 = permc_load64(s2, 11 * features_to_planes_SRC_STRIDE_1);
      uint32_t low_5 = (uint32_t) pair_5;
      permc_store8(d2_0, 11, low_5);
      permc_store16_any(d2_1, 10, low_5);
      uint32_t shifted_9 = low_5 >> 16;
      permc_store8(d2_2, 11, shifted_9);
      permc_store16_any(d2_3, 10, shifted_9);
      uint32_t high_5 = (uint32_t) (pair_5 >> 32);
      permc_store8(d2_4, 11, high_5);
      permc_store16_any(d2_5, 10, high_5);
      uint32_t shifted_10 = high_5 >> 16;
      permc_store8(d2_6, 11, shifted_10);
      permc_store16_any(d2_7, 10, shifted_10);
      uint64_t pair_6 = permc_load64(s2, 10 * features_to_planes_SRC_STRIDE_1);
      uint32_t low_6 = (uint32_t) pair_6;
      permc_store8(d2_0, 10, low_6);
      permc_store16_any(d2_1, 9, low_6);
      uint32_t shifted_11 = low_6 >> 16;
      permc_store8(d2_2, 10, shifted_11);
      permc_store16_any(d2_3, 9, shifted_11);
      uint32_t high_6 = (uint32_t) (pair_6 >> 32);
      permc_store8(d2_4, 10, high_6);
      permc_store16_any(d2_5, 9, high_6);
      uint32_t shifted_12 = high_6 >> 16;
      permc_store8(d2_6, 10, shifted_12);
      permc_store16_any(d2_7, 9, shifted_12);
      uint64_t pair_7 = permc_load64(s2, 9 * features_to_planes_SRC_STRIDE_1);
      uint32_t low_7 = (uint32_t) pair_7;
      permc_store8(d2_0, 9, low_7);
      permc_store16_any(d2_1, 8, low_7);
      uint32_t shifted_13 = low_7 >> 16;
      permc_store8(d2_2, 9, shifted_13);
      permc_store16_any(d2_3, 8, shifted_13);
      uint32_t high_7 = (uint32_t) (pair_7 >> 32);
      permc_store8(d2_4, 9, high_7);
      permc_store16_any(d2_5, 8, high_7);
      uint32_t shifted_14 = high_7 >> 16;
      permc_store8(d2_6, 9, shifted_14);
      permc_store16_any(d2_7, 8, shifted_14);
      uint64_t pair_8 = permc_load64(s2, 8 * features_to_planes_SRC_STRIDE_1);
      uint32_t low_8 = (uint32_t) pair_8;
      permc_store8(d2_0, 8, low_8);
      permc_store16_any(d2_1, 7, low_8);
      uint32_t shifted_15 = low_8 >> 16;
      permc_store8(d2_2, 8, shifted_15);
      permc_store16_any(d2_3, 7, shifted_15);
      uint32_t high_8 = (uint32_t) (pair_8 >> 32);
      permc_store8(d2_4, 8, high_8);
      permc_store16_any(d2_5, 7, high_8);
      uint32_t shifted_16 = high_8 >> 16;
      permc_store8(d2_6, 8, shifted_16);
      permc_store16_any(d2_7, 7, shifted_16);
      uint64_t pair_9 = permc_load64(s2, 7 * features_to_planes_SRC_STRIDE_1);
      uint32_t low_9 = (uint32_t) pair_9;
      permc_store8(d2_0, 7, low_9);
      permc_store16_any(d2_1, 6, low_9);
      uint32_t shifted_17 = low_9 >> 16;
      permc_store8(d2_2, 7, shifted_17);
      permc_store16_any(d2_3, 6, shifted_17);
      uint32_t high_9 = (uint32_t) (pair_9 >> 32);
      permc_store8(d2_4, 7, high_9);
      permc_store16_any(d2_5, 6, high_9);
      uint32_t shifted_18 = high_9 >> 16;
      permc_store8(d2_6, 7, shifted_18);
      permc_store16_any(d2_7, 6, shifted_18);
      uint64_t pair_10 = permc_load64(s2, 6 * features_to_planes_SRC_STRIDE_1);
      uint32_t low_10 = (uint32_t) pair_10;
      permc_store8(d2_0, 6, low_10);
      permc_store16_any(d2_1, 5, low_10);
      uint32_t shifted_19 = low_10 >> 16;
      permc_store8(d2_2, 6, shifted_19);
      permc_store16_any(d2_3, 5, shifted_19);
      uint32_t high_10 = (uint32_t) (pair_10 >> 32);
      permc_store8(d2_4, 6, high_10);
      permc_store16_any(d2_5, 5, high_10);
      uint32_t shifted_20 = high_10 >> 16;
      permc_store8(d2_6, 6, shifted_20);
      permc_store16_any(d2_7, 5, shifted_20);
      uint64_t pair_11 = permc_load64(s2, 5 * features_to_planes_SRC_STRIDE_1);
      uint32_t low_11 = (uint32_t) pair_11;
      permc_store8(d2_0, 5, low_11);
      permc_store16_any(d2_1, 4, low_11);
      uint32_t shifted_21 = low_11 >> 16;
      permc_store8(d2_2, 5, shifted_21);
      permc_store16_any(d2_3, 4, shifted_21);
      uint32_t high_11 = (uint32_t) (pair_11 >> 32);
      permc_store8(d2_4, 5, high_11);
      permc_store16_any(d2_5, 4, high_11);
      uint32_t shifted_22 = high_11 >> 16;
      permc_store8(d2_6, 5, shifted_22);
      permc_store16_any(d2_7, 4, shifted_22);
      uint64_t pair_12 = permc_load64(s2, 4 * features_to_planes_SRC_STRIDE_1);
      uint32_t low_12 = (uint32_t) pair_12;
      permc_store8(d2_0, 4, low_12);
      permc_store16_any(d2_1, 3, low_12);
      uint32_t shifted_23 = low_12 >> 16;
      permc_store8(d2_2, 4, shifted_23);
      permc_store16_any(d2_3, 3, shifted_23);
      uint32_t high_12 = (uint32_t) (pair_12 >> 32);
      permc_store8(d2_4, 4, high_12);
      permc_store16_any(d2_5, 3, high_12);
      uint32_t shifted_24 = high_12 >> 16;
      permc_store8(d2_6, 4, shifted_24);
      permc_store16_any(d2_7, 3, shifted_24);
      uint64_t pair_13 = permc_load64(s2, 3 * features_to_planes_SRC_STRIDE_1);
      uint32_t low_13 = (uint32_t) pair_13;
      permc_store8(d2_0, 3, low_13);
      permc_store16_any(d2_1, 2, low_13);
      uint32_t shifted_25 = low_13 >> 16;
      permc_store8(d2_2, 3, shifted_25);
      permc_store16_any(d2_3, 2, shifted_25);
      uint32_t high_13 = (uint32_t) (pair_13 >> 32);
      permc_store8(d2_4, 3, high_13);
      permc_store16_any(d2_5, 2, high_13);
      uint32_t shifted_26 = high_13 >> 16;
      permc_store8(d2_6, 3, shifted_26);
      permc_store16_any(d2_7, 2, shifted_26);
      uint64_t pair_14 = permc_load64(s2, 2 * features_to_planes_SRC_STRIDE_1);
      uint32_t low_14 = (uint32_t) pair_14;
      permc_store8(d2_0, 2, low_14);
      permc_store16_any(d2_1, 1, low_14);
      uint32_t shifted_27 = low_14 >> 16;
      permc_store8(d2_2, 2, shifted_27);
      permc_store16_any(d2_3, 1, shifted_27);
      uint32_t high_14 = (uint32_t) (pair_14 >> 32);
      permc_store8(d2_4, 2, high_14);
      permc_store16_any(d2_5, 1, high_14);
      uint32_t shifted_28 = high_14 >> 16;
      permc_store8(d2_6, 2, shifted_28);
      permc_store16_any(d2_7, 1, shifted_28);
      uint64_t pair_15 = permc_load64(s2, features_to_planes_SRC_STRIDE_1);
      uint32_t low_15 = (uint32_t) pair_15;
      permc_store8(d2_0, 1, low_15);
      permc_store16_any(d2_1, 0, low_15);
      uint32_t shifted_29 = low_15 >> 16;
      permc_store8(d2_2, 1, shifted_29);
      permc_store16_any(d2_3, 0, shifted_29);
      uint32_t high_15 = (uint32_t) (pair_15 >> 32);
      permc_store8(d2_4, 1, high_15);
      permc_store16_any(d2_5, 0, high_15);
      uint32_t shifted_30 = high_15 >> 16;
      permc_store8(d2_6, 1, shifted_30);
      permc_store16_any(d2_7, 0, shifted_30);
      uint64_t pair_16 = permc_load64(s2, 0);
      uint32_t low_16 = (uint32_t) pair_16;
      permc_store8(d2_0, 0, low_16);
      uint32_t shifted_31 = low_16 >> 8;
      permc_store8(d2_1, 0, shifted_31);
      uint32_t shifted_32 = low_16 >> 16;
      permc_store8(d2_2, 0, shifted_32);
      uint32_t shifted_33 = low_16 >> 24;
      permc_store8(d2_3, 0, shifted_33);
      uint32_t high_16 = (uint32_t) (pair_16 >> 32);
      permc_store8(d2_4, 0, high_16);
      uint32_t shifted_34 = high_16 >> 8;
      permc_store8(d2_5, 0, shifted_34);
      uint32_t shifted_35 = high_16 >> 16;
      permc_store8(d2_6, 0, shifted_35);
      uint32_t shifted_36 = high_16 >> 24;
      permc_store8(d2_7, 0, shifted_36);
      src2 = s2 + 16 * features_to_planes_SRC_STRIDE_1;
      dst2_0 = d2_0 + 16 * features_to_planes_DST_STRIDE_1;
      dst2_1 = d2_1 + 16 * features_to_planes_DST_STRIDE_1;
      dst2_2 = d2_2 + 16 * features_to_planes_DST_STRIDE_1;
      dst2_3 = d2_3 + 16 * features_to_planes_DST_STRIDE_1;
      dst2_4 = d2_4 + 16 * features_to_planes_DST_STRIDE_1;
      dst2_5 = d2_5 + 16 * features_to_planes_DST_STRIDE_1;
      dst2_6 = d2_6 + 16 * features_to_planes_DST_STRIDE_1;
      dst2_7 = d2_7 + 16 * features_to_planes_DST_STRIDE_1;
    }
    src1 = s1 + 8 * features_to_planes_SRC_STRIDE_0;
    dst1 = d1 + 8 * features_to_planes_DST_STRIDE_0;
  }
}

static void features_to_planes_elements(const uint8_t *restrict src, uint8_t *restrict dst, uint32_t first, uint32_t end) {
  const uint8_t *s = (const uint8_t *) src;
  uint8_t *d = (uint8_t *) dst;
  const uint8_t *first_s = s + first * 8 * features_to_planes_SRC_STRIDE_0;
  uint8_t *first_d = d + first * 8 * features_to_planes_DST_STRIDE_0;
  const uint8_t *src1 = first_s;
  uint8_t *dst1 = first_d;
  PERMC_NO_UNROLL
  for (uint32_t i1 = first; i1 < end; i1 += 1) {
    const uint8_t *s1 = src1;
    uint8_t *d1 = dst1;
    const uint8_t *src2 = s1;
    uint8_t *dst2 = d1;
    PERMC_NO_UNROLL
    for (uint32_t i2 = 0; i2 < 8; i2 += 1) {
      const uint8_t *s2 = src2;
      uint8_t *d2 = dst2;
      const uint8_t *src3 = s2;
      uint8_t *dst3 = d2;
      PERMC_NO_UNROLL
      for (uint32_t i3 = 0; i3 < 256; i3 += 1) {
        const uint8_t *s3 = src3;
        uint8_t *d3 = dst3;
        uint32_t word = permc_load8(s3, 0);
        permc_store8(d3, 0, word);
        src3 = s3 + features_to_planes_SRC_STRIDE_1;
        dst3 = d3 + features_to_planes_DST_STRIDE_1;
      }
      src2 = s2 + features_to_planes_SRC_STRIDE_0;
      dst2 = d2 + features_to_planes_DST_STRIDE_0;
    }
    src1 = s1 + 8 * features_to_planes_SRC_STRIDE_0;
    dst1 = d1 + 8 * features_to_planes_DST_STRIDE_0;
  }
}

static void features_to_planes_units(const void *src, void *dst,
    uint32_t first, uint32_t end) {
  if (PERMC_LITTLE_ENDIAN && PERMC_IS_ALIGNED(src, 4))
    features_to_planes_words(src, dst, first, end);
  else
    features_to_planes_elements(src, dst, first, end);
}

static void features_to_planes(const void *src, void *dst) {
  features_to_planes_units(src, dst, 0, features_to_planes_UNITS);
}

/* features_to_pixels: 32x16x16 i8 by [1, 2, 0], giving 16x16x32
 * moved as 32x256 1-byte elements by [1, 0]
 * #permc.schedule<word_transpose, tile = [8, 16], loops = [0 : 8, 1 : 16], units = 1, vector = 8> */

enum {
  features_to_pixels_SRC_STRIDE_0 = 1,
  features_to_pixels_DST_STRIDE_0 = 32,
  features_to_pixels_SRC_STRIDE_1 = 256,
  features_to_pixels_DST_STRIDE_1 = 1,
  features_to_pixels_UNITS = 32,
  features_to_pixels_UNIT_GROUP = 1,
  features_to_pixels_UNIT_GROUPS = 32
};

static void features_to_pixels_words(const uint8_t *restrict src, uint8_t *restrict dst, uint32_t first, uint32_t end) {
  const uint8_t *s = (const uint8_t *) src;
  uint8_t *d = (uint8_t *) dst;
  const uint8_t *first_s = s + first * 8 * features_to_pixels_SRC_STRIDE_0;
  uint8_t *first_d = d + first * 8 * features_to_pixels_DST_STRIDE_0;
  const uint8_t *src1 = first_s;
  uint8_t *dst1 = first_d;
  PERMC_NO_UNROLL
  for (uint32_t i1 = first; i1 < end; i1 += 1) {
    const uint8_t *s1 = src1;
    uint8_t *d1 = dst1;
    const uint8_t *src2 = s1;
    uint8_t *dst2 = d1;
    PERMC_NO_UNROLL
    for (uint32_t i2 = 0; i2 < 2; i2 += 1) {
      const uint8_t *s2 = src2;
      uint8_t *d2 = dst2;
      uint64_t pair = permc_load64(s2, 15 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low = (uint32_t) pair;
      permc_store8(d2, 15, low);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 14, low);
      uint32_t shifted = low >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 15, shifted);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 14, shifted);
      uint32_t high = (uint32_t) (pair >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 15, high);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 14, high);
      uint32_t shifted_2 = high >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 15, shifted_2);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 14, shifted_2);
      uint64_t pair_2 = permc_load64(s2, 14 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low_2 = (uint32_t) pair_2;
      permc_store8(d2, 14, low_2);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 13, low_2);
      uint32_t shifted_3 = low_2 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 14, shifted_3);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 13, shifted_3);
      uint32_t high_2 = (uint32_t) (pair_2 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 14, high_2);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 13, high_2);
      uint32_t shifted_4 = high_2 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 14, shifted_4);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 13, shifted_4);
      uint64_t pair_3 = permc_load64(s2, 13 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low_3 = (uint32_t) pair_3;
      permc_store8(d2, 13, low_3);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 12, low_3);
      uint32_t shifted_5 = low_3 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 13, shifted_5);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 12, shifted_5);
      uint32_t high_3 = (uint32_t) (pair_3 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 13, high_3);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 12, high_3);
      uint32_t shifted_6 = high_3 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 13, shifted_6);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 12, shifted_6);
      uint64_t pair_4 = permc_load64(s2, 12 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low_4 = (uint32_t) pair_4;
      permc_store8(d2, 12, low_4);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 11, low_4);
      uint32_t shifted_7 = low_4 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 12, shifted_7);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 11, shifted_7);
      uint32_t high_4 = (uint32_t) (pair_4 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 12, high_4);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 11, high_4);
      uint32_t shifted_8 = high_4 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 12, shifted_8);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 11, shifted_8);
      uint64_t pair_5 = permc_load64(s2, 11 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low_5 = (uint32_t) pair_5;
      permc_store8(d2, 11, low_5);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 10, low_5);
      uint32_t shifted_9 = low_5 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 11, shifted_9);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 10, shifted_9);
      uint32_t high_5 = (uint32_t) (pair_5 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 11, high_5);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 10, high_5);
      uint32_t shifted_10 = high_5 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 11, shifted_10);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 10, shifted_10);
      uint64_t pair_6 = permc_load64(s2, 10 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low_6 = (uint32_t) pair_6;
      permc_store8(d2, 10, low_6);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 9, low_6);
      uint32_t shifted_11 = low_6 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 10, shifted_11);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 9, shifted_11);
      uint32_t high_6 = (uint32_t) (pair_6 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 10, high_6);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 9, high_6);
      uint32_t shifted_12 = high_6 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 10, shifted_12);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 9, shifted_12);
      uint64_t pair_7 = permc_load64(s2, 9 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low_7 = (uint32_t) pair_7;
      permc_store8(d2, 9, low_7);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 8, low_7);
      uint32_t shifted_13 = low_7 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 9, shifted_13);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 8, shifted_13);
      uint32_t high_7 = (uint32_t) (pair_7 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 9, high_7);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 8, high_7);
      uint32_t shifted_14 = high_7 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 9, shifted_14);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 8, shifted_14);
      uint64_t pair_8 = permc_load64(s2, 8 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low_8 = (uint32_t) pair_8;
      permc_store8(d2, 8, low_8);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 7, low_8);
      uint32_t shifted_15 = low_8 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 8, shifted_15);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 7, shifted_15);
      uint32_t high_8 = (uint32_t) (pair_8 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 8, high_8);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 7, high_8);
      uint32_t shifted_16 = high_8 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 8, shifted_16);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 7, shifted_16);
      uint64_t pair_9 = permc_load64(s2, 7 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low_9 = (uint32_t) pair_9;
      permc_store8(d2, 7, low_9);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 6, low_9);
      uint32_t shifted_17 = low_9 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 7, shifted_17);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 6, shifted_17);
      uint32_t high_9 = (uint32_t) (pair_9 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 7, high_9);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 6, high_9);
      uint32_t shifted_18 = high_9 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 7, shifted_18);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 6, shifted_18);
      uint64_t pair_10 = permc_load64(s2, 6 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low_10 = (uint32_t) pair_10;
      permc_store8(d2, 6, low_10);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 5, low_10);
      uint32_t shifted_19 = low_10 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 6, shifted_19);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 5, shifted_19);
      uint32_t high_10 = (uint32_t) (pair_10 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 6, high_10);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 5, high_10);
      uint32_t shifted_20 = high_10 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 6, shifted_20);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 5, shifted_20);
      uint64_t pair_11 = permc_load64(s2, 5 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low_11 = (uint32_t) pair_11;
      permc_store8(d2, 5, low_11);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 4, low_11);
      uint32_t shifted_21 = low_11 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 5, shifted_21);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 4, shifted_21);
      uint32_t high_11 = (uint32_t) (pair_11 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 5, high_11);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 4, high_11);
      uint32_t shifted_22 = high_11 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 5, shifted_22);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 4, shifted_22);
      uint64_t pair_12 = permc_load64(s2, 4 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low_12 = (uint32_t) pair_12;
      permc_store8(d2, 4, low_12);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 3, low_12);
      uint32_t shifted_23 = low_12 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 4, shifted_23);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 3, shifted_23);
      uint32_t high_12 = (uint32_t) (pair_12 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 4, high_12);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 3, high_12);
      uint32_t shifted_24 = high_12 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 4, shifted_24);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 3, shifted_24);
      uint64_t pair_13 = permc_load64(s2, 3 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low_13 = (uint32_t) pair_13;
      permc_store8(d2, 3, low_13);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 2, low_13);
      uint32_t shifted_25 = low_13 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 3, shifted_25);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 2, shifted_25);
      uint32_t high_13 = (uint32_t) (pair_13 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 3, high_13);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 2, high_13);
      uint32_t shifted_26 = high_13 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 3, shifted_26);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 2, shifted_26);
      uint64_t pair_14 = permc_load64(s2, 2 * features_to_pixels_SRC_STRIDE_1);
      uint32_t low_14 = (uint32_t) pair_14;
      permc_store8(d2, 2, low_14);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0 + 1, low_14);
      uint32_t shifted_27 = low_14 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 2, shifted_27);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0 + 1, shifted_27);
      uint32_t high_14 = (uint32_t) (pair_14 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 2, high_14);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0 + 1, high_14);
      uint32_t shifted_28 = high_14 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 2, shifted_28);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0 + 1, shifted_28);
      uint64_t pair_15 = permc_load64(s2, features_to_pixels_SRC_STRIDE_1);
      uint32_t low_15 = (uint32_t) pair_15;
      permc_store8(d2, 1, low_15);
      permc_store16_any(d2, features_to_pixels_DST_STRIDE_0, low_15);
      uint32_t shifted_29 = low_15 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0 + 1, shifted_29);
      permc_store16_any(d2, 3 * features_to_pixels_DST_STRIDE_0, shifted_29);
      uint32_t high_15 = (uint32_t) (pair_15 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0 + 1, high_15);
      permc_store16_any(d2, 5 * features_to_pixels_DST_STRIDE_0, high_15);
      uint32_t shifted_30 = high_15 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0 + 1, shifted_30);
      permc_store16_any(d2, 7 * features_to_pixels_DST_STRIDE_0, shifted_30);
      uint64_t pair_16 = permc_load64(s2, 0);
      uint32_t low_16 = (uint32_t) pair_16;
      permc_store8(d2, 0, low_16);
      uint32_t shifted_31 = low_16 >> 8;
      permc_store8(d2, features_to_pixels_DST_STRIDE_0, shifted_31);
      uint32_t shifted_32 = low_16 >> 16;
      permc_store8(d2, 2 * features_to_pixels_DST_STRIDE_0, shifted_32);
      uint32_t shifted_33 = low_16 >> 24;
      permc_store8(d2, 3 * features_to_pixels_DST_STRIDE_0, shifted_33);
      uint32_t high_16 = (uint32_t) (pair_16 >> 32);
      permc_store8(d2, 4 * features_to_pixels_DST_STRIDE_0, high_16);
      uint32_t shifted_34 = high_16 >> 8;
      permc_store8(d2, 5 * features_to_pixels_DST_STRIDE_0, shifted_34);
      uint32_t shifted_35 = high_16 >> 16;
      permc_store8(d2, 6 * features_to_pixels_DST_STRIDE_0, shifted_35);
      uint32_t shifted_36 = high_16 >> 24;
      permc_store8(d2, 7 * features_to_pixels_DST_STRIDE_0, shifted_36);
      src2 = s2 + 16 * features_to_pixels_SRC_STRIDE_1;
      dst2 = d2 + 16 * features_to_pixels_DST_STRIDE_1;
    }
    src1 = s1 + 8 * features_to_pixels_SRC_STRIDE_0;
    dst1 = d1 + 8 * features_to_pixels_DST_STRIDE_0;
  }
}

static void features_to_pixels_elements(const uint8_t *restrict src, uint8_t *restrict dst, uint32_t first, uint32_t end) {
  const uint8_t *s = (const uint8_t *) src;
  uint8_t *d = (uint8_t *) dst;
  const uint8_t *first_s = s + first * 8 * features_to_pixels_SRC_STRIDE_0;
  uint8_t *first_d = d + first * 8 * features_to_pixels_DST_STRIDE_0;
  const uint8_t *src1 = first_s;
  uint8_t *dst1 = first_d;
  PERMC_NO_UNROLL
  for (uint32_t i1 = first; i1 < end; i1 += 1) {
    const uint8_t *s1 = src1;
    uint8_t *d1 = dst1;
    const uint8_t *src2 = s1;
    uint8_t *dst2 = d1;
    PERMC_NO_UNROLL
    for (uint32_t i2 = 0; i2 < 8; i2 += 1) {
      const uint8_t *s2 = src2;
      uint8_t *d2 = dst2;
      const uint8_t *src3 = s2;
      uint8_t *dst3 = d2;
      PERMC_NO_UNROLL
      for (uint32_t i3 = 0; i3 < 32; i3 += 1) {
        const uint8_t *s3 = src3;
        uint8_t *d3 = dst3;
        uint32_t word = permc_load8(s3, 0);
        permc_store8(d3, 0, word);
        src3 = s3 + features_to_pixels_SRC_STRIDE_1;
        dst3 = d3 + features_to_pixels_DST_STRIDE_1;
      }
      src2 = s2 + features_to_pixels_SRC_STRIDE_0;
      dst2 = d2 + features_to_pixels_DST_STRIDE_0;
    }
    src1 = s1 + 8 * features_to_pixels_SRC_STRIDE_0;
    dst1 = d1 + 8 * features_to_pixels_DST_STRIDE_0;
  }
}

static void features_to_pixels_units(const void *src, void *dst,
    uint32_t first, uint32_t end) {
  if (PERMC_LITTLE_ENDIAN && PERMC_IS_ALIGNED(src, 4))
    features_to_pixels_words(src, dst, first, end);
  else
    features_to_pixels_elements(src, dst, first, end);
}

static void features_to_pixels(const void *src, void *dst) {
  features_to_pixels_units(src, dst, 0, features_to_pixels_UNITS);
}

/* weights_16: 32x16 i16 by [1, 0], giving 16x32
 * moved as 32x16 2-byte elements by [1, 0]
 * #permc.schedule<word_transpose, tile = [4, 16], loops = [0 : 4, 1 : 16], units = 1, vector = 8> */

enum {
  weights_16_SRC_STRIDE_0 = 2,
  weights_16_DST_STRIDE_0 = 64,
  weights_16_SRC_STRIDE_1 = 32,
  weights_16_DST_STRIDE_1 = 2,
  weights_16_UNITS = 4,
  weights_16_UNIT_GROUP = 1,
  weights_16_UNIT_GROUPS = 4
};

static void weights_16_words(const uint8_t *restrict src, uint8_t *restrict dst, uint32_t first, uint32_t end) {
  const uint8_t *s = (const uint8_t *) src;
  uint8_t *d = (uint8_t *) dst;
  const uint8_t *first_s = s + first * 4 * weights_16_SRC_STRIDE_0;
  uint8_t *first_d = d + first * 4 * weights_16_DST_STRIDE_0;
  const uint8_t *src1 = first_s;
  uint8_t *dst1 = first_d;
  PERMC_NO_UNROLL
  for (uint32_t i1 = first; i1 < end; i1 += 1) {
    const uint8_t *s1 = src1;
    uint8_t *d1 = dst1;
    const uint8_t *src2 = s1;
    uint8_t *dst2 = d1;
    PERMC_NO_UNROLL
    for (uint32_t i2 = 0; i2 < 2; i2 += 1) {
      const uint8_t *s2 = src2;
      uint8_t *d2 = dst2;
      uint64_t pair = permc_load64(s2, 15 * weights_16_SRC_STRIDE_1);
      uint32_t low = (uint32_t) pair;
      permc_store16_any(d2, 30, low);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 28, low);
      uint32_t high = (uint32_t) (pair >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 30, high);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 28, high);
      uint64_t pair_2 = permc_load64(s2, 14 * weights_16_SRC_STRIDE_1);
      uint32_t low_2 = (uint32_t) pair_2;
      permc_store16_any(d2, 28, low_2);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 26, low_2);
      uint32_t high_2 = (uint32_t) (pair_2 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 28, high_2);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 26, high_2);
      uint64_t pair_3 = permc_load64(s2, 13 * weights_16_SRC_STRIDE_1);
      uint32_t low_3 = (uint32_t) pair_3;
      permc_store16_any(d2, 26, low_3);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 24, low_3);
      uint32_t high_3 = (uint32_t) (pair_3 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 26, high_3);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 24, high_3);
      uint64_t pair_4 = permc_load64(s2, 12 * weights_16_SRC_STRIDE_1);
      uint32_t low_4 = (uint32_t) pair_4;
      permc_store16_any(d2, 24, low_4);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 22, low_4);
      uint32_t high_4 = (uint32_t) (pair_4 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 24, high_4);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 22, high_4);
      uint64_t pair_5 = permc_load64(s2, 11 * weights_16_SRC_STRIDE_1);
      uint32_t low_5 = (uint32_t) pair_5;
      permc_store16_any(d2, 22, low_5);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 20, low_5);
      uint32_t high_5 = (uint32_t) (pair_5 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 22, high_5);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 20, high_5);
      uint64_t pair_6 = permc_load64(s2, 10 * weights_16_SRC_STRIDE_1);
      uint32_t low_6 = (uint32_t) pair_6;
      permc_store16_any(d2, 20, low_6);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 18, low_6);
      uint32_t high_6 = (uint32_t) (pair_6 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 20, high_6);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 18, high_6);
      uint64_t pair_7 = permc_load64(s2, 9 * weights_16_SRC_STRIDE_1);
      uint32_t low_7 = (uint32_t) pair_7;
      permc_store16_any(d2, 18, low_7);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 16, low_7);
      uint32_t high_7 = (uint32_t) (pair_7 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 18, high_7);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 16, high_7);
      uint64_t pair_8 = permc_load64(s2, 8 * weights_16_SRC_STRIDE_1);
      uint32_t low_8 = (uint32_t) pair_8;
      permc_store16_any(d2, 16, low_8);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 14, low_8);
      uint32_t high_8 = (uint32_t) (pair_8 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 16, high_8);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 14, high_8);
      uint64_t pair_9 = permc_load64(s2, 7 * weights_16_SRC_STRIDE_1);
      uint32_t low_9 = (uint32_t) pair_9;
      permc_store16_any(d2, 14, low_9);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 12, low_9);
      uint32_t high_9 = (uint32_t) (pair_9 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 14, high_9);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 12, high_9);
      uint64_t pair_10 = permc_load64(s2, 6 * weights_16_SRC_STRIDE_1);
      uint32_t low_10 = (uint32_t) pair_10;
      permc_store16_any(d2, 12, low_10);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 10, low_10);
      uint32_t high_10 = (uint32_t) (pair_10 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 12, high_10);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 10, high_10);
      uint64_t pair_11 = permc_load64(s2, 5 * weights_16_SRC_STRIDE_1);
      uint32_t low_11 = (uint32_t) pair_11;
      permc_store16_any(d2, 10, low_11);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 8, low_11);
      uint32_t high_11 = (uint32_t) (pair_11 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 10, high_11);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 8, high_11);
      uint64_t pair_12 = permc_load64(s2, 4 * weights_16_SRC_STRIDE_1);
      uint32_t low_12 = (uint32_t) pair_12;
      permc_store16_any(d2, 8, low_12);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 6, low_12);
      uint32_t high_12 = (uint32_t) (pair_12 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 8, high_12);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 6, high_12);
      uint64_t pair_13 = permc_load64(s2, 3 * weights_16_SRC_STRIDE_1);
      uint32_t low_13 = (uint32_t) pair_13;
      permc_store16_any(d2, 6, low_13);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 4, low_13);
      uint32_t high_13 = (uint32_t) (pair_13 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 6, high_13);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 4, high_13);
      uint64_t pair_14 = permc_load64(s2, 2 * weights_16_SRC_STRIDE_1);
      uint32_t low_14 = (uint32_t) pair_14;
      permc_store16_any(d2, 4, low_14);
      permc_store32_any(d2, weights_16_DST_STRIDE_0 + 2, low_14);
      uint32_t high_14 = (uint32_t) (pair_14 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 4, high_14);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0 + 2, high_14);
      uint64_t pair_15 = permc_load64(s2, weights_16_SRC_STRIDE_1);
      uint32_t low_15 = (uint32_t) pair_15;
      permc_store16_any(d2, 2, low_15);
      permc_store32_any(d2, weights_16_DST_STRIDE_0, low_15);
      uint32_t high_15 = (uint32_t) (pair_15 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0 + 2, high_15);
      permc_store32_any(d2, 3 * weights_16_DST_STRIDE_0, high_15);
      uint64_t pair_16 = permc_load64(s2, 0);
      uint32_t low_16 = (uint32_t) pair_16;
      permc_store16_any(d2, 0, low_16);
      uint32_t shifted = low_16 >> 16;
      permc_store16_any(d2, weights_16_DST_STRIDE_0, shifted);
      uint32_t high_16 = (uint32_t) (pair_16 >> 32);
      permc_store16_any(d2, 2 * weights_16_DST_STRIDE_0, high_16);
      uint32_t shifted_2 = high_16 >> 16;
      permc_store16_any(d2, 3 * weights_16_DST_STRIDE_0, shifted_2);
      src2 = s2 + 16 * weights_16_SRC_STRIDE_1;
      dst2 = d2 + 16 * weights_16_DST_STRIDE_1;
    }
    src1 = s1 + 4 * weights_16_SRC_STRIDE_0;
    dst1 = d1 + 4 * weights_16_DST_STRIDE_0;
  }
}

static void weights_16_elements(const uint8_t *restrict src, uint8_t *restrict dst, uint32_t first, uint32_t end) {
  const uint8_t *s = (const uint8_t *) src;
  uint8_t *d = (uint8_t *) dst;
  const uint8_t *first_s = s + first * 4 * weights_16_SRC_STRIDE_0;
  uint8_t *first_d = d + first * 4 * weights_16_DST_STRIDE_0;
  const uint8_t *src1 = first_s;
  uint8_t *dst1 = first_d;
  PERMC_NO_UNROLL
  for (uint32_t i1 = first; i1 < end; i1 += 1) {
    const uint8_t *s1 = src1;
    uint8_t *d1 = dst1;
    const uint8_t *src2 = s1;
    uint8_t *dst2 = d1;
    PERMC_NO_UNROLL
    for (uint32_t i2 = 0; i2 < 4; i2 += 1) {
      const uint8_t *s2 = src2;
      uint8_t *d2 = dst2;
      const uint8_t *src3 = s2;
      uint8_t *dst3 = d2;
      PERMC_NO_UNROLL
      for (uint32_t i3 = 0; i3 < 32; i3 += 1) {
        const uint8_t *s3 = src3;
        uint8_t *d3 = dst3;
        uint32_t word = permc_load16_any(s3, 0);
        permc_store16_any(d3, 0, word);
        src3 = s3 + weights_16_SRC_STRIDE_1;
        dst3 = d3 + weights_16_DST_STRIDE_1;
      }
      src2 = s2 + weights_16_SRC_STRIDE_0;
      dst2 = d2 + weights_16_DST_STRIDE_0;
    }
    src1 = s1 + 4 * weights_16_SRC_STRIDE_0;
    dst1 = d1 + 4 * weights_16_DST_STRIDE_0;
  }
}

static void weights_16_units(const void *src, void *dst,
    uint32_t first, uint32_t end) {
  if (PERMC_LITTLE_ENDIAN && PERMC_IS_ALIGNED(src, 4))
    weights_16_words(src, dst, first, end);
  else
    weights_16_elements(src, dst, first, end);
}

static void weights_16(const void *src, void *dst) {
  weights_16_units(src, dst, 0, weights_16_UNITS);
}

/* window: 8x8x16 i8 by [2, 0, 1], giving 16x8x8
 * strides in bytes: src [256, 16, 1], dst [64, 8, 1]
 * moved as 8x8x16 1-byte elements by [2, 0, 1]
 * #permc.schedule<word_transpose, tile = [8, 1, 8], loops = [1 : 1, 0 : 8], units = 1, vector = 8> */

enum {
  window_SRC_STRIDE_0 = 1,
  window_DST_STRIDE_0 = 64,
  window_SRC_STRIDE_1 = 256,
  window_DST_STRIDE_1 = 8,
  window_SRC_STRIDE_2 = 16,
  window_DST_STRIDE_2 = 1,
  window_UNITS = 8
};

static void window_words(const uint8_t *restrict src, uint8_t *restrict dst, uint32_t first, uint32_t end) {
  const uint8_t *s = (const uint8_t *) src;
  uint8_t *d = (uint8_t *) dst;
  const uint8_t *first_s = s + first * window_SRC_STRIDE_1;
  uint8_t *first_d = d + first * window_DST_STRIDE_1;
  const uint8_t *src1 = first_s;
  uint8_t *dst1 = first_d;
  PERMC_NO_UNROLL
  for (uint32_t i1 = first; i1 < end; i1 += 1) {
    const uint8_t *s1 = src1;
    uint8_t *d1 = dst1;
    uint8_t *column_1 = d1 + window_DST_STRIDE_0;
    uint8_t *column_2 = d1 + 2 * window_DST_STRIDE_0;
    uint8_t *column_3 = d1 + 3 * window_DST_STRIDE_0;
    uint8_t *column_4 = d1 + 4 * window_DST_STRIDE_0;
    uint8_t *column_5 = d1 + 5 * window_DST_STRIDE_0;
    uint8_t *column_6 = d1 + 6 * window_DST_STRIDE_0;
    uint8_t *column_7 = d1 + 7 * window_DST_STRIDE_0;
    const uint8_t *src2 = s1;
    uint8_t *dst2_0 = d1;
    uint8_t *dst2_1 = column_1;
    uint8_t *dst2_2 = column_2;
    uint8_t *dst2_3 = column_3;
    uint8_t *dst2_4 = column_4;
    uint8_t *dst2_5 = column_5;
    uint8_t *dst2_6 = column_6;
    uint8_t *dst2_7 = column_7;
    PERMC_NO_UNROLL
    for (uint32_t i2 = 0; i2 < 2; i2 += 1) {
      const uint8_t *s2 = src2;
      uint8_t *d2_0 = dst2_0;
      uint8_t *d2_1 = dst2_1;
      uint8_t *d2_2 = dst2_2;
      uint8_t *d2_3 = dst2_3;
      uint8_t *d2_4 = dst2_4;
      uint8_t *d2_5 = dst2_5;
      uint8_t *d2_6 = dst2_6;
      uint8_t *d2_7 = dst2_7;
      uint64_t pair = permc_load64(s2, 7 * window_SRC_STRIDE_2);
      uint32_t low = (uint32_t) pair;
      permc_store8(d2_0, 7, low);
      permc_store16_any(d2_1, 6, low);
      uint32_t shifted = low >> 16;
      permc_store8(d2_2, 7, shifted);
      permc_store16_any(d2_3, 6, shifted);
      uint32_t high = (uint32_t) (pair >> 32);
      permc_store8(d2_4, 7, high);
      permc_store16_any(d2_5, 6, high);
      uint32_t shifted_2 = high >> 16;
      permc_store8(d2_6, 7, shifted_2);
      permc_store16_any(d2_7, 6, shifted_2);
      uint64_t pair_2 = permc_load64(s2, 6 * window_SRC_STRIDE_2);
      uint32_t low_2 = (uint32_t) pair_2;
      permc_store8(d2_0, 6, low_2);
      permc_store16_any(d2_1, 5, low_2);
      uint32_t shifted_3 = low_2 >> 16;
      permc_store8(d2_2, 6, shifted_3);
      permc_store16_any(d2_3, 5, shifted_3);
      uint32_t high_2 = (uint32_t) (pair_2 >> 32);
      permc_store8(d2_4, 6, high_2);
      permc_store16_any(d2_5, 5, high_2);
      uint32_t shifted_4 = high_2 >> 16;
      permc_store8(d2_6, 6, shifted_4);
      permc_store16_any(d2_7, 5, shifted_4);
      uint64_t pair_3 = permc_load64(s2, 5 * window_SRC_STRIDE_2);
      uint32_t low_3 = (uint32_t) pair_3;
      permc_store8(d2_0, 5, low_3);
      permc_store16_any(d2_1, 4, low_3);
      uint32_t shifted_5 = low_3 >> 16;
      permc_store8(d2_2, 5, shifted_5);
      permc_store16_any(d2_3, 4, shifted_5);
      uint32_t high_3 = (uint32_t) (pair_3 >> 32);
      permc_store8(d2_4, 5, high_3);
      permc_store16_any(d2_5, 4, high_3);
      uint32_t shifted_6 = high_3 >> 16;
      permc_store8(d2_6, 5, shifted_6);
      permc_store16_any(d2_7, 4, shifted_6);
      uint64_t pair_4 = permc_load64(s2, 4 * window_SRC_STRIDE_2);
      uint32_t low_4 = (uint32_t) pair_4;
      permc_store8(d2_0, 4, low_4);
      permc_store16_any(d2_1, 3, low_4);
      uint32_t shifted_7 = low_4 >> 16;
      permc_store8(d2_2, 4, shifted_7);
      permc_store16_any(d2_3, 3, shifted_7);
      uint32_t high_4 = (uint32_t) (pair_4 >> 32);
      permc_store8(d2_4, 4, high_4);
      permc_store16_any(d2_5, 3, high_4);
      uint32_t shifted_8 = high_4 >> 16;
      permc_store8(d2_6, 4, shifted_8);
      permc_store16_any(d2_7, 3, shifted_8);
      uint64_t pair_5 = permc_load64(s2, 3 * window_SRC_STRIDE_2);
      uint32_t low_5 = (uint32_t) pair_5;
      permc_store8(d2_0, 3, low_5);
      permc_store16_any(d2_1, 2, low_5);
      uint32_t shifted_9 = low_5 >> 16;
      permc_store8(d2_2, 3, shifted_9);
      permc_store16_any(d2_3, 2, shifted_9);
      uint32_t high_5 = (uint32_t) (pair_5 >> 32);
      permc_store8(d2_4, 3, high_5);
      permc_store16_any(d2_5, 2, high_5);
      uint32_t shifted_10 = high_5 >> 16;
      permc_store8(d2_6, 3, shifted_10);
      permc_store16_any(d2_7, 2, shifted_10);
      uint64_t pair_6 = permc_load64(s2, 2 * window_SRC_STRIDE_2);
      uint32_t low_6 = (uint32_t) pair_6;
      permc_store8(d2_0, 2, low_6);
      permc_store16_any(d2_1, 1, low_6);
      uint32_t shifted_11 = low_6 >> 16;
      permc_store8(d2_2, 2, shifted_11);
      permc_store16_any(d2_3, 1, shifted_11);
      uint32_t high_6 = (uint32_t) (pair_6 >> 32);
      permc_store8(d2_4, 2, high_6);
      permc_store16_any(d2_5, 1, high_6);
      uint32_t shifted_12 = high_6 >> 16;
      permc_store8(d2_6, 2, shifted_12);
      permc_store16_any(d2_7, 1, shifted_12);
      uint64_t pair_7 = permc_load64(s2, window_SRC_STRIDE_2);
      uint32_t low_7 = (uint32_t) pair_7;
      permc_store8(d2_0, 1, low_7);
      permc_store16_any(d2_1, 0, low_7);
      uint32_t shifted_13 = low_7 >> 16;
      permc_store8(d2_2, 1, shifted_13);
      permc_store16_any(d2_3, 0, shifted_13);
      uint32_t high_7 = (uint32_t) (pair_7 >> 32);
      permc_store8(d2_4, 1, high_7);
      permc_store16_any(d2_5, 0, high_7);
      uint32_t shifted_14 = high_7 >> 16;
      permc_store8(d2_6, 1, shifted_14);
      permc_store16_any(d2_7, 0, shifted_14);
      uint64_t pair_8 = permc_load64(s2, 0);
      uint32_t low_8 = (uint32_t) pair_8;
      permc_store8(d2_0, 0, low_8);
      uint32_t shifted_15 = low_8 >> 8;
      permc_store8(d2_1, 0, shifted_15);
      uint32_t shifted_16 = low_8 >> 16;
      permc_store8(d2_2, 0, shifted_16);
      uint32_t shifted_17 = low_8 >> 24;
      permc_store8(d2_3, 0, shifted_17);
      uint32_t high_8 = (uint32_t) (pair_8 >> 32);
      permc_store8(d2_4, 0, high_8);
      uint32_t shifted_18 = high_8 >> 8;
      permc_store8(d2_5, 0, shifted_18);
      uint32_t shifted_19 = high_8 >> 16;
      permc_store8(d2_6, 0, shifted_19);
      uint32_t shifted_20 = high_8 >> 24;
      permc_store8(d2_7, 0, shifted_20);
      src2 = s2 + 8 * window_SRC_STRIDE_0;
      dst2_0 = d2_0 + 8 * window_DST_STRIDE_0;
      dst2_1 = d2_1 + 8 * window_DST_STRIDE_0;
      dst2_2 = d2_2 + 8 * window_DST_STRIDE_0;
      dst2_3 = d2_3 + 8 * window_DST_STRIDE_0;
      dst2_4 = d2_4 + 8 * window_DST_STRIDE_0;
      dst2_5 = d2_5 + 8 * window_DST_STRIDE_0;
      dst2_6 = d2_6 + 8 * window_DST_STRIDE_0;
      dst2_7 = d2_7 + 8 * window_DST_STRIDE_0;
    }
    src1 = s1 + window_SRC_STRIDE_1;
    dst1 = d1 + window_DST_STRIDE_1;
  }
}

static void window_elements(const uint8_t *restrict src, uint8_t *restrict dst, uint32_t first, uint32_t end) {
  const uint8_t *s = (const uint8_t *) src;
  uint8_t *d = (uint8_t *) dst;
  const uint8_t *first_s = s + first * window_SRC_STRIDE_1;
  uint8_t *first_d = d + first * window_DST_STRIDE_1;
  const uint8_t *src1 = first_s;
  uint8_t *dst1 = first_d;
  PERMC_NO_UNROLL
  for (uint32_t i1 = first; i1 < end; i1 += 1) {
    const uint8_t *s1 = src1;
    uint8_t *d1 = dst1;
    const uint8_t *src2 = s1;
    uint8_t *dst2 = d1;
    PERMC_NO_UNROLL
    for (uint32_t i2 = 0; i2 < 16; i2 += 1) {
      const uint8_t *s2 = src2;
      uint8_t *d2 = dst2;
      const uint8_t *src3 = s2;
      uint8_t *dst3 = d2;
      PERMC_NO_UNROLL
      for (uint32_t i3 = 0; i3 < 8; i3 += 1) {
        const uint8_t *s3 = src3;
        uint8_t *d3 = dst3;
        uint32_t word = permc_load8(s3, 0);
        permc_store8(d3, 0, word);
        src3 = s3 + window_SRC_STRIDE_2;
        dst3 = d3 + window_DST_STRIDE_2;
      }
      src2 = s2 + window_SRC_STRIDE_0;
      dst2 = d2 + window_DST_STRIDE_0;
    }
    src1 = s1 + window_SRC_STRIDE_1;
    dst1 = d1 + window_DST_STRIDE_1;
  }
}

static void window_units(const void *src, void *dst,
    uint32_t first, uint32_t end) {
  if (PERMC_LITTLE_ENDIAN && PERMC_IS_ALIGNED(src, 4))
    window_words(src, dst, first, end);
  else
    window_elements(src, dst, first, end);
}

static void window(const void *src, void *dst) {
  window_units(src, dst, 0, window_UNITS);
}

static const permc_mli_kernel permc_mli_kernels[] = {
    {{1, 3, {32, 32, 3}, {2, 0, 1},
      {96, 3, 1}, {1024, 32, 1}},
     image_to_planes},
    {{1, 3, {16, 16, 32}, {2, 0, 1},
      {512, 32, 1}, {256, 16, 1}},
     features_to_planes},
    {{1, 3, {32, 16, 16}, {1, 2, 0},
      {256, 16, 1}, {512, 32, 1}},
     features_to_pixels},
    {{2, 2, {32, 16}, {1, 0},
      {16, 1}, {32, 1}},
     weights_16},
    {{1, 3, {8, 8, 16}, {2, 0, 1},
      {256, 16, 1}, {64, 8, 1}},
     window},
};

enum {
  PERMC_MLI_KERNELS = sizeof permc_mli_kernels / sizeof *permc_mli_kernels
};

/* The stride of a dim of one element says nothing. */
static int permc_mli_same(const permc_mli_permute *a,
                          const permc_mli_permute *b) {
  uint32_t i;
  if (a->element_bytes != b->element_bytes || a->rank != b->rank)
    return 0;
  for (i = 0; i < a->rank; ++i) {
    if (a->shape[i] != b->shape[i] || a->perm[i] != b->perm[i])
      return 0;
    if (a->shape[i] != 1 && a->in_stride[i] != b->in_stride[i])
      return 0;
    if (a->shape[a->perm[i]] != 1 && a->out_stride[i] != b->out_stride[i])
      return 0;
  }
  return 1;
}

static void permc_mli_move_run8(const int8_t *src, int8_t *dst, uint32_t count,
                                uint32_t src_step, uint32_t dst_step) {
  for (; count != 0; --count) {
    *dst = *src;
    src += src_step;
    dst += dst_step;
  }
}

static void permc_mli_move_run16(const int16_t *src, int16_t *dst,
                                 uint32_t count, uint32_t src_step,
                                 uint32_t dst_step) {
  for (; count != 0; --count) {
    *dst = *src;
    src += src_step;
    dst += dst_step;
  }
}

/* Any permute, for shapes that no kernel was made for. */
static void permc_mli_move(const permc_mli_permute *permute,
                           const mli_tensor *in, mli_tensor *out) {
  uint32_t size[4] = {1, 1, 1, 1}, src[4] = {0, 0, 0, 0}, dst[4] = {0, 0, 0, 0};
  uint32_t i, j, k;
  uint32_t src_i = 0, dst_i = 0;
  for (i = 0; i < permute->rank; ++i) {
    uint32_t place = 4 - permute->rank + i;
    size[place] = permute->shape[permute->perm[i]];
    src[place] = permute->in_stride[permute->perm[i]];
    dst[place] = permute->out_stride[i];
  }
  for (i = 0; i < size[0]; ++i, src_i += src[0], dst_i += dst[0]) {
    uint32_t src_j = src_i, dst_j = dst_i;
    for (j = 0; j < size[1]; ++j, src_j += src[1], dst_j += dst[1]) {
      uint32_t src_k = src_j, dst_k = dst_j;
      for (k = 0; k < size[2]; ++k, src_k += src[2], dst_k += dst[2]) {
        if (permute->element_bytes == 1)
          permc_mli_move_run8(in->data.mem.pi8 + src_k,
                              out->data.mem.pi8 + dst_k, size[3], src[3],
                              dst[3]);
        else
          permc_mli_move_run16(in->data.mem.pi16 + src_k,
                               out->data.mem.pi16 + dst_k, size[3], src[3],
                               dst[3]);
      }
    }
  }
}

#if PERMC_MLI_CHECKS || PERMC_MLI_ZERO_STRIDES
/* a * b, or the largest value if that is larger, in 32 bits. */
static uint32_t permc_mli_product(uint32_t a, uint32_t b) {
  uint32_t middle, product;
  if (a >> 16 && b >> 16)
    return UINT32_MAX;
  middle = (a >> 16) * (b & 0xFFFF) + (a & 0xFFFF) * (b >> 16);
  if (middle >> 16)
    return UINT32_MAX;
  product = (middle << 16) + (a & 0xFFFF) * (b & 0xFFFF);
  return product < middle << 16 ? UINT32_MAX : product;
}
#endif

/* Strides with those of 0 computed from the shape, if that is wanted. */
static void permc_mli_strides(const mli_tensor *tensor, uint32_t *strides) {
  uint32_t i = tensor->rank;
#if PERMC_MLI_ZERO_STRIDES
  uint32_t extent = 1;
#endif
  while (i-- > 0) {
    strides[i] = (uint32_t)tensor->mem_stride[i];
#if PERMC_MLI_ZERO_STRIDES
    if (strides[i] == 0)
      strides[i] = extent;
    extent = permc_mli_product(strides[i], tensor->shape[i]);
#endif
  }
}

#if PERMC_MLI_CHECKS

/* Elements that the memory holds; the low byte of a type is its size in bits.
 */
static uint32_t permc_mli_capacity(const mli_tensor *tensor) {
  uint32_t bits = (uint32_t)tensor->el_type & 0xFF;
  return tensor->data.capacity >> ((bits > 8) + (bits > 16));
}

/* Strides must be positive and hold the dims inside them, and the memory must
 * hold the last element. */
static mli_status permc_mli_check_tensor(const mli_tensor *tensor) {
  uint32_t i, strides[4], extent = 1, left;
  if (tensor == NULL || tensor->rank == 0 || tensor->rank > 4)
    return MLI_STATUS_BAD_TENSOR;
  if (tensor->data.mem.pi8 == NULL || tensor->data.capacity > INT32_MAX)
    return MLI_STATUS_BAD_TENSOR;
  for (i = 0; i < tensor->rank; ++i) {
    int32_t stride = tensor->mem_stride[i];
    if (tensor->shape[i] == 0 || stride < 0 ||
        (stride == 0 && !PERMC_MLI_ZERO_STRIDES))
      return MLI_STATUS_BAD_TENSOR;
  }
  permc_mli_strides(tensor, strides);
  for (i = tensor->rank; i-- > 0;) {
    if (strides[i] < extent)
      return MLI_STATUS_BAD_TENSOR;
    extent = permc_mli_product(strides[i], tensor->shape[i]);
  }
  left = permc_mli_capacity(tensor);
  for (i = 0; i < tensor->rank; ++i) {
    uint32_t reach = permc_mli_product(strides[i], tensor->shape[i] - 1);
    if (reach >= left)
      return MLI_STATUS_NOT_ENGH_MEM;
    left -= reach;
  }
  return MLI_STATUS_OK;
}

static int permc_mli_overlap(const mli_data_container *a,
                             const mli_data_container *b) {
  uintptr_t first = (uintptr_t)a->mem.pi8, second = (uintptr_t)b->mem.pi8;
  return first < second ? second - first < a->capacity
                        : first - second < b->capacity;
}

static mli_status permc_mli_check_order(const mli_tensor *in,
                                        const mli_permute_cfg *cfg,
                                        const mli_tensor *out) {
  uint32_t i, seen = 0;
  for (i = 0; i < in->rank; ++i) {
    uint32_t axis = cfg->perm_dim[i];
    if (axis >= in->rank || (seen >> axis) & 1)
      return MLI_STATUS_BAD_FUNC_CFG;
    seen |= (uint32_t)1 << axis;
    if (out->rank != in->rank || out->shape[i] != in->shape[axis])
      return MLI_STATUS_SHAPE_MISMATCH;
  }
  return MLI_STATUS_OK;
}

/* How out's quantisation memory was set up: all null, all in's, or all own. */
static mli_status permc_mli_check_quantisation(const mli_tensor *in,
                                               const mli_tensor *out) {
  const mli_data_container *from[3], *to[3];
  uint32_t i, null = 0, same = 0, count;
  from[0] = &in->el_params.sa.zero_point;
  from[1] = &in->el_params.sa.scale;
  from[2] = &in->el_params.sa.scale_frac_bits;
  to[0] = &out->el_params.sa.zero_point;
  to[1] = &out->el_params.sa.scale;
  to[2] = &out->el_params.sa.scale_frac_bits;
  if ((uint32_t)in->el_params.sa.dim >= in->rank)
    return MLI_STATUS_SPEC_PARAM_MISMATCH;
  for (i = 0; i < 3; ++i) {
    null += to[i]->mem.pi8 == NULL;
    same += to[i]->mem.pi8 != NULL && to[i]->mem.pi8 == from[i]->mem.pi8;
  }
  if (null == 3 || same == 3)
    return MLI_STATUS_OK;
  if (null != 0 || same != 0)
    return MLI_STATUS_SPEC_PARAM_MISMATCH;
  count = in->shape[in->el_params.sa.dim];
  if (to[0]->capacity / sizeof(int16_t) < count ||
      to[1]->capacity / sizeof(int16_t) < count || to[2]->capacity < count)
    return MLI_STATUS_SPEC_PARAM_MISMATCH;
  return MLI_STATUS_OK;
}

/* All checks, in the order of MLI's own. */
static mli_status permc_mli_check(const mli_tensor *in,
                                  const mli_permute_cfg *cfg,
                                  const mli_tensor *out,
                                  mli_element_type type) {
  mli_status status = permc_mli_check_tensor(in);
  if (status == MLI_STATUS_OK)
    status = permc_mli_check_tensor(out);
  if (status != MLI_STATUS_OK)
    return status;
  if (in->el_type != out->el_type)
    return MLI_STATUS_TYPE_MISMATCH;
  if (cfg == NULL)
    return MLI_STATUS_BAD_FUNC_CFG;
  status = permc_mli_check_order(in, cfg, out);
  if (status != MLI_STATUS_OK)
    return status;
  if (permc_mli_overlap(&in->data, &out->data))
    return MLI_STATUS_INCOMPATEBLE_TENSORS;
  if (in->el_type != type)
    return MLI_STATUS_TYPE_MISMATCH;
  if (type == MLI_EL_SA_8 && in->el_params.sa.dim >= 0)
    return permc_mli_check_quantisation(in, out);
  return MLI_STATUS_OK;
}

#endif /* PERMC_MLI_CHECKS */

/* The parameters of the one axis that has them move with it. */
static void permc_mli_set_axis_params(const mli_tensor *in,
                                      const mli_permute_cfg *cfg,
                                      mli_tensor *out) {
  uint32_t i, dim = (uint32_t)in->el_params.sa.dim;
  if (out->el_params.sa.scale.mem.pi16 == NULL) {
    out->el_params.sa.zero_point = in->el_params.sa.zero_point;
    out->el_params.sa.scale = in->el_params.sa.scale;
    out->el_params.sa.scale_frac_bits = in->el_params.sa.scale_frac_bits;
  } else if (out->el_params.sa.scale.mem.pi16 !=
             in->el_params.sa.scale.mem.pi16) {
    for (i = 0; i < in->shape[dim]; ++i) {
      out->el_params.sa.zero_point.mem.pi16[i] =
          in->el_params.sa.zero_point.mem.pi16[i];
      out->el_params.sa.scale.mem.pi16[i] = in->el_params.sa.scale.mem.pi16[i];
      out->el_params.sa.scale_frac_bits.mem.pi8[i] =
          in->el_params.sa.scale_frac_bits.mem.pi8[i];
    }
  }
  for (i = 0; i < in->rank; ++i)
    if (cfg->perm_dim[i] == dim)
      out->el_params.sa.dim = (int32_t)i;
}

static void permc_mli_set_params(const mli_tensor *in,
                                 const mli_permute_cfg *cfg, mli_tensor *out,
                                 mli_element_type type) {
  if (type != MLI_EL_SA_8) {
    out->el_params.fx.frac_bits = in->el_params.fx.frac_bits;
  } else if (in->el_params.sa.dim < 0) {
    out->el_params = in->el_params;
    out->el_params.sa.dim = -1;
  } else {
    permc_mli_set_axis_params(in, cfg, out);
  }
}

static mli_status permc_mli_run(const mli_tensor *in,
                                const mli_permute_cfg *cfg, mli_tensor *out,
                                mli_element_type type, uint32_t element_bytes) {
  permc_mli_permute permute;
  uint32_t i;
#if PERMC_MLI_CHECKS
  mli_status status = permc_mli_check(in, cfg, out, type);
  if (status != MLI_STATUS_OK)
    return status;
#endif
  permute.element_bytes = element_bytes;
  permute.rank = in->rank;
  for (i = 0; i < in->rank; ++i) {
    permute.shape[i] = in->shape[i];
    permute.perm[i] = cfg->perm_dim[i];
  }
  permc_mli_strides(in, permute.in_stride);
  permc_mli_strides(out, permute.out_stride);
  permc_mli_set_params(in, cfg, out, type);
  for (i = 0; i < PERMC_MLI_KERNELS; ++i)
    if (permc_mli_same(&permc_mli_kernels[i].permute, &permute)) {
      permc_mli_kernels[i].run(in->data.mem.pi8, out->data.mem.pi8);
      return MLI_STATUS_OK;
    }
  permc_mli_move(&permute, in, out);
  return MLI_STATUS_OK;
}

mli_status mli_krn_permute_fx8(const mli_tensor *in, const mli_permute_cfg *cfg,
                               mli_tensor *out) {
  return permc_mli_run(in, cfg, out, MLI_EL_FX_8, 1);
}

mli_status mli_krn_permute_fx16(const mli_tensor *in,
                                const mli_permute_cfg *cfg, mli_tensor *out) {
  return permc_mli_run(in, cfg, out, MLI_EL_FX_16, 2);
}

mli_status mli_krn_permute_sa8(const mli_tensor *in, const mli_permute_cfg *cfg,
                               mli_tensor *out) {
  return permc_mli_run(in, cfg, out, MLI_EL_SA_8, 1);
}
