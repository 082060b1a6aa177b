#include "first-net.h"
#include "second-net.h"
#include <stdio.h>

/* Runs the only layer of a model, and tells of it if the result is right. */
static int run(const char *what, const permc_model_layer *layer,
               const char *end) {
  static float src[15], dst[15];
  int rows = (int)layer->kernel->shape[0];
  int columns = (int)layer->kernel->shape[1];
  for (int k = 0; k < 15; ++k) {
    src[k] = (float)k;
    dst[k] = -1;
  }
  layer->kernel->run(src, dst);
  for (int k = 0; k < 15; ++k)
    if (dst[k % columns * rows + k / columns] != (float)k)
      return 1;
  printf("%s: %s %dx%d%s", what, layer->first, rows, columns, end);
  return 0;
}

int main(void) {
  uint32_t count;
  return run("first", first_net_layers(&count), ", ") ||
         run("second", second_net_layers(&count), "\n");
}
