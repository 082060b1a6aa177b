"""Writes kernels.yaml with random permutations, and checks.c that checks them.

checks.c lists for each kernel what was asked for, in numbers of this script's
own; check_kernel.h has the loop that knows where each element belongs. With
--emulated it is asked.c instead, for tools/permc/emulation/check.c.
--edges writes, instead of random ones, those that meet each element size with
each edge of a micro kernel: channels, transposes and runs that just fill vectors
and loops of them, or do not.
"""

import argparse
import random

TYPES = {"u8": 1, "bf16": 2, "f32": 4, "i64": 8, "c128": 16}
TYPES |= {f"bytes{n}": n for n in [3, 5, 6, 7, 12, 16, 24, 64]}
# Sizes that catch remainders: 1, primes, and round a power of two.
SIZES = [1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129]


def random_shape(rank):
    shape, elements = [], 1
    for _ in range(rank):
        size = random.choice([s for s in SIZES if elements * s <= arguments.elements])
        shape.append(size)
        elements *= size
    random.shuffle(shape)
    return shape


def random_strides(shape):
    """Dense, in a random order of the dims, or with gaps between them."""
    strides = [0] * len(shape)
    order = list(range(len(shape)))[::-1]
    if random.random() < 0.3:
        random.shuffle(order)
    step = 1
    for dim in order:
        strides[dim] = step
        step = step * shape[dim] + random.choice([0, 0, 0, 1, 3])
    return strides


def random_signs(strides, choices):
    """Some strides turned round, and some made 0 if that is among the choices."""
    return [stride * random.choice(choices) for stride in strides]


def random_kernel(number):
    rank = random.randint(1, 8)
    shape = random_shape(rank)
    perm = random.sample(range(rank), rank)
    strided = random.random() < 0.35
    out_shape = [shape[axis] for axis in perm]
    src = random_strides(shape) if strided else None
    dst = random_strides(out_shape) if strided else None
    if strided and random.random() < 0.5:
        src = random_signs(src, [1, 1, -1, 0])
        dst = random_signs(dst, [1, 1, -1])
    return {
        "name": f"kernel{number}",
        "type": random.choice(list(TYPES)),
        "shape": shape,
        "perm": perm,
        "in": src,
        "out": dst,
    }


def edge_problems():
    """Elements, shapes and orders; vectors have 16 bytes, loops up to 8 of them."""
    for kind, element in {"u8": 1, "bf16": 2, "f32": 4, "i64": 8}.items():
        vector = 16 // element
        for channels in (2, 3, 4):
            for pixels in (vector, vector + 1, 8 * vector, 16 * vector, 27 * vector + 1):
                yield kind, [pixels, channels], [1, 0]
                yield kind, [channels, pixels], [1, 0]
            # Rows of pixels that do not merge.
            yield kind, [3, 2, 2 * vector, channels], [1, 3, 0, 2]
            yield kind, [channels, 3, 2, 2 * vector], [2, 1, 3, 0]
    for kind in TYPES:
        for shape in ([4, 4], [8, 8], [5, 7], [16, 32], [17, 33], [40, 9]):
            yield kind, shape, [1, 0]
        yield kind, [3, 5, 4], [1, 0, 2]
    for run in (1, 2, 3, 4, 7, 8, 9, 12, 16, 17, 31, 32, 60, 64, 132, 260, 1021, 4100):
        yield "u8", [2, 3, run], [1, 0, 2]
    yield "u8", [70000], [0]


def edge_kernels():
    problems = [(kind, shape, perm, None, None) for kind, shape, perm in edge_problems()]
    # Strides that keep words aligned, and strides that do not.
    for gap in (1, 4):
        strides = [[8 + gap, 1], [9 + gap, 1]]
        problems += [(kind, [9, 8], [1, 0], *strides) for kind in ("u8", "bf16", "f32", "i64")]
        run = [[3 * (12 + gap), 12 + gap, 1], [2 * (12 + gap), 12 + gap, 1]]
        problems.append(("u8", [2, 3, 12], [1, 0, 2], *run))
    keys = ("type", "shape", "perm", "in", "out")
    return [{"name": f"kernel{i}", **dict(zip(keys, p))} for i, p in enumerate(problems)]


def dense_strides(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= size
    return strides


def commas(numbers):
    return ", ".join(map(str, numbers))


def yaml(kernel):
    lines = [
        f"  - name: {kernel['name']}",
        f"    tensor: {'x'.join(map(str, kernel['shape']))}x{kernel['type']}",
        f"    perm: [{commas(kernel['perm'])}]",
    ]
    if kernel["in"]:
        lines.append(f"    in-strides: [{commas(kernel['in'])}]")
        lines.append(f"    out-strides: [{commas(kernel['out'])}]")
    return "\n".join(lines) + "\n"


def c_check(kernel):
    out_shape = [kernel["shape"][axis] for axis in kernel["perm"]]
    src = kernel["in"] or dense_strides(kernel["shape"])
    dst = kernel["out"] or dense_strides(out_shape)
    return (
        f"    {{&{kernel['name']}_info, {kernel['name']}, {kernel['name']}_part,\n"
        f"     {len(out_shape)}, {TYPES[kernel['type']]}, {{{commas(out_shape)}}},\n"
        f"     {{{commas(src[axis] for axis in kernel['perm'])}}}, {{{commas(dst)}}}}},\n"
    )


def asked(kernel):
    """The kernel's entry for an emulator's check, strides in bytes."""
    name, element = kernel["name"], TYPES[kernel["type"]]
    out_shape = [kernel["shape"][axis] for axis in kernel["perm"]]
    src = kernel["in"] or dense_strides(kernel["shape"])
    dst = kernel["out"] or dense_strides(out_shape)
    lists = [out_shape, [src[axis] * element for axis in kernel["perm"]]]
    lists.append([stride * element for stride in dst])
    lists = ", ".join(f"(const int64_t[]){{{commas(numbers)}}}" for numbers in lists)
    return (
        f'    {{"{name}", &{name}_info, {name}, {name}_part, '
        f"{len(out_shape)}, {element}, {lists}, 0, 0, 0, 0}},\n"
    )


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--count", type=int, default=0)
parser.add_argument("--edges", action="store_true")
parser.add_argument("--elements", type=int, default=20000, help="most of a tensor")
parser.add_argument("--emulated", action="store_true")
arguments = parser.parse_args()
random.seed(arguments.seed)
kernels = edge_kernels() if arguments.edges else [random_kernel(i) for i in range(arguments.count)]

with open("kernels.yaml", "w") as manifest:
    manifest.write("kernels:\n" + "".join(map(yaml, kernels)))
if arguments.emulated:
    with open("asked.c", "w") as checks:
        checks.write(
            '#include "kernels.h"\n#include "check.h"\n\n'
            "const struct asked asked[] = {\n"
            + "".join(map(asked, kernels))
            + "    {0}};\n"
        )
else:
    with open("checks.c", "w") as checks:
        checks.write(
            '#include "kernels.h"\n#include "check_kernel.h"\n\n'
            "static const struct kernel_check checks[] = {\n"
            + "".join(map(c_check, kernels))
            + "};\n\nint main(void) {\n"
            "  return check_kernels(checks, sizeof checks / sizeof checks[0]);\n}\n"
        )
