#!/usr/bin/env bash
#
# Formats the C and C++ files of the project in place, or with --check only says
# which are not formatted, and fails if there are any.

set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/sources.sh

clang_format=$(find_tool clang-format)
mapfile -t files < <(list_sources include lib codegen_targets tools test \
  benchmarks examples scripts)
if [ "${1:-}" = --check ]; then
  "$clang_format" --dry-run -Werror "${files[@]}" || {
    echo "Run: make format"
    exit 1
  }
  echo "${#files[@]} files are formatted."
else
  "$clang_format" -i "${files[@]}"
fi
