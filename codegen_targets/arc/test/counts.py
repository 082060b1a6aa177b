"""Counts instructions of kernels and holds them against plain static loops.

    counts.py PERMC FOLDER

Both are compiled by GCC for an HS38 at -O3 and run by the interpreter. A count
is exact: it does not depend on the machine that this runs on.
"""

import subprocess
import sys
from pathlib import Path

from arcsim.build import build
from arcsim.kernel import KernelCheck, Problem, dense

BYTES = {"i8": 1, "i16": 2}

# Tensor, order, the most instructions allowed, the largest share of what the
# plain loops take.
GOALS = [
    ("2x4x8xi8", [2, 0, 1], 135, 1.0),
    ("16x16x32xi8", [2, 0, 1], 12500, 0.75),
    ("32x16xi16", [1, 0], None, 0.8),
    ("8x8x16xi8", [2, 0, 1], None, 0.8),
]

MOST_FOR_A_SHARE = 600


def plain_loops(name, shape, perm, element):
    """The loops that a person would write for this shape alone."""
    type_name = {1: "int8_t", 2: "int16_t"}[element]
    rank = len(shape)
    out = [shape[axis] for axis in perm]
    src, dst = dense(shape, 1), dense(out, 1)
    nest = "".join(
        f"for (int i{d} = 0; i{d} < {out[d]}; ++i{d})\n" for d in range(rank)
    )
    to = " + ".join(f"i{d} * {dst[d]}" for d in range(rank))
    place = " + ".join(f"i{d} * {src[perm[d]]}" for d in range(rank))
    return (
        f"#include <stdint.h>\nvoid {name}(const {type_name} *restrict src,\n"
        f"{type_name} *restrict dst) {{\n{nest}dst[{to}] = src[{place}];\n}}\n"
    )


def text_bytes(path):
    table = subprocess.run(
        ["arc-linux-gnu-size", path], check=True, capture_output=True, text=True
    ).stdout
    return int(table.splitlines()[1].split()[0])


def count(source, folder, problem):
    program = build(str(source), str(folder), "hs38", "-O3")
    size = text_bytes(folder / "hs38-O3.o")
    return KernelCheck(program, problem).run(), size


def count_shares(permc, folder):
    """What it costs to work out which units a part has, at most 32 rounds for
    each end, however many units there are."""
    problem = Problem("kernel", 1, [3000], [0], [1], [2])
    source = folder / "strided.c"
    subprocess.run(
        [permc, "compile", "3000xi8", "--perm", "0", "--out-strides", "2"]
        + ["--target", "arc-hs", "--name", "kernel", "-o", source],
        check=True,
    )
    kernel = KernelCheck(build(str(source), str(folder), "hs38", "-O3"), problem)
    extra = kernel.run_parts(1) - kernel.run()
    good = extra <= MOST_FOR_A_SHARE
    print(f"{'ok' if good else 'TOO MANY'}: {extra} instructions for a share of 3000")
    return good


def main():
    permc, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    failed = not count_shares(permc, folder)
    for tensor, perm, most, share in GOALS:
        *sizes, type_name = tensor.split("x")
        shape, element = [int(size) for size in sizes], BYTES[type_name]
        out = [shape[axis] for axis in perm]
        problem = Problem(
            "kernel", element, shape, perm, dense(shape, element), dense(out, element)
        )
        subprocess.run(
            [permc, "compile", tensor, "--perm", ",".join(map(str, perm))]
            + ["--target", "arc-hs", "--name", "kernel", "-o", folder / "kernel.c"],
            check=True,
        )
        plain = folder / "plain.c"
        plain.write_text(plain_loops("kernel", shape, perm, element))
        ours, size = count(folder / "kernel.c", folder, problem)
        loops, plain_size = count(plain, folder, problem)
        good = ours <= share * loops and (most is None or ours <= most)
        failed |= not good
        print(
            f"{'ok' if good else 'TOO MANY'}: {tensor} by {perm}: {ours} "
            f"instructions, plain loops {loops}, {ours / loops:.2f} of them; "
            f"text {size} bytes, plain loops {plain_size}"
        )
    sys.exit(failed)


if __name__ == "__main__":
    main()
