/* Two rows of two pixels, ten bytes apart; then the last row first. */
#include "image.h"

#include <stdio.h>

int main(void) {
  unsigned char src[16], dst[12];
  int64_t dims[] = {2, 2, 10};
  const permc_kernel *info = &image_info;
  for (int i = 0; i < 16; ++i)
    src[i] = (unsigned char)i;
  image(src, dst, dims);
  for (int i = 0; i < 12; ++i)
    printf(i < 11 ? "%d " : "%d\n", dst[i]);
  dims[2] = -10;
  image(src, dst, dims);
  for (int i = 0; i < 6; ++i)
    printf(i < 5 ? "%d " : "%d\n", dst[i]);
  printf("%d numbers, places %d %d %d, stride %s, %d %d\n",
         (int)info->dynamic_dims, (int)info->dynamic_axes[0],
         (int)info->dynamic_axes[1], (int)info->dynamic_axes[2],
         info->src_strides[0] == PERMC_DYNAMIC_STRIDE ? "open" : "known",
         (int)info->src_strides[1], (int)info->src_strides[2]);
  return 0;
}
