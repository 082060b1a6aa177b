#!/usr/bin/env python3
# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python module beside numpy and torch, in one run.

    PYTHONPATH=build/release/python benchmarks/python.py [--quick]

For each case the best time of one thread of each, in turn, and how much faster
permc is. The first case is the smallest transpose there is: what it takes is
the way from Python to the library and back.
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
        times = best(functions, seconds) + [float("nan")] * (not torch)
        name = "x".join(map(str, shape)) + f" {dtype} by " + ",".join(map(str, axes))
        columns = " ".join(f"{each / 1000:9.2f} us" for each in times)
        print(f"{name:32} {columns}   {times[0] / times[1]:.2f}")


if __name__ == "__main__":
    main()
