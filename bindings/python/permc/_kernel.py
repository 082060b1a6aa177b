# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for one shape, and what permc makes of a shape."""

import re
import shutil
import subprocess

from . import _permc

# What elements are called without numpy, and their sizes: letters of the struct
# module, permc's names, numpy's long names.
_SIZES = {
    "b": 1, "B": 1, "?": 1, "c": 1, "h": 2, "H": 2, "e": 2, "i": 4, "I": 4,
    "f": 4, "l": 8, "L": 8, "q": 8, "Q": 8, "d": 8,
    "u16": 2, "i16": 2, "bf16": 2, "u32": 4, "i32": 4, "f32": 4,
    "u64": 8, "i64": 8, "f64": 8, "c64": 8, "c128": 16, "bool": 1,
    "uint8": 1, "int8": 1, "uint16": 2, "int16": 2, "float16": 2, "bfloat16": 2,
    "uint32": 4, "int32": 4, "float32": 4, "uint64": 8, "int64": 8,
    "float64": 8, "complex64": 8, "complex128": 16,
}  # fmt: skip

# permc's names count bits and numpy's short names bytes: of these nobody can
# tell which is meant.
_AMBIGUOUS = {
    "u8": ("uint8", "uint64"),
    "i8": ("int8", "int64"),
    "f16": ("float16", "longdouble"),
}


def _itemsize_of_name(name):
    """Bytes of an element of that name, or None."""
    if name in _AMBIGUOUS:
        ours, theirs = _AMBIGUOUS[name]
        raise TypeError(
            f"{name!r} is {ours} to permc and {theirs} to numpy; expected "
            "one of these names"
        )
    opaque = re.fullmatch("bytes([1-9][0-9]*)", name)
    return int(opaque[1]) if opaque else _SIZES.get(name)


def _itemsize(dtype):
    """Bytes of an element: of a numpy or torch type, a name of one or permc's, a
    letter of the struct module, or a number of bytes."""
    if isinstance(dtype, int) and not isinstance(dtype, bool):
        return dtype
    size = getattr(dtype, "itemsize", None)
    if isinstance(size, int):
        return size
    if isinstance(dtype, str):
        size = _itemsize_of_name(dtype)
        if size is not None:
            return size
    if type(dtype).__module__ == "torch":
        import torch

        return torch.empty((), dtype=dtype).element_size()
    try:
        import numpy
    except ImportError:
        raise TypeError(
            f"{dtype!r} is no type of elements; expected a name such as 'f32', a "
            "letter of the struct module or a number of bytes (numpy's types need "
            "numpy)"
        ) from None
    return numpy.dtype(dtype).itemsize


class Kernel:
    """A permutation of one shape, called on arrays of it.

    Compiled for exactly that shape where libpermc is installed; the run-time
    library's generic kernels do it elsewhere.
    """

    def __init__(self, shape, dtype, axes=None, *, threads=None):
        self.shape = tuple(shape)
        self.axes = _permc.order_of(axes, len(self.shape))
        self.itemsize = _itemsize(dtype)
        if self.itemsize < 1:
            raise ValueError(f"an element of {self.itemsize} bytes; expected 1 or more")
        self.threads = threads
        self.out_shape = tuple(self.shape[axis] for axis in self.axes)
        if threads is not None and threads < 1:
            raise ValueError(f"{threads} threads; expected 1 or more")
        self._plan = _permc.make_plan(
            self.shape, self.axes, self.itemsize, threads or 0
        )

    @property
    def is_compiled(self):
        """Whether libpermc compiled a kernel for the shape."""
        return self._plan is not None

    def __call__(self, src, out=None):
        """Permutes src to out, or to a new array, and returns that."""
        view = src if hasattr(src, "shape") else memoryview(src)
        if tuple(view.shape) != self.shape:
            raise ValueError(
                f"src has the shape {tuple(view.shape)}; expected {self.shape}"
            )
        size = view.element_size() if hasattr(view, "element_size") else view.itemsize
        if size != self.itemsize:
            raise TypeError(
                f"src has elements of {size} bytes; expected {self.itemsize}"
            )
        if self._plan is None or out is None or not _is_dense(src, out):
            return _permc.transpose(src, self.axes, out=out, threads=self.threads)
        if tuple(out.shape) != self.out_shape:
            raise ValueError(
                f"out has the shape {tuple(out.shape)}; expected {self.out_shape}"
            )
        _permc.run_plan(self._plan, src, out)
        return out

    def __repr__(self):
        how = "compiled" if self.is_compiled else "generic"
        return f"<permc.Kernel {self.shape} by {self.axes}, {self.itemsize} bytes, {how}>"


def _is_dense(*arrays):
    """Whether all say of themselves that they are dense and row-major, and have
    a type that the two can be compared by."""
    for array in arrays:
        flags = getattr(array, "flags", None)
        if flags is None or not flags.c_contiguous or array.dtype != arrays[0].dtype:
            return False
    return arrays[-1].flags.writeable


def compile(shape, dtype, axes=None, *, threads=None):
    """A Kernel for arrays of one shape and type of elements."""
    return Kernel(shape, dtype, axes, threads=threads)


def explain(shape, dtype, axes=None):
    """What permc makes of a permutation, as text: `permc explain` where the tool
    is installed, and which generic kernels are used elsewhere."""
    shape = tuple(shape)
    axes, size = _permc.order_of(axes, len(shape)), _itemsize(dtype)
    tensor = "x".join(map(str, shape + (f"bytes{size}",)))
    order = ",".join(map(str, axes))
    tool = shutil.which("permc")
    if tool:
        done = subprocess.run(
            [tool, "explain", tensor, "--perm", order], capture_output=True, text=True
        )
        if done.returncode != 0:
            raise ValueError(done.stderr.strip())
        return done.stdout
    count = size
    for each in shape:
        count *= each
    return (
        f"permutation\n  given      {tensor} by {order}\n"
        f"  moves      {count} bytes\n"
        f"  kernels    generic, for {_permc.target()}\n"
    )
