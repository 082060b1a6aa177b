/* Calls the kernel that scripts/demo.sh compiled and checks every pixel. */
#include "hwc_to_chw.h"
#include <stdio.h>

enum { H = 224, W = 224, C = 3 };
static uint8_t hwc[H][W][C], chw[C][H][W];

int main(void) {
  int wrong = 0;
  for (int i = 0; i < H * W * C; i++)
    (&hwc[0][0][0])[i] = (uint8_t)(i * 31 + i / 251);
  hwc_to_chw(hwc, chw);
  for (int i = 0; i < H * W * C; i++)
    wrong +=
        hwc[i / C / W][i / C % W][i % C] != chw[i % C][i / C / W][i / C % W];
  printf("%d of %d bytes are where they belong\n", H * W * C - wrong,
         H * W * C);
  return wrong != 0;
}
