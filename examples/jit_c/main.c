/* Permutes an image from interleaved pixels (HWC) to colour planes (CHW), once
 * with one call, then with a plan, then with threads of our own. */

#include <permc-c/permc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  HEIGHT = 1080,
  WIDTH = 1920,
  CHANNELS = 3,
  BYTES = HEIGHT * WIDTH * CHANNELS
};

static unsigned char image[BYTES], planes[BYTES];

static void must(permc_status status) {
  if (status == PERMC_OK)
    return;
  fprintf(stderr, "%s: %s\n", permc_status_name(status), permc_last_error());
  exit(1);
}

/* Pixel (row, column) of the image is at the same place in each plane. */
static void check(const char *how) {
  for (int i = 0; i < HEIGHT * WIDTH; ++i)
    for (int c = 0; c < CHANNELS; ++c)
      if (planes[c * HEIGHT * WIDTH + i] != image[i * CHANNELS + c]) {
        fprintf(stderr, "%s: wrong at pixel %d, channel %d\n", how, i, c);
        exit(1);
      }
  printf("%s: right\n", how);
  memset(planes, 0, sizeof planes);
}

/* Stands for the parallel loop of a program that has one (OpenMP, TBB, ...). */
static void my_parallel_for(void *context, uint32_t parts,
                            void (*body)(void *argument, uint32_t part),
                            void *argument) {
  unsigned *calls = context;
  for (uint32_t part = 0; part < parts; ++part) {
    body(argument, part);
    ++*calls;
  }
}

int main(void) {
  const int64_t shape[] = {HEIGHT, WIDTH, CHANNELS};
  const int64_t hwc_to_chw[] = {2, 0, 1}; /* output dim i is input dim [i] */
  for (int i = 0; i < BYTES; ++i)
    image[i] = (unsigned char)(i * 31 + i / 1000);
  printf("permc %s\n", permc_version_string());

  /* One call. The first one for a shape compiles, the others find it done. */
  must(permc_permute(image, planes, 3, shape, hwc_to_chw, 1));
  check("one call");

  /* A plan: compiled here, nothing left to look up later. */
  permc_problem problem = {0};
  problem.size = sizeof problem;
  problem.rank = 3;
  problem.element_bytes = 1;
  problem.shape = shape;
  problem.perm = hwc_to_chw;
  unsigned calls = 0;
  permc_plan_options options = {0};
  options.size = sizeof options;
  options.threads = 4;
  options.parallel_for = my_parallel_for;
  options.parallel_context = &calls;
  permc_plan *plan;
  must(permc_plan_create(NULL, &problem, &options, &plan));
  must(permc_plan_run_sized(plan, image, sizeof image, planes, sizeof planes));
  check("a plan");
  printf("our loop ran %u parts\n", calls); /* of less than 2 MiB: none */
  if (calls == 0)
    return 1;

  /* Or share by share, from wherever. */
  for (uint32_t part = 0; part < 4; ++part)
    must(permc_plan_run_part(plan, image, planes, part, 4));
  check("four shares");
  permc_plan_release(plan);

  /* What goes wrong is a status and a message; dst is not touched. */
  permc_status status = permc_permute(image, image, 3, shape, hwc_to_chw, 1);
  printf("%s: %s\n", permc_status_name(status), permc_last_error());
  return status == PERMC_OVERLAPPING_BUFFERS ? 0 : 1;
}
