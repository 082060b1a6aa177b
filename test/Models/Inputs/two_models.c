/* The kernels of several models in one program. */

#include "a/kernels.h"
#include "b/kernels.h"
#include "mixed.h"
#include "other.h"

#include <stdio.h>

#define MODELS 4

int main(void) {
  static const char *const names[MODELS] = {"first", "second", "other",
                                            "mixed"};
  uint32_t counts[MODELS];
  const permc_model_layer *layers[MODELS] = {
      first_layers(&counts[0]), second_layers(&counts[1]),
      other_layers(&counts[2]), mixed_layers(&counts[3])};
  int shared = 0;
  for (int i = 0; i < MODELS; ++i) {
    printf("%s: %u layers%s", names[i], counts[i], i < MODELS - 1 ? ", " : "");
    for (int j = 0; j < i; ++j)
      shared += layers[i][0].kernel == layers[j][0].kernel;
  }
  printf("; %s\n", shared ? "kernels are shared" : "no two kernels are one");
  return 0;
}
