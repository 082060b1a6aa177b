/*===- mli_api.h - as much of embARC MLI as its permute kernels need ------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* For those who have no MLI at hand. It mirrors the structs that MLI's manual
|* publishes and MLI's status codes. The real headers order the fields
|* differently: never mix this one with code that was compiled against them.
|*
\*===----------------------------------------------------------------------===*/

#ifndef PERMC_MLI_API_H
#define PERMC_MLI_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MLI_MAX_RANK 4

typedef enum {
  MLI_STATUS_OK = 0,
  MLI_STATUS_BAD_TENSOR = 1,
  MLI_STATUS_SHAPE_MISMATCH = 2,
  MLI_STATUS_INCOMPATEBLE_TENSORS = 3, /* MLI spells it so */
  MLI_STATUS_BAD_FUNC_CFG = 4,
  MLI_STATUS_NOT_ENGH_MEM = 5,
  MLI_STATUS_NOT_SUPPORTED = 6,
  MLI_STATUS_SPEC_PARAM_MISMATCH = 7,
  MLI_STATUS_TYPE_MISMATCH = 12
} mli_status;

typedef enum {
  MLI_EL_FX_4 = 0x004,
  MLI_EL_FX_8 = 0x008,
  MLI_EL_FX_16 = 0x010,
  MLI_EL_SA_8 = 0x108,
  MLI_EL_SA_32 = 0x120,
  MLI_EL_FP_16 = 0x210,
  MLI_EL_FP_32 = 0x220
} mli_element_type;

typedef enum { MLI_EL_PARAM_SC16_ZP16 = 0 } mli_el_param_type;

typedef struct _mli_data_container {
  uint32_t capacity;
  union {
    int32_t *pi32;
    int16_t *pi16;
    int8_t *pi8;
    float *pf32;
    int32_t i32;
    int16_t i16;
    int8_t i8;
    float f32;
  } mem;
} mli_data_container;

typedef union _mli_element_params {
  struct {
    uint32_t frac_bits;
  } fx;
  struct {
    mli_el_param_type type;
    mli_data_container zero_point;
    mli_data_container scale;
    mli_data_container scale_frac_bits;
    int32_t dim;
  } sa;
} mli_element_params;

typedef struct mli_tensor {
  mli_data_container data;
  uint32_t shape[MLI_MAX_RANK];
  int32_t mem_stride[MLI_MAX_RANK];
  uint32_t rank;
  mli_element_type el_type;
  mli_element_params el_params;
} mli_tensor;

typedef struct {
  uint8_t perm_dim[MLI_MAX_RANK];
} mli_permute_cfg;

mli_status mli_krn_permute_fx8(const mli_tensor *in, const mli_permute_cfg *cfg,
                               mli_tensor *out);
mli_status mli_krn_permute_fx16(const mli_tensor *in,
                                const mli_permute_cfg *cfg, mli_tensor *out);
mli_status mli_krn_permute_sa8(const mli_tensor *in, const mli_permute_cfg *cfg,
                               mli_tensor *out);

#ifdef __cplusplus
}
#endif

#endif /* PERMC_MLI_API_H */
