# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random arrays of numpy: all types of elements, all kinds of views."""

import numpy as np
from hypothesis import strategies as st

STRUCT = np.dtype([("a", "u1"), ("b", "<f4"), ("c", "i2")])  # packed: 7 bytes
ALIGNED = np.dtype([("a", "u1"), ("b", "<f8")], align=True)
DTYPES = [
    np.dtype(name)
    for name in (
        "?", "i1", "u1", "<i2", ">i2", "f2", "i4", "f4", ">f4", "i8", "f8",
        "c8", "c16", "g", "S3", "S5", "U2", "V6", "M8[s]", "m8[ns]",
    )
] + [STRUCT, ALIGNED]  # fmt: skip


@st.composite
def axes_of(draw, ndim):
    axes = draw(st.permutations(range(ndim)))
    if draw(st.booleans()):
        axes = [axis - ndim if draw(st.booleans()) else axis for axis in axes]
    return tuple(axes)


def fill(array):
    """Bytes that tell elements apart. Of booleans only 0 and 1 exist."""
    count = array.size * array.itemsize
    numbers = np.arange(count, dtype=np.uint64) * 2654435761 >> 13
    data = (numbers & 0xFF).astype(np.uint8)
    if array.dtype == bool:
        data &= 1
    if array.dtype.kind == "U":
        return np.frombuffer(
            (numbers[: count // 4] % 0xD800).astype(np.uint32), array.dtype
        ).reshape(array.shape)
    return np.frombuffer(data.tobytes(), array.dtype).reshape(array.shape)


@st.composite
def unaligned(draw, array):
    """The same array at an odd address."""
    shift = draw(st.integers(1, 15))
    memory = np.zeros(array.nbytes + 16, np.uint8)
    moved = memory[shift : shift + array.nbytes].view(array.dtype)
    moved = moved.reshape(array.shape)
    moved[...] = array
    return moved


@st.composite
def slices(draw, size):
    """Some of a dim, by steps, forwards or backwards."""
    step = draw(st.sampled_from([1, 1, 2, 3, -1, -1, -2]))
    start = draw(st.one_of(st.none(), st.integers(0, max(size - 1, 0))))
    return slice(start, None, step)


@st.composite
def arrays(draw, max_ndim=6, max_elements=4000):
    """An array, by up to three views of one."""
    ndim = draw(st.integers(0, max_ndim))
    shape, room = [], max_elements
    for _ in range(ndim):
        size = draw(st.integers(0, min(room, 40)) if room else st.just(1))
        shape.append(size)
        room //= max(size, 1)
    dtype = draw(st.sampled_from(DTYPES))
    array = fill(np.empty(shape, dtype, order=draw(st.sampled_from("CF"))))
    array = array.copy(order=draw(st.sampled_from("CF")))
    if draw(st.booleans()) and array.size:
        array = draw(unaligned(array))
    kinds = ["slice", "transpose", "newaxis", "broadcast", "field", "squeeze"]
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=3)):
        if kind == "slice":
            cut = tuple(draw(slices(size)) for size in array.shape)
            array = array[cut + (...,)]  # of no dims it stays an array
        elif kind == "transpose":
            array = array.transpose(draw(axes_of(array.ndim)))
        elif kind == "newaxis" and array.ndim < 8:
            array = np.expand_dims(array, draw(st.integers(0, array.ndim)))
        elif kind == "broadcast" and array.size <= max_elements and array.ndim < 8:
            array = np.broadcast_to(
                array, (draw(st.integers(1, 5)),) + array.shape
            )
            array = np.moveaxis(array, 0, draw(st.integers(0, array.ndim - 1)))
        elif kind == "field" and array.dtype.names:
            array = array[draw(st.sampled_from(array.dtype.names))]
        elif kind == "squeeze":
            array = np.squeeze(array)
    return array
