#!/usr/bin/env python3
"""Counts the instructions of kernels for ARM beside those of plain loops.

    instructions.py PERMC [--target T,T] [--suite S,S] [--case NAME=TENSOR:ORDER]
                    [--most BYTES] [--limit NAME=RATIO]

Without ARM hardware there is no speed to measure; what can be counted is what an
emulator executes. Every case is compiled by permc, and as loops with constant
bounds by Debian's cross gcc at -O3 for the same processor. Both run in one
program under qemu with a plugin that counts (count_plugin.c). A case larger than
--most bytes is left out: its share does not depend on its size.

--limit makes the exit code 1 if a case executes more than RATIO of the plain
loop's instructions, or, as NAME=N/16, more than N for 16 elements of a channel.
"""

import argparse
import csv
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
EMULATION = SOURCE / "tools/permc/emulation"

BARE = "-mthumb -mfloat-abi=soft -ffreestanding -nostdlib -Wl,--build-id=none"
BARE = f"{BARE} -T {EMULATION}/cortex_m.ld".split()
BOARD = "-nographic -semihosting-config enable=on,target=native -kernel".split()
ARMHF = "arm-linux-gnueabihf-gcc"


def sve(bits):
    return ["-cpu", f"max,sve{bits}=on,sve-default-vector-length=-1"]


# name: permc's target, compiler with flags, start-up code, emulator with flags
MACHINES = {
    "aarch64": ("aarch64", ["aarch64-linux-gnu-gcc"], "linux", ["qemu-aarch64"]),
    "armv7-neon": ("armv7-neon", [ARMHF, "-mfpu=neon"], "linux", ["qemu-arm", "-cpu", "cortex-a15"]),
    "cortex-m4": (
        "cortex-m4",
        [ARMHF, "-mcpu=cortex-m4", *BARE],
        "cortex_m",
        ["qemu-system-arm", "-M", "mps2-an386", *BOARD],
    ),
    "cortex-m55": (
        "cortex-m55",
        [ARMHF, "-mcpu=cortex-m55", *BARE],
        "cortex_m",
        ["qemu-system-arm", "-M", "mps3-an547", *BOARD],
    ),
}
for bits in (128, 256, 512):
    MACHINES[f"aarch64-sve{bits}"] = (
        "aarch64-sve",
        ["aarch64-linux-gnu-gcc", "-march=armv8.2-a+sve"],
        "linux",
        ["qemu-aarch64", *sve(bits)],
    )

TYPES = {"u8": 1, "i8": 1, "u16": 2, "f16": 2, "u32": 4, "f32": 4, "f64": 8}
C_TYPES = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}


class Case:
    def __init__(self, name, element, shape, perm):
        self.name, self.element, self.shape, self.perm = name, element, shape, perm

    @property
    def bytes(self):
        return math.prod(self.shape) * self.element

    def manifest(self):
        tensor = "x".join(map(str, self.shape)) + f"xbytes{self.element}"
        return f"  - name: {self.name}\n    tensor: {tensor}\n    perm: {self.perm}\n"

    def plain_loop(self):
        """The loops a programmer would write, in the order of the output."""
        out = [self.shape[axis] for axis in self.perm]
        strides = [math.prod(self.shape[axis + 1 :]) for axis in self.perm]
        element = C_TYPES.get(self.element, f"struct bytes{self.element}")
        text = "" if self.element in C_TYPES else f"struct bytes{self.element} {{ uint8_t b[{self.element}]; }};\n"
        text += f"static void plain_{self.name}(const void *source, void *dest) {{\n"
        text += f"  const {element} *restrict src = source;\n  {element} *restrict dst = dest;\n"
        place = "0"
        for dim, size in enumerate(out):
            text += f"  for (size_t i{dim} = 0; i{dim} < {size}; ++i{dim})\n"
            place = f"({place}) * {size} + i{dim}"
        at = " + ".join(f"i{dim} * {stride}" for dim, stride in enumerate(strides))
        return text + f"    dst[{place}] = src[{at}];\n}}\n"


def read_suite(path):
    with open(path) as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            shape = [int(size) for size in row["shape"].split("x")]
            perm = [int(axis) for axis in row["perm"].split()]
            yield row["suite"], Case(row["case"], int(row["elem_bytes"]), shape, perm)


def parse_case(text):
    """NAME=64x64xu8:1,0"""
    name, tensor, order = re.fullmatch(r"(\w+)=([\w]+):([\d,]+)", text).groups()
    *sizes, kind = tensor.split("x")
    return Case(name, TYPES[kind], [int(s) for s in sizes], [int(a) for a in order.split(",")])


