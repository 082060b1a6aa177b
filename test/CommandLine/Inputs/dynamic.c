#include "planes.h"
#include <stdio.h>

/* Images of 2x3 pixels to planes, for some numbers of them. */
int main(void) {
  uint8_t src[3 * 2 * 3 * 3], dst[sizeof src], parts[sizeof src];
  int64_t count;
  for (unsigned i = 0; i < sizeof src; ++i)
    src[i] = (uint8_t)i;
  for (count = 0; count <= 3; ++count) {
    int same = 1;
    for (unsigned i = 0; i < sizeof src; ++i)
      dst[i] = parts[i] = 255;
    planes(src, dst, &count);
    for (uint32_t part = 0; part < 5; ++part)
      planes_part(src, parts, &count, part, 5);
    printf("%d:", (int)count);
    for (unsigned i = 0; i < sizeof src; ++i) {
      same &= dst[i] == parts[i];
      if (dst[i] != 255)
        printf(" %d", dst[i]);
    }
    printf("%s\n", same ? "" : " and parts differ");
  }
  printf("%s: %d dynamic, dim %d, shape %d,%d,%d,%d, run %d\n",
         planes_info.name, (int)planes_info.dynamic_dims,
         (int)planes_info.dynamic_axes[0], (int)planes_info.shape[0],
         (int)planes_info.shape[1], (int)planes_info.shape[2],
         (int)planes_info.shape[3], planes_info.run != 0);
  return planes_info.run_dynamic != planes;
}
