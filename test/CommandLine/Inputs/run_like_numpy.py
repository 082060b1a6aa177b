"""Permutes files with `permc run` and compares with numpy: run_like_numpy.py PERMC"""

import subprocess
import sys

import numpy as np

rng = np.random.default_rng(1)


def permc(tensor, perm, *arguments):
    command = [sys.argv[1], "run", tensor, f"--perm={perm}", *arguments]
    return subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.strip()


def random_array(shape, dtype):
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    data = rng.integers(0, 256, count * dtype.itemsize, np.uint8)
    if dtype == np.bool_:
        data &= 1
    return data.view(dtype).reshape(shape)


def same_bytes(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def spell(shape, type_name):
    return "x".join([*map(str, shape), type_name])


def check(shape, perm, type_name, dtype, *options):
    """Every mixture of raw and .npy files, and a column-major .npy file."""
    array = random_array(shape, dtype)
    expected = np.ascontiguousarray(array.transpose(perm))
    array.tofile("in.raw")
    np.save("in.npy", array)
    np.save("fortran.npy", np.asfortranarray(array))
    order = ",".join(map(str, perm))
    for source in ["in.raw", "in.npy", "fortran.npy"]:
        for result in ["out.raw", "out.npy"]:
            printed = permc(
                spell(shape, type_name), order, source, result, *options
            )
            assert printed == spell(expected.shape, type_name), printed
            found = (
                np.load(result)
                if result.endswith("npy")
                else np.fromfile(result, dtype).reshape(expected.shape)
            )
            if source == "in.raw" and result == "out.npy":
                # numpy has no name for some types; the bytes count.
                found = found.view(expected.dtype)
            assert same_bytes(found, expected), (shape, perm, source, result)


for type_name, dtype in [
    ("u8", "u1"),
    ("i8", "i1"),
    ("bool", "?"),
    ("u16", "u2"),
    ("i16", "i2"),
    ("f16", "f2"),
    ("bf16", "V2"),
    ("u32", "u4"),
    ("i32", "i4"),
    ("f32", "f4"),
    ("u64", "u8"),
    ("i64", "i8"),
    ("f64", "f8"),
    ("c64", "c8"),
    ("c128", "c16"),
    ("bytes3", "V3"),
]:
    check((5, 3, 7), (2, 0, 1), type_name, dtype)

check((224, 224, 3), (2, 0, 1), "u8", "u1", "--threads=3")
check((1,), (0,), "f32", "f4")
check((33, 65), (1, 0), "f32", "f4", "--threads=200")
check((2, 3, 4, 5, 2, 3), (5, 3, 1, 4, 2, 0), "u16", "u2")

# A big-endian file stays one.
array = random_array((3, 5), ">i4")
np.save("in.npy", array)
permc("3x5xi32", "1,0", "in.npy", "out.npy")
assert same_bytes(np.load("out.npy"), np.ascontiguousarray(array.T))

# Undone, the array is what it was.
permc("5x3xi32", "1,0", "out.npy", "back.npy", "--inverse")
assert same_bytes(np.load("back.npy"), array)

# Elements of any type move as bytes of their size.
permc("3x5xbytes4", "1,0", "in.npy", "out.npy")
assert same_bytes(np.load("out.npy"), np.ascontiguousarray(array.T))

# MATLAB's raw files are column-major; a .npy file says what it is.
array = random_array((2, 3, 4), "f8")
expected = array.transpose((2, 0, 1))
array.ravel("F").tofile("in.raw")
permc("2x3x4xf64", "3,1,2", "in.raw", "out.raw", "--convention=matlab")
assert np.fromfile("out.raw").tobytes() == expected.ravel("F").tobytes()
for store in [np.ascontiguousarray, np.asfortranarray]:
    np.save("in.npy", store(array))
    permc("2x3x4xf64", "3,1,2", "in.npy", "out.npy", "--convention=matlab")
    assert same_bytes(np.load("out.npy"), np.ascontiguousarray(expected))

# Strides: rows of 3 in 5, to columns of 2 in 4; the padding of a new file is 0.
array = random_array((2, 3), "u1")
padded = np.full((2, 5), 99, np.uint8)
padded[:, :3] = array
padded.ravel()[:8].tofile("in.raw")
permc("2x3xu8", "1,0", "in.raw", "out.raw", "--in-strides=5,1", "--out-strides=4,1")
expected = np.zeros((3, 4), np.uint8)
expected[:, :2] = array.T
assert np.fromfile("out.raw", np.uint8).tobytes() == expected.ravel()[:10].tobytes()
