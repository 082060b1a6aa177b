# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for one shape, and what permc makes of a shape."""

import shutil
import subprocess

from . import _permc

# The letters of the struct module and their sizes, for those without numpy.
_SIZES = {
    "b": 1, "B": 1, "?": 1, "c": 1, "h": 2, "H": 2, "e": 2, "i": 4, "I": 4,
    "f": 4, "l": 8, "L": 8, "q": 8, "Q": 8, "d": 8,
}  # fmt: skip


def _itemsize(dtype):
    """Bytes of an element: of a numpy or torch type, a name of one, a letter of
    the struct module, or a number of bytes."""
    if isinstance(dtype, int) and not isinstance(dtype, bool):
        return dtype
    size = getattr(dtype, "itemsize", None)
    if isinstance(size, int):
        return size
    if isinstance(dtype, str) and dtype in _SIZES:
        return _SIZES[dtype]
    if type(dtype).__module__ == "torch":
        import torch

        return torch.empty((), dtype=dtype).element_size()
    try:
        import numpy
    except ImportError:
        raise TypeError(
            f"{dtype!r} is no type of elements; expected a letter of the struct "
            "module or a number of bytes (numpy's types need numpy)"
        ) from None
    return numpy.dtype(dtype).itemsize


def _axes(axes, rank):
    """The order without negative axes, checked."""
    axes = tuple(reversed(range(rank))) if axes is None else tuple(axes)
    if len(axes) != rank:
        raise ValueError(
            f"the order {axes} has {len(axes)} axes; expected {rank}, one for each dim"
        )
    for axis in axes:
        if not -rank <= axis < rank:
            raise ValueError(
                f"axis {axis} in the order {axes}; expected {-rank} to {rank - 1}"
            )
    axes = tuple(axis % rank for axis in axes)
    for axis in axes:
        if axes.count(axis) > 1:
            raise ValueError(
                f"axis {axis} twice in the order {axes}; expected each axis once"
            )
    return axes


class Kernel:
    """A permutation of one shape, called on arrays of it.

    Compiled for exactly that shape where libpermc is installed; the run-time
    library's generic kernels do it elsewhere.
    """

    def __init__(self, shape, dtype, axes=None, *, threads=None):
        self.shape = tuple(shape)
        self.axes = _axes(axes, len(self.shape))
        self.itemsize = _itemsize(dtype)
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
    axes, size = _axes(axes, len(shape)), _itemsize(dtype)
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
