#include "fromManifest.h"
#include "listed.h"
#include "objects.h"
#include "portable.h"
#include <stdio.h>
#include <string.h>

static int checkTranspose(void) {
  static float src[33][17], dst[17][33];
  for (int i = 0; i < 33 * 17; ++i)
    src[i / 17][i % 17] = (float)i;
  transpose(src, dst);
  for (int i = 0; i < 33 * 17; ++i)
    if (dst[i % 17][i / 17] != (float)i)
      return 0;
  return 1;
}

static int checkRoundTrip(void) {
  unsigned char src[105], there[105], again[105];
  for (int i = 0; i < 105; ++i)
    src[i] = (unsigned char)i;
  planes(src, there);
  /* planes by (2,0,1) has the shape 3x5x7, and back undoes such an order. */
  back(there, again);
  return there[35] == 1 && memcmp(src, there, 105) != 0 && again[0] == 0;
}

static int checkSwap(void) {
  float src[5][7], dst[7][5];
  unsigned char bytes[5][7], turned[7][5];
  for (int i = 0; i < 35; ++i) {
    src[i / 7][i % 7] = (float)i;
    bytes[i / 7][i % 7] = (unsigned char)i;
  }
  swap(src, dst);
  plain(bytes, turned);
  for (int i = 0; i < 35; ++i)
    if (dst[i % 7][i / 7] != (float)i || turned[i % 7][i / 7] != i)
      return 0;
  return 1;
}

int main(void) {
  int right = checkTranspose() && checkRoundTrip() && checkSwap();
  printf("%s for %s\n", right ? "right" : "WRONG", transpose_info.target);
  return !right;
}
