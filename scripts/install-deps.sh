#!/usr/bin/env bash
#
# Installs the Debian packages of the given groups (scripts/packages.txt) that
# are missing:
#
#   scripts/install-deps.sh [GROUP...]      base without a group
#
# Where it cannot install (no apt, or neither root nor sudo) it lists what is
# missing, and fails only if the build itself could not work without it.

set -euo pipefail

packages_file=$(dirname "$0")/packages.txt
groups=("$@")
[ ${#groups[@]} -gt 0 ] || groups=(base)

# The packages of one group, a line each.
packages_of() {
  awk -v group="$1" '$1 == group { print $2 }' "$packages_file"
}

# What a package is for, in the words of packages.txt.
purpose_of() {
  awk -v package="$1" '$2 == package { $1 = $2 = ""; print substr($0, 3); exit }' \
    "$packages_file"
}

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Whether MLIR 22 is somewhere CMake would find it.
has_mlir() {
  command -v mlir-tblgen-22 >/dev/null || [ -n "${MLIR_DIR:-}" ] ||
    [ -e /usr/lib/llvm-22/lib/cmake/mlir/MLIRConfig.cmake ]
}

# The tools without which nothing can be built, one a line, if absent.
missing_tools() {
  local tool
  for tool in cmake ninja python3; do
    command -v "$tool" >/dev/null || echo "$tool"
  done
  command -v clang++-22 >/dev/null || command -v c++ >/dev/null ||
    echo "a C++20 compiler (clang++-22 or g++ 12 or later)"
  has_mlir || echo "MLIR 22 (set MLIR_DIR to the folder of MLIRConfig.cmake)"
}

# For machines where packages cannot be installed from here.
explain_and_exit() {
  local package tools
  echo "$1 Packages (Debian's names) and what they are for:"
  for package in "${missing[@]}"; do
    printf '  %-24s %s\n' "$package" "$(purpose_of "$package")"
  done
  tools=$(missing_tools)
  if [ -n "$tools" ]; then
    echo "The build cannot work without:"
    sed 's/^/  /' <<<"$tools"
    exit 1
  fi
  echo "The tools that the build needs are there: going on."
  exit 0
}

missing=()
for group in "${groups[@]}"; do
  packages=$(packages_of "$group")
  if [ -z "$packages" ]; then
    echo "install-deps: no group '$group'; the groups are:" \
      "$(awk '/^[a-z]/ { print $1 }' "$packages_file" | sort -u | xargs)" >&2
    exit 2
  fi
  for package in $packages; do
    is_installed "$package" || missing+=("$package")
  done
done

if [ ${#missing[@]} -eq 0 ]; then
  echo "Packages: all there (${groups[*]})."
  exit 0
fi
command -v apt-get >/dev/null ||
  explain_and_exit "This is not a Debian system: nothing was installed."

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null ||
    explain_and_exit "Neither root nor sudo: nothing was installed."
  as_root=(sudo)
fi

echo "Packages: installing ${missing[*]}"
"${as_root[@]}" apt-get -qq update </dev/null ||
  echo "Packages: no newer lists could be fetched; using those there are."
for package in "${missing[@]}"; do
  if [ -z "$(apt-cache policy "$package" | awk '/Candidate:/ && $2 != "(none)"')" ]; then
    explain_and_exit "The package sources of this system lack $package: nothing was installed."
  fi
done
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends \
  "${missing[@]}" </dev/null
