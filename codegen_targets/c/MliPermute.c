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

/* @SUPPORT@ */

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

/* @KERNELS@ */

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
