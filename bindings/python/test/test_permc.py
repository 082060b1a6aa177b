# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""permc against numpy: every byte, and every error."""

import array
import ctypes
import mmap
import os
import pathlib
import random
import sys
import threading
import unittest

try:
    import numpy as np
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st
except ImportError as error:
    print(f"skipped: {error} (python3-numpy, python3-hypothesis)")
    sys.exit(77)

import permc
from arrays import arrays, axes_of, fill

COUNT = int(os.environ.get("PERMC_PYTHON_EXAMPLES", "400"))
thorough = settings(
    max_examples=COUNT,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def same(a, b):
    """Whether two arrays are equal to the last byte, but for what lies between the
    fields of a struct: numpy leaves that as it is."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.names:
        return all(a[name].tobytes() == b[name].tobytes() for name in a.dtype.names)
    return a.tobytes() == b.tobytes()


class AgainstNumpy(unittest.TestCase):
    @thorough
    @given(st.data())
    def test_transpose(self, data):
        a = data.draw(arrays())
        axes = data.draw(st.one_of(st.none(), axes_of(a.ndim)))
        result = permc.transpose(a, axes)
        self.assertTrue(same(result, np.transpose(a, axes)))
        self.assertTrue(result.flags.c_contiguous)
        self.assertIs(type(result), np.ndarray)

    @thorough
    @given(arrays(), st.booleans())
    def test_contiguous(self, a, fortran):
        ours = permc.asfortranarray if fortran else permc.ascontiguousarray
        theirs = np.asfortranarray if fortran else np.ascontiguousarray
        result, expected = ours(a), theirs(a)
        self.assertTrue(same(result, expected))
        self.assertEqual(result.flags.f_contiguous, expected.flags.f_contiguous)
        self.assertEqual(result.flags.c_contiguous, expected.flags.c_contiguous)

    @thorough
    @given(st.data())
    def test_copyto(self, data):
        """Between two views of one shape, with what lies round dst unharmed."""
        src = data.draw(arrays(max_ndim=4, max_elements=1500))
        shape = [data.draw(st.integers(n, n + 2)) for n in src.shape]
        steps = [data.draw(st.sampled_from([1, 1, 2, -1, -2])) for _ in shape]
        whole = fill(
            np.empty([n * abs(step) for n, step in zip(shape, steps)], src.dtype)
        ).copy(order=data.draw(st.sampled_from("CF")))
        expected = whole.copy(order="K")
        cut = tuple(
            slice(0, n * abs(step), step) if step > 0 else slice(None, None, step)
            for n, step in zip(shape, steps)
        ) + (...,)
        keep = tuple(slice(0, n) for n in src.shape) + (...,)
        permc.copyto(whole[cut][keep], src)
        expected[cut][keep] = src
        self.assertTrue(same(whole, expected))

    def test_larger_arrays(self):
        generator = random.Random(7)
        for _ in range(40):
            shape = [generator.randint(1, 90) for _ in range(3)]
            a = fill(np.empty(shape, generator.choice(["u1", "f4", "c16", "S3"])))
            a = a[:: generator.choice([1, -1]), :, :: generator.choice([1, 2, -1])]
            axes = generator.sample(range(3), 3)
            for threads in (None, 1, 2):
                result = permc.transpose(a, axes, threads=threads)
                self.assertTrue(same(result, a.transpose(axes)), (shape, axes))

    def test_out(self):
        a = np.arange(24.0).reshape(2, 3, 4)
        out = np.zeros((4, 3, 2)).T.copy().T
        self.assertIs(permc.transpose(a, out=out), out)
        self.assertTrue((out == a.T).all())

    def test_letters(self):
        a = np.arange(120).reshape(2, 3, 4, 5)
        for order, axes in (
            ("nhwc->nchw", (0, 3, 1, 2)),
            (" abcd -> dCba ".replace("C", "c"), (3, 2, 1, 0)),
            ("n  height w1 c -> w1 height c n", (2, 1, 3, 0)),
        ):
            self.assertTrue(same(permc.transpose(a, order), a.transpose(axes)), order)
        self.assertTrue(same(permc.transpose(np.array(7, "f4"), "->"), np.array(7, "f4")))
        letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[:32]
        deep = np.zeros((1,) * 31 + (2,), "u1")
        self.assertEqual(permc.transpose(deep, f"{letters}->{letters[::-1]}").shape[0], 2)

    def test_what_lies_as_it_should_is_given_back(self):
        a = np.arange(6).reshape(2, 3)
        self.assertIs(permc.ascontiguousarray(a), a)
        fortran = a.T
        self.assertIs(permc.asfortranarray(fortran), fortran)

    def test_subclasses_become_arrays(self):
        result = permc.transpose(np.recarray((2, 2), "u1"))
        self.assertIs(type(result), np.ndarray)


class OtherBuffers(unittest.TestCase):
    def test_array(self):
        result = permc.transpose(array.array("h", [1, 2, 3]))
        self.assertIsInstance(result, memoryview)
        self.assertEqual((result.format, result.tolist()), ("h", [1, 2, 3]))

    def test_memoryview(self):
        view = memoryview(bytes(range(6))).cast("B", (2, 3))
        self.assertEqual(permc.transpose(view).tolist(), [[0, 3], [1, 4], [2, 5]])
        fortran = permc.asfortranarray(view)
        self.assertEqual(fortran.tolist(), [[0, 1, 2], [3, 4, 5]])
        self.assertEqual(fortran.strides, (1, 2))

    def test_out_of_another_kind(self):
        out = bytearray(6)
        view = memoryview(out).cast("B", (3, 2))
        permc.transpose(np.arange(6, dtype=np.uint8).reshape(2, 3), out=view)
        self.assertEqual(list(out), [0, 3, 1, 4, 2, 5])

    def test_results_outlive_their_sources(self):
        result = permc.transpose(memoryview(bytes(range(100))))
        self.assertEqual(bytes(result[::-1]), bytes(range(100))[::-1])


class Errors(unittest.TestCase):
    def check(self, error, message, *arguments, call=permc.transpose, **names):
        with self.assertRaisesRegex(error, message):
            call(*arguments, **names)

    def test_axes(self):
        a = np.zeros((2, 3))
        self.check(ValueError, "has 1 axes; expected 2", a, (0,))
        self.check(ValueError, "axis 2 in the order", a, (0, 2))
        self.check(ValueError, "axis -3 in the order", a, (0, -3))
        self.check(ValueError, "axis 1 twice", a, (1, -1))
        self.check(TypeError, "float", a, (0.5, 1))
        self.check(TypeError, "", a, 1)

    def test_letters(self):
        a = np.zeros((2, 3))
        self.check(ValueError, "'10' has no '->'", a, "10")
        self.check(ValueError, "'1->0' has what is no letter", a, "1->0")
        self.check(ValueError, "'ab->b\\(a\\)' has what is no letter", a, "ab->b(a)")
        self.check(ValueError, "'aa->aa' names a dim twice", a, "aa->aa")
        self.check(ValueError, "names 3 dims on the left; the array has 2", a, "abc->cba")
        self.check(ValueError, "another number of dims on the right", a, "ab->b")
        self.check(ValueError, "'ab->bA' names a dim on the right only", a, "ab->bA")
        self.check(ValueError, "as in 'hwc->chw', or a sequence of axes", a, "a\0b->ba")
        many = " ".join(f"d{i}" for i in range(70))
        self.check(ValueError, "names too many dims", a, f"{many} -> {many}")

    def test_arrays(self):
        self.check(TypeError, "NoneType.*expected an array", None)
        self.check(TypeError, "list.*expected an array", [[1, 2], [3, 4]])
        self.check(TypeError, "holds Python objects", np.array([None, 1]))
        holder = np.zeros(3, dtype=[("n", "i4"), ("o", "O")])
        self.check(TypeError, "holds Python objects", holder)
        huge = np.lib.stride_tricks.as_strided(np.zeros(1, "u1"), (2**29,) * 2, (0, 0))
        self.check(MemoryError, "", huge)

    def test_out(self):
        a = np.zeros((2, 3), np.float32)
        self.check(ValueError, r"shape \(2, 3\); expected \(3, 2\)", a, out=np.zeros((2, 3), "f4"))
        self.check(TypeError, "8", a, out=np.zeros((3, 2)))
        self.check(TypeError, "int32", a, out=np.zeros((3, 2), np.int32))
        frozen = np.zeros((3, 2), np.float32)
        frozen.flags.writeable = False
        self.check(BufferError, "read-only", a, out=frozen)
        self.check(BufferError, "", a.view("u1"), out=memoryview(bytes(24)))
        self.check(ValueError, "share no byte", a, out=a.reshape(3, 2))
        repeated = np.lib.stride_tricks.as_strided(frozen.copy(), (3, 2), (0, 4))
        self.check(ValueError, "would overlap", a, out=repeated)

    def test_arguments(self):
        a = np.zeros((2, 3))
        self.check(TypeError, "missing required argument: 'a'")
        self.check(TypeError, "unexpected keyword argument 'axis'", a, axis=1)
        self.check(TypeError, "multiple values", a, a=a)
        self.check(TypeError, "at most 2 positional", a, None, None)
        self.check(ValueError, "0 threads; expected 1 or more", a, threads=0)
        self.check(TypeError, "two arrays", a, None, call=permc.copyto)
        self.check(ValueError, "shape", a, a.T.copy(), call=permc.copyto)


class Kernels(unittest.TestCase):
    def test_kernel(self):
        kernel = permc.compile((4, 6, 5), "f4", (2, 0, 1))
        a = np.arange(120, dtype=np.float32).reshape(4, 6, 5)
        out = np.empty((5, 4, 6), np.float32)
        self.assertIs(kernel(a, out), out)
        self.assertTrue(same(out, np.ascontiguousarray(a.transpose(2, 0, 1))))
        self.assertTrue(same(kernel(a), out))
        self.assertTrue(same(kernel(a[::-1]), a[::-1].transpose(2, 0, 1)))
        self.assertIn("(4, 6, 5) by (2, 0, 1), 4 bytes", repr(kernel))

    def test_kernels_are_compiled_where_libpermc_is(self):
        # In a build it is found where that puts it.
        built = pathlib.Path(permc.__file__).resolve().parents[2] / "lib"
        expected = "PERMC_LIBRARY" in os.environ or any(built.glob("libpermc.so.*"))
        self.assertEqual(permc.compile((64, 64), 4).is_compiled, expected)

    def test_errors(self):
        kernel = permc.compile((4, 6), np.float64)
        with self.assertRaisesRegex(ValueError, "shape"):
            kernel(np.zeros((6, 4)))
        with self.assertRaisesRegex(TypeError, "4 bytes; expected 8"):
            kernel(np.zeros((4, 6), np.float32))
        with self.assertRaisesRegex(ValueError, "shape"):
            kernel(np.zeros((4, 6)), np.zeros((4, 6)))
        with self.assertRaisesRegex(TypeError, "int64"):
            kernel(np.zeros((4, 6)), np.zeros((6, 4), np.int64))
        with self.assertRaisesRegex(ValueError, "axis 0 twice"):
            permc.compile((4, 6), 8, (0, 0))

    def test_names_of_types(self):
        for name, size in (
            ("f32", 4), ("u16", 2), ("bf16", 2), ("c128", 16), ("bytes12", 12),
            ("uint8", 1), ("f4", 4), ("<i8", 8), ("c16", 16), ("bool", 1), ("S5", 5),
            (np.uint8, 1), (np.dtype("f8"), 8), ("d", 8), (24, 24),
        ):  # fmt: skip
            self.assertEqual(permc.compile((3, 2), name, "ab->ba").itemsize, size)
        for name in ("u8", "i8", "f16"):
            with self.assertRaisesRegex(TypeError, f"'{name}' is .* to permc and"):
                permc.compile((3, 2), name)
        for nothing in ("bytes0", 0, -1):
            with self.assertRaisesRegex(ValueError, "bytes; expected 1 or more"):
                permc.compile((3, 2), nothing)

    def test_explain(self):
        self.assertIn("4x6xbytes8 by 1,0", permc.explain((4, 6), "f8"))


class Threads(unittest.TestCase):
    def test_many_at_once(self):
        wrong = []

        def work(seed):
            generator = random.Random(seed)
            for _ in range(60):
                shape = [generator.randint(1, 40) for _ in range(3)]
                a = fill(np.empty(shape, generator.choice(["u1", "f4", "f8"])))
                a = a[:: generator.choice([1, -1])]
                axes = generator.sample(range(3), 3)
                if not same(permc.transpose(a, axes), a.transpose(axes)):
                    wrong.append((seed, shape, axes))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Guarded(unittest.TestCase):
    """Arrays that end, or begin, at a page that cannot be touched."""

    def memory(self, nbytes, at_end):
        page = mmap.PAGESIZE
        room = -(-max(nbytes, 1) // page) * page
        whole = mmap.mmap(-1, room + 2 * page)
        address = ctypes.addressof(ctypes.c_char.from_buffer(whole))
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        for edge in (address, address + page + room):
            if protect(ctypes.c_void_p(edge), ctypes.c_size_t(page), 0) != 0:
                self.fail(f"mprotect: {os.strerror(ctypes.get_errno())}")
        start = page + (room - nbytes if at_end else 0)
        return np.frombuffer(whole, np.uint8, nbytes, start)

    @settings(thorough, max_examples=max(COUNT // 4, 1))
    @given(st.data())
    def test_nothing_outside_is_touched(self, data):
        shape = data.draw(st.lists(st.integers(1, 20), min_size=1, max_size=3))
        dtype = np.dtype(data.draw(st.sampled_from(["u1", "f2", "f4", "f8", "S3"])))
        size = int(np.prod(shape)) * dtype.itemsize
        ends = data.draw(st.tuples(st.booleans(), st.booleans()))
        src, dst = (self.memory(size, end).view(dtype) for end in ends)
        src = src.reshape(shape)
        src[...] = fill(src)
        src = src[tuple(slice(None, None, data.draw(st.sampled_from([1, -1]))) for _ in shape)]
        axes = data.draw(axes_of(len(shape)))
        dst = dst.reshape([shape[axis] for axis in axes])
        permc.transpose(src, axes, out=dst)
        self.assertTrue(same(dst, src.transpose(axes)))


if __name__ == "__main__":
    unittest.main()
