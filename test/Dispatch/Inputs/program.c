/* Calls kernels for several levels before main, then from many threads, and
 * says which level was taken. `twice` is in an object of its own. */
#include "planes.h"
#include "twice.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { HEIGHT = 33, WIDTH = 29, CHANNELS = 3, THREADS = 8 };
enum { BYTES = HEIGHT * WIDTH * CHANNELS };

extern int __permc_cpu_level_v1;

static unsigned char image[BYTES], early[BYTES];
static int before = -1;
static pthread_barrier_t start;

static int isRight(const unsigned char *planes) {
  for (int i = 0; i < BYTES; ++i)
    if (planes[i % CHANNELS * HEIGHT * WIDTH + i / CHANNELS] != image[i])
      return 0;
  return 1;
}

__attribute__((constructor(101))) static void callEarly(void) {
  for (int i = 0; i < BYTES; ++i)
    image[i] = (unsigned char)(i * 7 + i / 256);
  before = __permc_cpu_level_v1;
  planes(image, early);
}

static void *callAtOnce(void *part) {
  static unsigned char together[BYTES];
  unsigned char own[BYTES];
  pthread_barrier_wait(&start);
  planes_part(image, together, (uint32_t)(size_t)part, THREADS);
  planes_info.run(image, own);
  pthread_barrier_wait(&start);
  return isRight(together) && isRight(own) ? part : 0;
}

/* Threads find the level unknown, all of them. */
static int callFromThreads(void) {
  pthread_t threads[THREADS];
  int right = 1;
  pthread_barrier_init(&start, 0, THREADS);
  __permc_cpu_level_v1 = 0;
  for (size_t i = 0; i < THREADS; ++i)
    pthread_create(&threads[i], 0, callAtOnce, (void *)i);
  for (size_t i = 0; i < THREADS; ++i) {
    void *result;
    pthread_join(threads[i], &result);
    right &= result == (void *)i;
  }
  return right;
}

int main(void) {
  float src[5][7], dst[7][5];
  int right = isRight(early) && callFromThreads();
  for (int i = 0; i < 35; ++i)
    src[i / 7][i % 7] = (float)i;
  twice(src, dst);
  for (int i = 0; i < 35; ++i)
    right &= dst[i % 7][i / 7] == (float)i;
  printf("for %s: level %d after %d, %s\n", planes_info.target,
         __permc_cpu_level_v1, before, right ? "right" : "WRONG");
  return !right;
}
