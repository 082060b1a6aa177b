/* Runs the kernel of every layer, and of every chain, in the table of a header
 * and compares each element with what the kernel says of itself. Then prints
 * how many there were. */

#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sizes of one call: 5, 6, 7, ... in the place of each dynamic dim. */
static uint64_t choose_sizes(const permc_kernel *kernel, int64_t *sizes,
                             int64_t *dims) {
  uint64_t bytes = kernel->element_bytes;
  for (uint32_t i = 0; i < kernel->rank; ++i)
    sizes[i] = kernel->shape[i];
  for (uint32_t k = 0; k < kernel->dynamic_dims; ++k)
    sizes[kernel->dynamic_axes[k]] = dims[k] = 5 + (int64_t)k;
  for (uint32_t i = 0; i < kernel->rank; ++i)
    bytes *= (uint64_t)sizes[i];
  return bytes;
}

static int check(const permc_kernel *kernel) {
  int64_t sizes[64], dims[64], at[64] = {0}, steps[64], step = 1;
  const uint64_t bytes = choose_sizes(kernel, sizes, dims);
  unsigned char *src = malloc(bytes + 1), *dst = malloc(bytes + 1);
  for (uint64_t i = 0; i < bytes; ++i)
    src[i] = (unsigned char)(i * 2654435761u >> 13);
  memset(dst, 0xaa, bytes + 1);
  if (kernel->dynamic_dims)
    kernel->run_dynamic(src, dst, dims);
  else
    kernel->run(src, dst);
  for (uint32_t i = kernel->rank; i-- > 0;) {
    steps[i] = step;
    step *= sizes[i];
  }
  int wrong = dst[bytes] != 0xaa;
  const uint64_t element = kernel->element_bytes;
  for (uint64_t out = 0; out < bytes; out += element) {
    uint64_t in = 0;
    for (uint32_t i = 0; i < kernel->rank; ++i)
      in += (uint64_t)(at[i] * steps[kernel->perm[i]]);
    wrong |= memcmp(dst + out, src + in * element, element) != 0;
    for (uint32_t i = kernel->rank; i-- > 0;) {
      if (++at[i] < sizes[kernel->perm[i]])
        break;
      at[i] = 0;
    }
  }
  free(src);
  free(dst);
  return wrong;
}

static int check_all(const char *what, const permc_model_layer *table,
                     uint32_t count) {
  uint32_t kernels = 0, moving = 0;
  for (uint32_t i = 0; i < count; ++i) {
    moving += table[i].moves != 0;
    if (!table[i].kernel)
      continue;
    ++kernels;
    if (check(table[i].kernel)) {
      printf("%s: wrong\n", table[i].first);
      return 1;
    }
  }
  printf("%u %s, %u with kernels, %u that move\n", count, what, kernels,
         moving);
  return 0;
}

int main(void) {
  uint32_t layers, chains;
  const permc_model_layer *all = kernels_layers(&layers);
  const permc_model_layer *rows = kernels_chains(&chains);
  return check_all("layers", all, layers) || check_all("chains", rows, chains);
}
