#!/usr/bin/env bash
#
# Lints C++ files with the checks of .clang-tidy; any finding fails:
#
#   scripts/tidy.sh BUILD_DIR [FOLDER...]     all layers without a folder

set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUILD_DIR [FOLDER...]" >&2; exit 2; }
build=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
. scripts/sources.sh

clang_tidy=$(find_tool clang-tidy)
[ $# -gt 0 ] || set -- lib codegen_targets tools
mapfile -t files < <(list_sources "$@" | grep '\.cpp$')
if [ ${#files[@]} -eq 0 ]; then
  echo "no C++ files in: $*" >&2
  exit 1
fi

# clang-tidy counts the warnings it leaves out on stderr, which helps nobody.
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" "$clang_tidy" -p "$build" --quiet 2> >(
    grep -v -E '^[0-9]+ warnings? (generated|treated as error)' >&2)
echo "${#files[@]} files are clean."
