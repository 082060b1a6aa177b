#!/usr/bin/env bash
#
# A tour of permc in a minute:  scripts/demo.sh PERMC
#
# Takes the image layout change every vision pipeline makes, from interleaved
# pixels (HWC) to colour planes (CHW), from a shape to a running C program.

set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 PERMC" >&2; exit 2; }
permc=$(realpath "$1")
scripts=$(realpath "$(dirname "$0")")
cd "$scripts/.."

out=build/demo
tensor=1x224x224x3xu8
order=0,3,1,2
cc=${CC:-gcc}
rm -rf "$out"
mkdir -p "$out"

step() { printf '\n== %s\n' "$*"; }
# Shows a command as a user would type it, then runs it.
run() {
  echo "\$ ${*/#$permc/permc}"
  "$@"
}

step "Compile a kernel for this machine, and prove that it moves every element:"
run "$permc" compile $tensor --perm $order --name hwc_to_chw --verify \
  -o $out/hwc_to_chw.o --header $out/hwc_to_chw.h

step "Explain what was decided:"
run "$permc" explain $tensor --perm $order

step "Measure it beside memcpy and a loop in C:"
run "$permc" bench $tensor --perm $order

step "Call it from C: the object needs nothing of permc (scripts/demo.c):"
run "$cc" -std=c99 -Wall -O2 -I $out scripts/demo.c $out/hwc_to_chw.o -o $out/demo
run $out/demo

printf '\nThe demo is done: the kernel, its header and the program are in %s.\n' "$out"
