/* Kernels that are wrong, each in one way: WRONG says in which. They are 8
 * bytes wide copies of 16 bytes in two rows. */

#include "check.h"

static const int64_t perm[] = {0, 1}, strides[] = {8, 1};

static void copy(const unsigned char *src, unsigned char *dst, int first,
                 int end) {
  for (int i = first; i < end; ++i)
    *(volatile unsigned char *)(dst + i) = src[i];
}

#if WRONG < 10
static const int64_t shape[] = {2, 8};

static void run(const void *source, void *dest) {
  const unsigned char *src = source;
  unsigned char *dst = dest;
  copy(src, dst, 0, 16);
#if WRONG == 1 /* two bytes in each other's place */
  dst[3] = src[4];
  dst[4] = src[3];
#elif WRONG == 2 /* a byte too many */
  dst[16] = src[15];
#elif WRONG == 3 /* a byte in front */
  if ((uintptr_t)dst % 64)
    dst[-1] = src[0];
#elif WRONG == 4 /* right only if src is aligned */
  if ((uintptr_t)src % 4)
    dst[9] = src[8];
#elif WRONG == 5 /* writes to src */
  *(volatile unsigned char *)src = 1;
#elif WRONG == 6 /* reads behind src */
  (void)*(volatile const unsigned char *)(src + 16);
#endif
}

static void run_part(const void *src, void *dst, uint32_t part,
                     uint32_t parts) {
  (void)parts;
#if WRONG == 7 /* two parts write the same */
  copy(src, dst, part == 0 ? 0 : 8, part <= 1 ? 16 : 8);
#elif WRONG == 8 /* the last byte is nobody's */
  copy(src, dst, 0, part == 0 ? 15 : 0);
#else
  copy(src, dst, 0, part == 0 ? 16 : 0);
#endif
}

static const permc_kernel info = {sizeof info,
                                  2,
                                  1,
                                  WRONG == 9 ? 4 : 64,
                                  16,
                                  WRONG == 9 ? 15 : 16,
                                  shape,
                                  perm,
                                  strides,
                                  strides,
                                  "wrong",
                                  "u8",
                                  "by hand",
                                  run,
                                  run_part,
                                  0,
                                  0,
                                  0,
                                  0};

const struct asked asked[] = {
    {"wrong", &info, run, run_part, 2, 1, shape, strides, strides, 0, 0, 0, 0},
    {0}};

#else /* with dynamic dims: rows of 8 bytes, as many as dims[0] says */

static void run_dynamic(const void *src, void *dst, const int64_t *dims) {
#if WRONG == 11 /* moves nothing if there are three rows */
  if (dims[0] == 3)
    return;
#endif
  copy(src, dst, 0, 8 * (int)dims[0]);
}

static void run_dynamic_part(const void *src, void *dst, const int64_t *dims,
                             uint32_t part, uint32_t parts) {
  (void)parts;
  if (part == 0 || WRONG == 12) /* the second part does it once more */
    run_dynamic(src, dst, dims);
}

static const int64_t open_shape[] = {PERMC_DYNAMIC, 8};
static const int64_t axes[] = {WRONG == 13 ? 1 : 0};
static const permc_kernel info = {
    sizeof info,     2,    1,       64,      0,       0,
    open_shape,      perm, strides, strides, "wrong", "u8",
    "by hand",       0,    0,       1,       axes,    run_dynamic,
    run_dynamic_part};

#define ROWS(n)                                                                \
  {"wrong",                                                                    \
   &info,                                                                      \
   0,                                                                          \
   0,                                                                          \
   2,                                                                          \
   1,                                                                          \
   (const int64_t[]){n, 8},                                                    \
   strides,                                                                    \
   strides,                                                                    \
   1,                                                                          \
   (const int64_t[]){n},                                                       \
   run_dynamic,                                                                \
   run_dynamic_part}
const struct asked asked[] = {ROWS(0), ROWS(2), ROWS(3), {0}};
#endif
