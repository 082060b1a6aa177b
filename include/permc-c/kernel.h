/*===- kernel.h - what a compiled kernel says of itself -------------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_KERNEL_H
#define PERMC_KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Describes one kernel. Output dim i is input dim perm[i]; strides are in
 * elements. A kernel takes where its buffers begin, their lowest byte, whatever
 * the signs of strides. A dim of size n with the negative stride -s puts the
 * first element (n - 1) * s elements behind that. Fields are only ever added at
 * the end: `size` tells which exist.
 *
 * A kernel with dynamic dims has no `run` and `run_part` but `run_dynamic` and
 * `run_dynamic_part`. Sizes that depend on those dims are PERMC_DYNAMIC,
 * strides PERMC_DYNAMIC_STRIDE, src_bytes and dst_bytes are 0. */
#define PERMC_DYNAMIC (-1)
#define PERMC_DYNAMIC_STRIDE INT64_MIN
typedef struct permc_kernel {
  uint32_t size; /* sizeof(permc_kernel) when it was compiled */
  uint32_t rank; /* of shape, perm and both strides */
  uint32_t element_bytes;
  uint32_t alignment; /* bytes at which both pointers are fastest */
  uint64_t src_bytes; /* what the kernel reads lies in src[0, src_bytes) */
  uint64_t dst_bytes; /* what it writes lies in dst[0, dst_bytes) */
  const int64_t *shape;
  const int64_t *perm;
  const int64_t *src_strides; /* by input dim */
  const int64_t *dst_strides; /* by output dim */
  const char *name;
  const char *element; /* "f32", "u8", "bytes12", ... */
  const char *target;  /* "x86-64-v3", ... */
  void (*run)(const void *src, void *dst);
  void (*run_part)(const void *src, void *dst, uint32_t part, uint32_t parts);
  uint32_t dynamic_dims; /* how many dims a call brings; 0: all are static */
  /* dims[k] of a call is the size of shape[dynamic_axes[k]]. Strides that come
   * with the call follow on: rank + i is src_strides[i], 2 * rank + i is
   * dst_strides[i]. */
  const int64_t *dynamic_axes;
  void (*run_dynamic)(const void *src, void *dst, const int64_t *dims);
  void (*run_dynamic_part)(const void *src, void *dst, const int64_t *dims,
                           uint32_t part, uint32_t parts);
} permc_kernel;

#ifdef __cplusplus
}
#endif

#endif /* PERMC_KERNEL_H */