def write_program(folder, cases):
    (folder / "kernels.yaml").write_text("kernels:\n" + "".join(c.manifest() for c in cases))
    text = '#include "kernels.h"\n#include "count.h"\n\n'
    text += "\n".join(dict.fromkeys(c.plain_loop() for c in cases))
    text += "\nconst struct counted counted[] = {\n"
    for case in cases:
        text += f'    {{"{case.name}", {case.bytes}, plain_{case.name}, {case.name}}},\n'
    (folder / "cases.c").write_text(text + "    {0}};\n")


def run(*command):
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\nfailed: {done.stdout}{done.stderr}")


def count(permc, machine, cases, folder):
    """A pair for each case: the plain loop's instructions and the kernel's."""
    target, compiler, startup, emulator = MACHINES[machine]
    write_program(folder, cases)
    library = folder / "kernels.a"
    run(permc, "compile", "--manifest", folder / "kernels.yaml", "--target", target,
        "-o", library, "--header", folder / "kernels.h")  # fmt: skip
    includes = [f"-I{path}" for path in (folder, HERE, EMULATION, SOURCE / "include/permc-c")]
    program = folder / "count"
    run(*compiler, "-std=gnu99", "-O3", "-static", *includes, HERE / "count.c",
        EMULATION / f"{startup}.c", folder / "cases.c", library, "-o", program)  # fmt: skip
    counts = folder / "counts"
    # Symbols are looked up only where something is logged.
    plugin = ["-d", "plugin", "-D", folder / "log", "-plugin", f"{folder}/count.so,out={counts}"]
    run(emulator[0], *plugin, *emulator[1:], program)
    numbers = [int(line) for line in counts.read_text().split()]
    assert len(numbers) == 2 * len(cases), f"{len(numbers)} counts for {len(cases)} cases"
    return list(zip(numbers[::2], numbers[1::2]))


def report(machine, cases, counts):
    """Prints a table and returns the kernels' shares of the plain loops."""
    print(f"{machine}: instructions a byte, gcc -O3 and permc, and permc's share")
    shares = {}
    for case, (plain, kernel) in zip(cases, counts):
        shares[case.name] = kernel / plain
        print(f"  {case.name:28} {plain / case.bytes:8.3f} {kernel / case.bytes:8.3f} {kernel / plain:6.2f}")
    mean = math.exp(sum(map(math.log, shares.values())) / len(shares))
    print(f"  {'geometric mean':28} {'':17} {mean:6.2f}", flush=True)
    return shares


def broken_limits(machine, cases, counts, limits):
    for case, (plain, kernel) in zip(cases, counts):
        for name, limit in limits:
            if not re.fullmatch(name, case.name):
                continue
            if limit.endswith("/16"):
                value = 16 * kernel / max(case.bytes // case.element // min(case.shape), 1)
                limit = float(limit[:-3])
            else:
                value, limit = kernel / plain, float(limit)
            if value > limit:
                yield f"{machine}: {case.name} is at {value:.2f}, expected at most {limit}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("permc")
    parser.add_argument("--target", default=",".join(MACHINES), help="of " + ", ".join(MACHINES))
    parser.add_argument("--suite", default="", help="names of benchmarks/cases, or all")
    parser.add_argument("--case", action="append", default=[], help="NAME=64x64xu8:1,0")
    parser.add_argument("--most", type=int, default=16 << 20, help="bytes of a tensor")
    parser.add_argument("--limit", action="append", default=[], help="NAME=0.35 or NAME=6/16")
    arguments = parser.parse_args()
    suites = [s for s in arguments.suite.split(",") if s]
    cases = [parse_case(text) for text in arguments.case]
    for path in sorted((SOURCE / "benchmarks/cases").glob("*.csv")):
        cases += [case for suite, case in read_suite(path) if suite in suites or suites == ["all"]]
    if not cases:
        sys.exit("no cases: give --suite or --case")
    limits = [limit.split("=") for limit in arguments.limit]
    for name, _ in limits:
        if not any(re.fullmatch(name, case.name) for case in cases):
            sys.exit(f"--limit {name}: no case has this name; there are {', '.join(c.name for c in cases)}")
    broken = []
    for machine in arguments.target.split(","):
        # A board has 2 MiB for three buffers.
        most = min(arguments.most, 680_000) if machine.startswith("cortex") else arguments.most
        chosen = [case for case in cases if case.bytes <= most]
        if not chosen:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            run("gcc", "-O2", "-shared", "-fPIC", HERE / "count_plugin.c", "-o", folder / "count.so")
            counts = count(arguments.permc, machine, chosen, folder)
        report(machine, chosen, counts)
        broken += broken_limits(machine, chosen, counts, limits)
    print("\n".join(broken), end="\n" if broken else "")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
