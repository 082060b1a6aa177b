/* Permutes tensors whose shape and order are only known at run time, without a
 * compiler on board: generic kernels, a kernel of our own for one problem, and
 * elements that own memory. */

#include <permc-rt/permc_rt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(permc_status status) {
  if (status == PERMC_OK)
    return;
  fprintf(stderr, "%s: %s\n", permc_rt_status_name(status),
          permc_rt_last_error());
  exit(1);
}

static void expect(const char *what, int right) {
  printf("%s: %s\n", what, right ? "right" : "WRONG");
  if (!right)
    exit(1);
}

/* What `permc compile 2x3xu8 --perm 1,0` would give: a function that knows its
 * problem, and an info that describes it. */
static int own_kernel_ran;
static void own_kernel(const void *src, void *dst) {
  const unsigned char *from = src;
  unsigned char *to = dst;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      to[j * 2 + i] = from[i * 3 + j];
  own_kernel_ran = 1;
}

static void move_string(void *context, uint64_t to, uint64_t from) {
  const char **strings = context; /* six of src, six of dst */
  strings[6 + to] = strings[from];
}

int main(void) {
  /* A tensor with a gap behind each row; as many threads as there are CPUs. */
  enum { ROWS = 480, COLUMNS = 640, PITCH = 648 };
  static float image[ROWS * PITCH], turned[COLUMNS * ROWS];
  for (int i = 0; i < ROWS * PITCH; ++i)
    image[i] = (float)i;
  const int64_t shape[] = {ROWS, COLUMNS}, transpose[] = {1, 0};
  const int64_t pitch[] = {PITCH, 1};
  must(permc_rt_permute(image, turned, 2, shape, transpose, pitch, NULL,
                        sizeof(float), 0));
  expect("generic kernels", turned[7 * ROWS + 5] == image[5 * PITCH + 7]);

  /* A kernel that was compiled for a problem is used from now on. */
  static const int64_t small[] = {2, 3};
  static permc_kernel info;
  info.size = sizeof info;
  info.rank = 2;
  info.element_bytes = 1;
  info.shape = small;
  info.perm = transpose;
  info.name = "own_kernel";
  info.element = "u8";
  permc_rt_statistics statistics = {0};
  statistics.size = sizeof statistics;
  must(permc_rt_get_statistics(&statistics));
  info.target = statistics.target; /* ours runs anywhere */
  info.run = own_kernel;
  must(permc_rt_register_kernel(&info));
  unsigned char src[6] = "abcdef", dst[6];
  must(permc_rt_permute(src, dst, 2, small, transpose, NULL, NULL, 1, 1));
  expect("a registered kernel",
         own_kernel_ran && memcmp(dst, "adbecf", 6) == 0);

  /* Strings cannot be moved byte by byte. */
  const char *strings[12] = {"a", "bb", "ccc", "dddd", "eeeee", "ffffff"};
  must(permc_rt_permute_elements(2, small, transpose, move_string, strings));
  expect("strings", strcmp(strings[6 + 1], "dddd") == 0);

  /* What goes wrong is a status and a message; dst is not touched. */
  const int64_t twice[] = {1, 1};
  permc_status status =
      permc_rt_permute(src, dst, 2, small, twice, NULL, NULL, 1, 1);
  printf("%s: %s\n", permc_rt_status_name(status), permc_rt_last_error());
  return status == PERMC_DUPLICATE_AXIS ? 0 : 1;
}
