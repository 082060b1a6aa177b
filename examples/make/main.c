/* Changes layouts with kernels that were compiled with the program. */
#include "layouts.h" /* made from layouts.yaml */

#include <stdio.h>

static unsigned char image[224][224][3], planes[3][224][224];
static float rows[480][640], columns[640][480];

int main(void) {
  image[5][9][1] = 42;
  image_to_planes(image, planes);
  rows[7][11] = 3.5f;
  transpose(rows, columns);
  int right = planes[1][5][9] == 42 && columns[11][7] == 3.5f;
  printf("%s, for %s\n", right ? "right" : "WRONG", transpose_info.target);
  return !right;
}
