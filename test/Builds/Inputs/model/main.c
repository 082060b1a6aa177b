#include "net.h"
#include <stdio.h>

int main(void) {
  static float src[1024], dst[1024];
  uint32_t count;
  const permc_model_layer *layers = net_layers(&count);
  for (uint32_t i = 0; i < count; ++i) {
    const permc_kernel *kernel = layers[i].kernel;
    int rows = (int)kernel->shape[0], columns = (int)kernel->shape[1];
    int right = 1;
    for (int k = 0; k < rows * columns; ++k)
      src[k] = (float)k;
    kernel->run(src, dst);
    for (int k = 0; k < rows * columns; ++k)
      right &= dst[k % columns * rows + k / columns] == (float)k;
    printf("%s: %dx%d %s\n", layers[i].first, rows, columns,
           right ? "right" : "WRONG");
  }
  return 0;
}
