# Sourced by format.sh and tidy.sh, from the top of the tree.

# list_sources ROOTS... prints the C and C++ files under those folders that
# exist. It asks the file system, not git, so that a new file is never missed and
# an unpacked archive works too.
list_sources() {
  local root roots=()
  for root in "$@"; do
    [ -d "$root" ] && roots+=("$root")
  done
  [ ${#roots[@]} -eq 0 ] ||
    find "${roots[@]}" -type f \( -name '*.cpp' -o -name '*.h' -o -name '*.c' \) |
    LC_ALL=C sort
}

# find_tool NAME prints the name of LLVM 22's NAME, or explains what is missing.
find_tool() {
  if command -v "$1-22" >/dev/null; then
    echo "$1-22"
  elif "$1" --version 2>/dev/null | grep -q 'version 22\.'; then
    echo "$1"
  else
    echo "LLVM 22's $1 is needed and not on PATH (Debian: $1-22)" >&2
    return 1
  fi
}
