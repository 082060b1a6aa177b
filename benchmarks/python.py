#!/usr/bin/env python3
# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python module beside numpy and torch, in one run.

    PYTHONPATH=build/release/python benchmarks/python.py [--quick]

For each case the best time of one thread of each, in turn, and permc's as a
share of numpy's. The first case is the smallest transpose there is: what it
takes is the way from Python to the library and back. Then come views, which
ascontiguousarray of both copies (torch has no steps below 0).
"""

import argparse
import time

import numpy as np

import permc

try:
    import torch

    torch.set_num_threads(1)
except ImportError:
    torch = None

# shape, dtype, axes
CASES = [
    ((4, 4), "f4", (1, 0)),
    ((64, 64), "f4", (1, 0)),
    ((224, 224, 3), "u1", (2, 0, 1)),
    ((3, 224, 224), "u1", (1, 2, 0)),
    ((8, 128, 12, 64), "f2", (0, 2, 1, 3)),
    ((64, 56, 56), "f4", (1, 2, 0)),
    ((1024, 1024), "f8", (1, 0)),
    ((4096, 4096), "f4", (1, 0)),
    ((32, 3, 224, 224), "f4", (0, 2, 3, 1)),
]

# shape, dtype, what is written, the view, whether torch has it
VIEWS = [
    ((1080, 1920, 3), "u1", "a[..., ::-1]", lambda a: a[..., ::-1], False),
    ((1080, 1920, 3), "u1", "a[:, ::-1]", lambda a: a[:, ::-1], False),
    ((1080, 1920, 3), "u1", "a[..., 1]", lambda a: a[..., 1], True),
    ((1080, 1920, 3), "u1", "a[::2, ::2]", lambda a: a[::2, ::2], True),
    ((1000, 1000), "u1", "a[::2, ::2]", lambda a: a[::2, ::2], True),
    ((1000, 1000), "u2", "a[::2, ::2]", lambda a: a[::2, ::2], True),
    ((1000, 1000), "f4", "a[::2, ::2]", lambda a: a[::2, ::2], True),
    ((1000, 1000), "f8", "a[::2, ::2]", lambda a: a[::2, ::2], True),
    ((1000, 1000), "f4", "a[::2, ::2].T", lambda a: a[::2, ::2].T, True),
    ((1000, 1000), "f4", "a[:, ::5]", lambda a: a[:, ::5], True),
    ((1000, 1000), "f4", "a[::-1, ::-1]", lambda a: a[::-1, ::-1], False),
    ((1000, 1000), "f4", "a[:, ::-1].T", lambda a: a[:, ::-1].T, False),
    ((1000, 1000), "c16", "a[:, ::-1]", lambda a: a[:, ::-1], False),
    ((2000,), "f4", "a.repeat(2000)", lambda a: wide(a[:, None], 2000), True),
    ((2000,), "f4", "a.tile(2000)", lambda a: tall(a, 2000), True),
    ((1080, 1920), "u1", "a to RGB", lambda a: wide(a[..., None], 3), True),
]


def wide(a, size):
    """Broadcast along the last dim, which has one element."""
    shape = (*a.shape[:-1], size)
    return a.expand(shape) if torch and isinstance(a, torch.Tensor) else np.broadcast_to(a, shape)


def tall(a, size):
    """Broadcast along a new first dim."""
    shape = (size, *a.shape)
    return a.expand(shape) if torch and isinstance(a, torch.Tensor) else np.broadcast_to(a, shape)


def best(functions, seconds):
    """The least time of each function, by turns, in nanoseconds."""
    counts, times = [], [float("inf")] * len(functions)
    for function in functions:
        function()
        start = time.perf_counter()
        function()
        each = max(time.perf_counter() - start, 1e-7)
        counts.append(max(int(seconds / 20 / each), 1))
    end = time.perf_counter() + seconds * len(functions)
    while time.perf_counter() < end:
        for i, function in enumerate(functions):
            start = time.perf_counter_ns()
            for _ in range(counts[i]):
                function()
            times[i] = min(times[i], (time.perf_counter_ns() - start) / counts[i])
    return times


def report(name, functions, seconds):
    times = best(functions, seconds) + [float("nan")] * (3 - len(functions))
    columns = " ".join(f"{each / 1000:9.2f} us" for each in times)
    print(f"{name:32} {columns}   {times[0] / times[1]:.2f}", flush=True)


def tensor_of(a):
    # Torch has only a few of the types; how many bytes they have is enough.
    kinds = {"u2": "i2", "c16": "c16"}
    return torch.from_numpy(a.view(kinds.get(a.dtype.str[1:], a.dtype)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the time")
    seconds = 0.05 if parser.parse_args().quick else 0.5
    print(f"{'case':32} {'permc':>12} {'numpy':>12} {'torch':>12}   of numpy's time")
    for shape, dtype, axes in CASES:
        a = np.ones(shape, dtype)
        functions = [
            lambda: permc.transpose(a, axes, threads=1),
            (lambda: np.ascontiguousarray(a.T))
            if a.ndim == 2
            else (lambda: np.ascontiguousarray(a.transpose(axes))),
        ]
        if torch:
            tensor = torch.from_numpy(a)
            functions.append(lambda: tensor.permute(axes).contiguous())
        name = "x".join(map(str, shape)) + f" {dtype} by " + ",".join(map(str, axes))
        report(name, functions, seconds)
    for shape, dtype, text, view, in_torch in VIEWS:
        a = np.ones(shape, dtype)
        seen = view(a)
        functions = [
            lambda: permc.ascontiguousarray(seen, threads=1),
            lambda: np.ascontiguousarray(seen),
        ]
        if torch and in_torch:
            tensor = view(tensor_of(a))
            functions.append(tensor.contiguous)
        report("x".join(map(str, shape)) + f" {dtype} {text}", functions, seconds)


if __name__ == "__main__":
    main()
