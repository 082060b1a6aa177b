/* Changes layouts with kernels that were compiled with the program: it needs
 * nothing of permc when it runs. */

#include "layouts.h" /* made from layouts.yaml */

#include <stdio.h>
#include <stdlib.h>

enum { HW = 224 * 224, C = 3, IMAGES = 2, S = 197, HEADS = 12, D = 64 };

static void expect(const char *what, int right) {
  printf("%s: %s\n", what, right ? "right" : "WRONG");
  if (!right)
    exit(1);
}

static int is_planes(const unsigned char *pixels, const unsigned char *planes) {
  for (int i = 0; i < HW; ++i)
    for (int c = 0; c < C; ++c)
      if (planes[c * HW + i] != pixels[i * C + c])
        return 0;
  return 1;
}

int main(void) {
  static unsigned char pixels[IMAGES * HW * C], planes[IMAGES * HW * C];
  for (int i = 0; i < IMAGES * HW * C; ++i)
    pixels[i] = (unsigned char)(i * 31 + i / 1000);

  image_to_planes(pixels, planes);
  expect("one image", is_planes(pixels, planes));

  /* A size that is `?` comes with the call. */
  const int64_t images[] = {IMAGES};
  batch_to_planes(pixels, planes, images);
  expect("two images", is_planes(pixels, planes) &&
                           is_planes(pixels + HW * C, planes + HW * C));

  /* Shares are disjoint: give each to a thread of your own. */
  static float tokens[8 * S * HEADS * D], heads[8 * S * HEADS * D];
  for (int i = 0; i < 8 * S * HEADS * D; ++i)
    tokens[i] = (float)i;
  for (uint32_t part = 0; part < 4; ++part)
    split_heads_part(tokens, heads, part, 4);
  int right = 1; /* of batch 7: head 5 of token 3, against token 3, head 5 */
  for (int d = 0; d < D; ++d)
    right &= heads[((7 * HEADS + 5) * S + 3) * D + d] ==
             tokens[((7 * S + 3) * HEADS + 5) * D + d];
  expect("heads in four shares", right);

  /* What a kernel is, for programs that look. */
  uint32_t count;
  const permc_kernel *const *kernels = layouts_kernels(&count);
  for (uint32_t i = 0; i < count; ++i)
    printf("%s: rank %u, %s, for %s\n", kernels[i]->name, kernels[i]->rank,
           kernels[i]->element, kernels[i]->target);
  return 0;
}
