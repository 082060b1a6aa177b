"""Random problems as a manifest for permc and as what a check needs to know."""

import random
from pathlib import Path

from arcsim.kernel import Problem, dense

TYPES = {1: "i8", 2: "i16", 4: "i32", 3: "bytes3", 8: "i64", 12: "bytes12"}
# Mostly what networks are made of.
ELEMENTS = [1, 1, 1, 1, 2, 2, 2, 4, 4, 3, 8, 12]
# Sizes round the widths of words and tiles.
SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 33]


def padded(rng, sizes):
    """Strides in elements of a tensor with gaps, each at least the extent of
    the dims inside it."""
    strides, extent = [], rng.choice([1, 1, 2])
    for size in reversed(sizes):
        strides.insert(0, extent)
        extent = extent * size + rng.choice([0, 0, 1, 3, 4])
    return strides


def random_problem(rng, name, most=1500):
    """A problem of rank 1 to 4 with at most `most` elements."""
    while True:
        rank = rng.randint(1, 4)
        shape = [rng.choice(SIZES) for _ in range(rank)]
        count = 1
        for size in shape:
            count *= size
        if count <= most:
            break
    perm = list(range(rank))
    rng.shuffle(perm)
    element = rng.choice(ELEMENTS)
    out = [shape[axis] for axis in perm]
    src = padded(rng, shape) if rng.random() < 0.25 else dense(shape, 1)
    dst = padded(rng, out) if rng.random() < 0.25 else dense(out, 1)
    if rng.random() < 0.2:
        src = [stride * rng.choice([1, -1, 0]) for stride in src]
        dst = [stride * rng.choice([1, -1]) for stride in dst]
    return Problem(
        name,
        element,
        shape,
        perm,
        [stride * element for stride in src],
        [stride * element for stride in dst],
    )


def random_problems(seed, count, most=1500):
    rng = random.Random(seed)
    return [random_problem(rng, f"kernel_{i}", most) for i in range(count)]


def manifest(problems, target):
    """The YAML file that asks permc for these problems."""
    lines = [f"target: {target}", "kernels:"]
    for problem in problems:
        element = problem.element
        tensor = "x".join(map(str, problem.shape)) + "x" + TYPES[element]
        src = [stride // element for stride in problem.src_strides]
        dst = [stride // element for stride in problem.dst_strides]
        lines += [
            f"  - name: {problem.name}",
            f"    tensor: {tensor}",
            f"    perm: {problem.perm}",
            f"    in-strides: {src}",
            f"    out-strides: {dst}",
        ]
    return "\n".join(lines) + "\n"


def write_manifest(problems, target, path):
    Path(path).write_text(manifest(problems, target))
