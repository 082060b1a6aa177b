#include "transpose.h"
#include <stdio.h>

int main(void) {
  uint16_t src[5 * 7], dst[7 * 5];
  for (int i = 0; i < 35; ++i)
    src[i] = (uint16_t)i;
  transpose(src, dst);
  for (int i = 0; i < 35; ++i)
    printf("%d%c", dst[i], i < 34 ? ' ' : '\n');
}
