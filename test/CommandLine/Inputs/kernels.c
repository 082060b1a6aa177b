#include "kernels.h"
#include <stdio.h>
#include <string.h>

static void describe(const permc_kernel *kernel) {
  printf("%s: %s, ", kernel->name, kernel->element);
  for (uint32_t i = 0; i < kernel->rank; ++i)
    printf("%s%d", i ? "x" : "", (int)kernel->shape[i]);
  for (uint32_t i = 0; i < kernel->rank; ++i)
    printf("%s%d", i ? "," : " by ", (int)kernel->perm[i]);
  printf(", %d -> %d bytes\n", (int)kernel->src_bytes, (int)kernel->dst_bytes);
}

int main(void) {
  describe(&hwc_to_chw_info);
  describe(&swap_matlab_info);

  uint8_t pixels[5 * 7 * 3], planes[3 * 5 * 7], fromParts[3 * 5 * 7];
  for (int i = 0; i < 105; ++i)
    pixels[i] = (uint8_t)i;
  hwc_to_chw(pixels, planes);
  for (int i = 0; i < 105; ++i)
    printf("%d%c", planes[i], i < 104 ? ' ' : '\n');

  memset(fromParts, 0xFF, sizeof fromParts);
  for (uint32_t part = 0; part < 4; ++part)
    hwc_to_chw_part(pixels, fromParts, part, 4);
  printf("in 4 parts: %s\n",
         memcmp(planes, fromParts, sizeof planes) ? "different" : "the same");

  /* Column-major: 2x3, so that the first dim is the fast one. */
  const float matrix[6] = {0, 1, 2, 3, 4, 5};
  float swapped[6];
  swap_matlab(matrix, swapped);
  for (int i = 0; i < 6; ++i)
    printf("%d%c", (int)swapped[i], i < 5 ? ' ' : '\n');
}
