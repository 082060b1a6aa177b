#!/usr/bin/env bash
#
# Installs the Debian packages in a clean Debian 12, compiles and runs examples
# there, and removes them without a trace:
#
#   scripts/check-debs.sh FOLDER_OF_DEBS
#
# Needs root (chroot), debootstrap and a Debian mirror (MIRROR says which).

set -euo pipefail

debs=$(realpath "$1")
mirror=${MIRROR:-http://deb.debian.org/debian}
[ "$(id -u)" -eq 0 ] || { echo "check-debs: expected to be run as root"; exit 1; }
root=$(mktemp -d /var/tmp/permc-chroot.XXXXXX)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT

say() { printf '\n== %s\n' "$*"; }
# Within the new system, quietly unless it fails.
inside() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
    bash -euo pipefail -c "$1" >"$root/log" 2>&1 || { cat "$root/log"; exit 1; }
}
# Every file but those that installing anything changes.
list_files() {
  find "$root" -xdev -path "$root/proc" -prune -o \( -path "$root/var/lib/apt" -o \
    -path "$root/var/cache" -o -path "$root/var/log" -o -path "$root/var/lib/dpkg" -o \
    -path "$root/tmp" -o -path "$root/debs" -o -path "$root/root" \) -prune -o -print |
    sed "s|^$root||" | grep -vE '^/(log|etc/ld.so.cache)$' | sort
}

say "A clean Debian 12"
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 ||
  { tail -20 "$root.log"; rm -f "$root.log"; exit 1; }
rm -f "$root.log"
mount -t proc proc "$root/proc"
cat >"$root/etc/apt/sources.list" <<LIST
deb $mirror bookworm main
deb $mirror-security bookworm-security main
LIST
# How this machine reaches its mirror.
for file in /etc/apt/apt.conf.d/*; do
  if grep -qi proxy "$file"; then cp "$file" "$root/etc/apt/apt.conf.d/"; fi
done
cp /etc/resolv.conf "$root/etc/resolv.conf"
inside 'apt-get -qq update'

say "What the examples need: a C compiler, CMake, Make, pkg-config"
inside 'apt-get -qq install -y --no-install-recommends gcc g++ libc6-dev cmake make pkg-config'
# What the packages depend on (LLVM, ONNX, ...) is not what they leave behind.
needed=$(for deb in "$debs"/*.deb; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' |
  awk 'NF && $1 !~ /^(lib)?permc/ { print $1 }' | sort -u | xargs)
inside "apt-get -qq install -y --no-install-recommends $needed"
list_files >"$root/tmp/before"

say "Installing $(ls "$debs"/*.deb | wc -l) packages"
mkdir "$root/debs"
cp "$debs"/*.deb "$root/debs/"
inside 'apt-get -qq install -y --no-install-recommends /debs/*.deb'
inside 'permc --version && test -e /usr/share/man/man1/permc.1.gz'

say "Building and running examples"
for example in aot runtime_c jit_c; do
  inside "cp -r /usr/share/doc/permc/examples/$example /tmp/ && cd /tmp/$example &&
          cmake -B build && cmake --build build && build/$example"
  tail -4 "$root/log"
done
inside 'cp -r /usr/share/doc/permc/examples/make /tmp/ && make -C /tmp/make && /tmp/make/program'
tail -1 "$root/log"
inside 'for name in permc permc_rt permc_tensor_permute; do pkg-config --cflags --libs $name; done'

say "Python"
inside 'python3 - <<PROGRAM
import permc
view = memoryview(bytes(range(6))).cast("B", (2, 3))
assert bytes(permc.transpose(view)) == bytes([0, 3, 1, 4, 2, 5])
assert permc.compile((4, 4), "f").is_compiled, "libpermc0 was not found"
print("permc", permc.__version__, "with kernels for", permc.target())
PROGRAM'
cat "$root/log"

say "Compiling a model"
inside 'cd /tmp && cat >net.mlir <<MODEL
func.func @main(%a: tensor<3x5xf32>, %b: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = linalg.transpose ins(%a : tensor<3x5xf32>) outs(%b : tensor<5x3xf32>) permutation = [1, 0]
  return %0 : tensor<5x3xf32>
}
MODEL
permc compile net.mlir -o libnet.a --header net.h --verify && permc explain net.mlir'
tail -3 "$root/log"

say "Removing them"
inside 'apt-get -qq purge -y --auto-remove permc libpermc0 libpermc-dev libpermc-rt0 libpermc-rt-dev python3-permc'
list_files >"$root/tmp/after"
if ! diff "$root/tmp/before" "$root/tmp/after"; then
  echo "check-debs: the files above are left, or gone"
  exit 1
fi
echo "Nothing is left."
