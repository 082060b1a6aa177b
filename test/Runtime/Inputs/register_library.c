/* Registers the kernels of a library in one call and permutes with the shim:
 * the kernels must give what generic kernels gave before. */
#include "net.h"
#include <permc-rt/permc_rt.h>

#include <stdio.h>
#include <string.h>

static unsigned char src[24], before[24], after[24];

int main(void) {
  const int64_t shape[] = {2, 3, 4}, perm[] = {2, 0, 1};
  uint32_t count;
  const permc_kernel *const *kernels = net_kernels(&count);
  permc_rt_statistics statistics = {0};
  for (int i = 0; i < 24; ++i)
    src[i] = (unsigned char)i;
  if (permc_rt_permute(src, before, 3, shape, perm, NULL, NULL, 1, 1) ||
      permc_rt_register_kernels(kernels, count) ||
      permc_rt_permute(src, after, 3, shape, perm, NULL, NULL, 1, 1)) {
    printf("%s\n", permc_rt_last_error());
    return 1;
  }
  statistics.size = sizeof statistics;
  permc_rt_get_statistics(&statistics);
  printf("%u kernels, %u registered, the first is %s, %s\n", (unsigned)count,
         (unsigned)statistics.registered, kernels[0]->name,
         memcmp(before, after, 24) == 0 ? "right" : "wrong");
  return 0;
}
