/*===- permc_rt.h - permute tensors without a compiler ----------*- C -*-===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Permutes tensors whose shape and order are only known at run time. It takes a
|* kernel that was compiled for the problem if one was registered, and generic
|* kernels otherwise. Link with -lpermc_rt: nothing of LLVM is in there. Every
|* function may be called from any thread at any time.
|*
|* The ABI is stable: functions are only ever added.
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_RT_PERMC_RT_H
#define PERMC_RT_PERMC_RT_H

#include "../permc-c/kernel.h"
#include "../permc-c/status.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PERMC_RT_API __attribute__((visibility("default")))
#else
#define PERMC_RT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header: major * 10000 + minor * 100 + patch; of the library, in the
 * same form and as text. */
#define PERMC_RT_VERSION 200
PERMC_RT_API uint32_t permc_rt_version(void);
PERMC_RT_API const char *permc_rt_version_string(void);

/*===-- Errors ------------------------------------------------------------===*/

/* The status without its prefix: "OverlappingBuffers"; "Ok" for PERMC_OK. */
PERMC_RT_API const char *permc_rt_status_name(permc_status status);

/* Why the last call of this thread that failed did so: what was given and what
 * was expected. Valid until another call fails on this thread; never null. */
PERMC_RT_API const char *permc_rt_last_error(void);

/*===-- Permuting ---------------------------------------------------------===*/

/* Output dim i is input dim perm[i]. shape, perm and the strides have `rank`
 * entries. Strides are in elements, src_strides by input dim, dst_strides by
 * output dim; null stands for a dense, row-major tensor. Those of src may be
 * zero (a dim that is repeated) or negative (one that is reversed), those of
 * dst negative; those of dims of size 1, and of empty tensors, mean nothing.
 * src and dst are where the first elements are, whose indices are all 0: with
 * negative strides not where the buffers begin. From their first byte to their
 * last, gaps included, the buffers share none.
 * `threads` is how many threads may work, the calling one included; 0: as
 * permc_rt_set_threads says. On failure dst is untouched. */
PERMC_RT_API permc_status permc_rt_permute(
    const void *src, void *dst, uint32_t rank, const int64_t *shape,
    const int64_t *perm, const int64_t *src_strides, const int64_t *dst_strides,
    uint64_t element_bytes, uint32_t threads);

/* How many threads a call uses at most where it does not say. 0: all CPUs,
 * which is the default unless the environment variable PERMC_THREADS says
 * otherwise. Small tensors stay on one thread. */
PERMC_RT_API void permc_rt_set_threads(uint32_t threads);

/*===-- Elements that own memory ------------------------------------------===*/

/* For elements that cannot be moved byte by byte. indices[i] becomes the place
 * in the input of element i of the output, both counted in row-major order.
 * `count` is the room in indices; the tensor must not have more elements. */
PERMC_RT_API permc_status permc_rt_permute_indices(uint32_t rank,
                                                   const int64_t *shape,
                                                   const int64_t *perm,
                                                   uint64_t *indices,
                                                   uint64_t count);

/* Calls move(context, to, from) once for each element, `to` from 0 upwards. */
PERMC_RT_API permc_status permc_rt_permute_elements(
    uint32_t rank, const int64_t *shape, const int64_t *perm,
    void (*move)(void *context, uint64_t to, uint64_t from), void *context);

/*===-- Compiled kernels --------------------------------------------------===*/

/* Calls that have a kernel's problem, however they spell it, use the kernel
 * from now on. The info and all it points to must stay where they are. Of two
 * kernels for one problem the last wins. One for a CPU that this is not is
 * never used, nor is one with dynamic dims: registering it does nothing. */
PERMC_RT_API permc_status permc_rt_register_kernel(const permc_kernel *kernel);

/* The same for `count` kernels, such as those of a library. Registers all or,
 * on failure, none. */
PERMC_RT_API permc_status
permc_rt_register_kernels(const permc_kernel *const *kernels, uint32_t count);

/*===-- Compiling what is hot ---------------------------------------------===*/

/* From now on problems that a thread has asked for `threshold` times are
 * compiled in the background by the library libpermc.so, and the kernel is used
 * once it is there. No call ever waits for it. `library` is its path; null: as
 * the dynamic linker finds it. Fails with PERMC_UNSUPPORTED if it cannot be
 * loaded or cannot compile: it compiles one small kernel right away. */
PERMC_RT_API permc_status permc_rt_enable_jit(uint32_t threshold,
                                              const char *library);

/*===-- What it is doing --------------------------------------------------===*/

typedef struct permc_rt_statistics {
  uint32_t size; /* sizeof(permc_rt_statistics) */
  uint32_t reserved;
  const char *target;  /* of the generic kernels that are used: "x86-64-v3" */
  uint64_t registered; /* problems that have a kernel */
  uint64_t compiled;   /* kernels that the JIT has made */
  uint64_t waiting;    /* problems that it has not come to yet */
} permc_rt_statistics;

/* Fills in as much of `statistics` as its `size` says there is. */
PERMC_RT_API permc_status
permc_rt_get_statistics(permc_rt_statistics *statistics);

#ifdef __cplusplus
}
#endif

#endif /* PERMC_RT_PERMC_RT_H */
