/*===- permc.h - permc's C API ----------------------------------*- C -*-===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Permutes tensors at run time with kernels compiled for their shape. Link with
|* -lpermc. Every function may be called from any thread at any time.
|*
|* The ABI is stable: functions are only ever added, and so are fields, at the
|* end of a struct. Set `size` of a struct to its sizeof and everything that you
|* do not use to zero.
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_PERMC_H
#define PERMC_PERMC_H

#include "kernel.h"
#include "status.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PERMC_API __attribute__((visibility("default")))
#else
#define PERMC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Versions ----------------------------------------------------------===*/

/* Of this header: major * 10000 + minor * 100 + patch. */
#define PERMC_VERSION 200

/* Of the library, in the same form and as text: "0.2.0". */
PERMC_API uint32_t permc_version(void);
PERMC_API const char *permc_version_string(void);

/*===-- Errors ------------------------------------------------------------===*/

/* The status without its prefix: "OverlappingBuffers"; "Ok" for PERMC_OK. */
PERMC_API const char *permc_status_name(permc_status status);

/* Why the last call of this thread that failed did so: what was given and what
 * was expected. Valid until another call fails on this thread; never null. */
PERMC_API const char *permc_last_error(void);

/*===-- One call ----------------------------------------------------------===*/

/* Permutes a dense, row-major tensor: output dim i is input dim perm[i]. shape
 * and perm have `rank` entries; src and dst hold all elements and share no
 * byte. The first call for a shape compiles a kernel for it. */
PERMC_API permc_status permc_permute(const void *src, void *dst, uint32_t rank,
                                     const int64_t *shape, const int64_t *perm,
                                     uint64_t element_bytes);

/* How many threads a call uses at most, the calling one included, where nothing
 * else is said. 0: all CPUs, which is the default unless the environment
 * variable PERMC_THREADS says otherwise. Small tensors stay on one thread. */
PERMC_API void permc_set_threads(uint32_t threads);

/*===-- Other people's orders ---------------------------------------------===*/

/* Whose rules an order follows. */
typedef enum permc_convention {
  PERMC_NUMPY = 0,
  PERMC_MATLAB = 1, /* 1-based, column-major */
  PERMC_OPENVINO = 2,
  PERMC_MLI = 3
} permc_convention;

/* What the entries of an order are in memory. */
typedef enum permc_order_number {
  PERMC_ORDER_I64 = 0,
  PERMC_ORDER_I32,
  PERMC_ORDER_I16,
  PERMC_ORDER_I8,
  PERMC_ORDER_U64,
  PERMC_ORDER_U32,
  PERMC_ORDER_U16,
  PERMC_ORDER_U8,
  PERMC_ORDER_F64 /* as MATLAB has them */
} permc_order_number;

/* A shape and an order as a convention writes them. */
typedef struct permc_order {
  uint32_t size;        /* sizeof(permc_order) */
  uint32_t convention;  /* a permc_convention */
  uint32_t rank;        /* entries of shape */
  uint32_t length;      /* entries of order */
  const int64_t *shape; /* as the convention lists it */
  const void *order;
  uint32_t number;   /* a permc_order_number */
  uint32_t inverse;  /* not 0: undo the order, as MATLAB's ipermute */
  uint32_t is_char;  /* not 0: MATLAB's characters, of 16 bits in two dims */
  uint32_t reserved; /* 0 */
} permc_order;

/* What rank, shape and perm of permc_permute are for that order: row-major and
 * 0-based. There must be room for PERMC_MAX_RANK entries in shape and perm, and
 * in result_shape, which may be null: the shape of the result as the convention
 * lists it, of *rank entries. */
#define PERMC_MAX_RANK 64
PERMC_API permc_status permc_resolve_order(const permc_order *order,
                                           uint32_t *rank, int64_t *shape,
                                           int64_t *perm,
                                           int64_t *result_shape);

/*===-- Plans -------------------------------------------------------------===*/

/* A permutation, fully described. Strides of src may be zero (a dim that is
 * repeated) or negative (one that is reversed), those of dst negative; those of
 * dims of size 1, and of empty tensors, mean nothing. */
typedef struct permc_problem {
  uint32_t size; /* sizeof(permc_problem) */
  uint32_t rank;
  uint64_t element_bytes;
  const int64_t *shape;       /* of the input */
  const int64_t *perm;        /* output dim i is input dim perm[i] */
  const int64_t *src_strides; /* in elements, by input dim; null: dense */
  const int64_t *dst_strides; /* in elements, by output dim; null: dense */
} permc_problem;

