# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transposes and layout changes of arrays at the speed of memory.

Takes anything with the buffer protocol or DLPack: numpy's arrays, torch's
tensors, array.array, memoryview. Returns what it was given: an array for an
array, a tensor for a tensor, a memoryview for any other buffer.

    >>> import numpy, permc
    >>> image = numpy.zeros((224, 224, 3), numpy.uint8)
    >>> permc.transpose(image, (2, 0, 1)).shape
    (3, 224, 224)
"""

from ._kernel import Kernel, compile, explain
from ._permc import (
    ascontiguousarray,
    asfortranarray,
    copyto,
    enable_jit,
    set_threads,
    target,
    transpose,
)
from ._permc import version as __version__

__all__ = [
    "Kernel",
    "ascontiguousarray",
    "asfortranarray",
    "compile",
    "copyto",
    "enable_jit",
    "explain",
    "set_threads",
    "target",
    "transpose",
]
