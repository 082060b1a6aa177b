#!/usr/bin/env bash
#
# Measures kernels that stand for common uses, each beside memcpy and the naive
# loop:  scripts/bench.sh PERMC

set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 PERMC" >&2; exit 2; }
permc=$1

# tensor, order, what it stands for
while read -r tensor order purpose; do
  printf '\n== %s\n' "$purpose"
  "$permc" bench "$tensor" --perm "$order" </dev/null
done <<'CASES'
1x224x224x3xu8       0,3,1,2  an image into colour planes
1x3x224x224xf32      0,2,3,1  colour planes back into pixels
512x12x64xf16        1,0,2    attention heads apart: runs stay whole
1000x1000xf32        1,0      a matrix
1024x1024xf32        1,0      a matrix whose rows alias in the cache
4096x4096xu8         1,0      a large matrix of bytes
64x56x56x64xf32      0,3,1,2  activations, NHWC to NCHW
16x24x32x20x12xu16   4,2,0,3,1  five dims in no order at all
CASES