/* A scheduler of the caller's: calls body(argument, part) once for each part
 * below `parts`, on any threads, and returns when all are done. */
typedef void (*permc_parallel_for)(void *context, uint32_t parts,
                                   void (*body)(void *argument, uint32_t part),
                                   void *argument);

typedef struct permc_plan_options {
  uint32_t size;      /* sizeof(permc_plan_options) */
  uint32_t threads;   /* at most; 0: as permc_set_threads says */
  const char *target; /* null: this machine; else as in `permc targets` */
  permc_parallel_for parallel_for; /* null: permc's own threads */
  void *parallel_context;          /* its first argument */
} permc_plan_options;

/* Compiles kernels and keeps them. Null stands for the one of the process. */
typedef struct permc_jit permc_jit;

/* A kernel that is ready to run. Any number of threads may run it at once. */
typedef struct permc_plan permc_plan;

/* Makes a plan; `options` may be null. The plan holds one reference, which
 * belongs to the caller. */
PERMC_API permc_status permc_plan_create(permc_jit *jit,
                                         const permc_problem *problem,
                                         const permc_plan_options *options,
                                         permc_plan **plan);

/* One reference more; returns `plan`. */
PERMC_API permc_plan *permc_plan_retain(permc_plan *plan);
/* One reference less; the last one frees the plan. Null is allowed. */
PERMC_API void permc_plan_release(permc_plan *plan);

/* Runs the plan. src and dst are where the first elements are, whose indices
 * are all 0: with negative strides not where the buffers begin. The same holds
 * for the two functions below. */
PERMC_API permc_status permc_plan_run(const permc_plan *plan, const void *src,
                                      void *dst);

/* The same for buffers of known size, which must not be too small. */
PERMC_API permc_status permc_plan_run_sized(const permc_plan *plan,
                                            const void *src, uint64_t src_bytes,
                                            void *dst, uint64_t dst_bytes);

/* Does one share of the work, on this thread. Shares are disjoint; all of them,
 * 0 to parts - 1, make the whole. */
PERMC_API permc_status permc_plan_run_part(const permc_plan *plan,
                                           const void *src, void *dst,
                                           uint32_t part, uint32_t parts);

/* What the plan's kernel is: shape, strides, bytes, entry points. Valid as long
 * as the plan. Calling its entry points skips all checks; they take where the
 * buffers begin (kernel.h). */
PERMC_API const permc_kernel *permc_plan_kernel(const permc_plan *plan);

/*===-- Compilers of one's own --------------------------------------------===*/

typedef struct permc_jit_options {
  uint32_t size;     /* sizeof(permc_jit_options) */
  uint32_t reserved; /* zero */
  /* What kernels that are kept for later may cost; 0: 64 MiB. Those used least
   * recently leave first, but never while a plan uses them. */
  uint64_t cache_bytes;
  /* A folder in which compiled kernels outlive the process; null: none. It must
   * belong to the user and be writable by nobody else. */
  const char *cache_directory;
  /* What the files in that folder may take; 0: 256 MiB. Those used longest ago
   * go first. */
  uint64_t cache_directory_bytes;
  /* What 'permc calibrate -o FILE' measured of this machine; null: none. */
  const char *machine_file;
} permc_jit_options;

/* Makes a compiler with a cache of its own. The one of the process reads its
 * options from the environment: PERMC_CACHE_BYTES, PERMC_CACHE_DIR,
 * PERMC_CACHE_DIR_BYTES, PERMC_MACHINE (a machine file). */
PERMC_API permc_status permc_jit_create(const permc_jit_options *options,
                                        permc_jit **jit);
/* Its plans stay valid. Null is allowed. */
PERMC_API void permc_jit_destroy(permc_jit *jit);

typedef struct permc_jit_statistics {
  uint32_t size; /* sizeof(permc_jit_statistics) */
  uint32_t reserved;
  uint64_t compiled;       /* kernels made from scratch */
  uint64_t read_from_disk; /* kernels found in the cache directory */
  uint64_t cache_hits;     /* plans served by a kernel that was there */
  uint64_t evicted;        /* kernels that had to make room */
  uint64_t cached_kernels; /* kept now */
  uint64_t cached_bytes;
} permc_jit_statistics;

/* Fills in as much of `statistics` as its `size` says there is. */
PERMC_API permc_status
permc_jit_get_statistics(permc_jit *jit, permc_jit_statistics *statistics);

#ifdef __cplusplus
}
#endif

#endif /* PERMC_PERMC_H */
