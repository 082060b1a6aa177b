/* Permutes an image through MLI's API and prints a pixel before and after. */

#include "mli_api.h"

#include <stdio.h>

enum { HEIGHT = 32, WIDTH = 32, CHANNELS = 3, BYTES = 32 * 32 * 3 };

static int8_t image[BYTES], planes[BYTES];

static mli_tensor makeTensor(int8_t *data, uint32_t a, uint32_t b, uint32_t c) {
  mli_tensor tensor = {0};
  tensor.data.capacity = BYTES;
  tensor.data.mem.pi8 = data;
  tensor.rank = 3;
  tensor.shape[0] = a;
  tensor.shape[1] = b;
  tensor.shape[2] = c;
  tensor.mem_stride[0] = (int32_t)(b * c);
  tensor.mem_stride[1] = (int32_t)c;
  tensor.mem_stride[2] = 1;
  tensor.el_type = MLI_EL_FX_8;
  tensor.el_params.fx.frac_bits = 7;
  return tensor;
}

int main(void) {
  mli_tensor in = makeTensor(image, HEIGHT, WIDTH, CHANNELS);
  mli_tensor out = makeTensor(planes, CHANNELS, HEIGHT, WIDTH);
  mli_permute_cfg order = {{2, 0, 1, 0}};
  int i, y = 5, x = 9;
  for (i = 0; i < BYTES; ++i)
    image[i] = (int8_t)(i % 101);
  if (mli_krn_permute_fx8(&in, &order, &out) != MLI_STATUS_OK)
    return 1;
  printf(
      "pixel (%d, %d): %d %d %d in HWC, %d %d %d in CHW\n", y, x,
      image[(y * WIDTH + x) * CHANNELS], image[(y * WIDTH + x) * CHANNELS + 1],
      image[(y * WIDTH + x) * CHANNELS + 2], planes[y * WIDTH + x],
      planes[(HEIGHT + y) * WIDTH + x], planes[(2 * HEIGHT + y) * WIDTH + x]);
  return 0;
}
