/* Runs layout changes of a network by the names that they have there. */

#include "attention.h" /* made from attention.mlir */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 128, HEADS = 12, DEPTH = 64, IMAGES = 2, PIXELS = 224 * 224 };

static void expect(const char *what, int right) {
  printf("%s: %s\n", what, right ? "right" : "WRONG");
  if (!right)
    exit(1);
}

/* The kernel of the layers from `first` to `last`: of one layer, or of some in
 * a row that are one permutation. */
static const permc_kernel *find(const char *first, const char *last) {
  uint32_t layers, chains;
  const permc_model_layer *layer = attention_layers(&layers);
  const permc_model_layer *chain = attention_chains(&chains);
  for (uint32_t i = 0; i < layers; ++i)
    if (!strcmp(layer[i].first, first) && !strcmp(layer[i].last, last))
      return layer[i].kernel;
  for (uint32_t i = 0; i < chains; ++i)
    if (!strcmp(chain[i].first, first) && !strcmp(chain[i].last, last))
      return chain[i].kernel;
  return NULL;
}

int main(void) {
  static float in[TOKENS][HEADS][DEPTH];
  static float queries[HEADS][TOKENS][DEPTH], keys[HEADS][DEPTH][TOKENS];
  for (int i = 0; i < TOKENS * HEADS * DEPTH; ++i)
    (&in[0][0][0])[i] = (float)i;

  find("heads/tosa.transpose#0", "heads/tosa.transpose#0")->run(in, queries);
  find("heads/tosa.transpose#1", "heads/tosa.transpose#2")->run(in, keys);
  int right = 1;
  for (int t = 0; t < TOKENS; ++t)
    for (int h = 0; h < HEADS; ++h)
      for (int d = 0; d < DEPTH; ++d)
        right &=
            queries[h][t][d] == in[t][h][d] && keys[h][d][t] == in[t][h][d];
  expect("queries and keys", right);

  /* The size of a dim that is `?` in the network comes with the call. */
  static unsigned char image[IMAGES][PIXELS][3], planes[IMAGES][3][PIXELS];
  for (int i = 0; i < IMAGES * PIXELS * 3; ++i)
    (&image[0][0][0])[i] = (unsigned char)(i * 31 + i / 1000);
  const char *name = "image/tosa.transpose#0";
  const int64_t images[] = {IMAGES};
  find(name, name)->run_dynamic(image, planes, images);
  for (int n = 0; n < IMAGES; ++n)
    for (int p = 0; p < PIXELS; ++p)
      for (int c = 0; c < 3; ++c)
        right &= planes[n][c][p] == image[n][p][c];
  expect("images", right);
  return 0;
}
