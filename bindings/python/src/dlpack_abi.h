/*===- dlpack_abi.h - the structs of DLPack ---------------------*- C -*-===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* The exchange format of https://dmlc.github.io/dlpack, as in its versions
|* before 1.0, which all libraries still speak.
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_PYTHON_DLPACK_ABI_H
#define PERMC_PYTHON_DLPACK_ABI_H

#include <stdint.h>

#define DLPACK_CPU 1

struct dl_type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct dl_tensor {
  void *data;
  int32_t device_type, device_id;
  int32_t ndim;
  struct dl_type type;
  int64_t *shape;
  int64_t *strides; /* in elements; null: dense */
  uint64_t byte_offset;
};

struct dl_managed_tensor {
  struct dl_tensor tensor;
  void *context;
  void (*deleter)(struct dl_managed_tensor *self);
};

#endif /* PERMC_PYTHON_DLPACK_ABI_H */
