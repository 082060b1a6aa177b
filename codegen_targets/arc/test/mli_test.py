"""Tests the C that `permc compile --mli` makes, on this machine.

    mli_test.py PERMC COMPILER INCLUDE FOLDER [CONFORMANCE]

Builds the drop-in as shared libraries against the minimal MLI header and calls
it through ctypes: data, element parameters and every status of MLI's checks.
"""

import ctypes
import hashlib
import json
import random
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np
from mli_tensor import *

STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O2"]
UNDEFINED = ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
NAMES = {FX8: "fx8", FX16: "fx16", SA8: "sa8"}
CASES = None


class Library:
    """One build of the drop-in."""

    def __init__(self, folder, compiler, include, flags=()):
        path = folder / ("mli" + "".join(flags) + ".so")
        subprocess.run(
            [compiler, *STRICT, *UNDEFINED, *flags, "-shared", "-fPIC"]
            + [f"-I{include}/permc-mli", folder / "permute_mli.c", "-o", path],
            check=True,
        )
        self.library = ctypes.CDLL(str(path))

    def permute(self, kind, source, perm, target):
        """Calls the function of a type; None stands for a null pointer."""
        function = getattr(self.library, f"mli_krn_permute_{NAMES[kind]}")
        pointer = lambda x: None if x is None else ctypes.byref(x)
        config = None if perm is None else Config((ctypes.c_uint8 * 4)(*perm))
        return function(pointer(source), pointer(config), pointer(target))


def expected_bytes(memory, shape, src, perm, dst, element, fill=0xEE):
    """What out's memory must hold: numpy's transpose among untouched padding."""
    view = np.lib.stride_tricks.as_strided
    data = np.frombuffer(bytes(memory), dtype=np.uint8)
    out_shape = [shape[axis] for axis in perm]
    out = np.full(span(out_shape, dst) * element, fill, dtype=np.uint8)
    from_bytes = [stride * element for stride in src] + [1]
    to_bytes = [stride * element for stride in dst] + [1]
    source = view(data, shape + [element], from_bytes)
    target = view(out, out_shape + [element], to_bytes)
    target[...] = source.transpose([*perm, len(shape)])
    return out.tobytes()


class DataTest(unittest.TestCase):
    def check(self, kind, shape, perm, src=None, dst=None, library=None):
        element = BYTES[kind]
        src = src or dense(shape)
        out_shape = [shape[axis] for axis in perm]
        dst = dst or dense(out_shape)
        rng = random.Random(str((shape, perm)))
        data = [rng.randrange(256) for _ in range(span(shape, src) * element)]
        source, source_memory = make_tensor(kind, shape, src, data)
        target, memory = make_tensor(kind, out_shape, dst)
        status = (library or checked).permute(kind, source, perm, target)
        self.assertEqual(status, OK)
        wanted = expected_bytes(source_memory, shape, src, perm, dst, element)
        self.assertEqual(bytes(memory), wanted)
        self.assertEqual(bytes(source_memory), bytes(data))

    def test_shapes_with_kernels(self):
        for kind in (FX8, SA8):
            self.check(kind, [2, 3, 4], [2, 0, 1])
            self.check(kind, [2, 3, 4, 5], [0, 3, 1, 2])
            self.check(kind, [10, 1, 1, 1], [1, 2, 3, 0])
            self.check(kind, [4, 8, 16], [2, 0, 1], [160, 20, 1], [40, 9, 1])
        self.check(FX16, [2, 3, 4, 5], [0, 3, 1, 2])
        self.check(FX16, [8, 8], [1, 0])

    def test_random_shapes_take_the_fallback(self):
        rng = random.Random(3)
        for _ in range(60):
            rank = rng.randint(1, 4)
            shape = [rng.randint(1, 6) for _ in range(rank)]
            perm = rng.sample(range(rank), rank)
            src, extent = [], rng.choice([1, 2, 3])
            for size in reversed(shape):
                src.insert(0, extent)
                extent = extent * size + rng.choice([0, 2])
            self.check(rng.choice([FX8, FX16, SA8]), shape, perm, src)

    def test_the_build_without_checks(self):
        for kind in (FX8, FX16, SA8):
            self.check(kind, [2, 3, 4, 5], [0, 3, 1, 2], library=unchecked)
            self.check(kind, [3, 5], [1, 0], library=unchecked)

    def test_strides_of_zero_are_computed_if_asked(self):
        shape, perm = [2, 3, 4], [2, 0, 1]
        source, source_memory = make_tensor(FX8, shape, data=list(range(24)))
        target, memory = make_tensor(FX8, [4, 2, 3])
        source.mem_stride[:3] = [0, 0, 0]
        target.mem_stride[:3] = [0, 0, 0]
        self.assertEqual(lenient.permute(FX8, source, perm, target), OK)
        wanted = expected_bytes(
            source_memory, shape, dense(shape), perm, dense([4, 2, 3]), 1
        )
        self.assertEqual(bytes(memory), wanted)


class ParamsTest(unittest.TestCase):
    def axis_call(self, prepare, dim=1):
        """Permutes with parameters per axis; `prepare` sets up out's."""
        source, self.source_memory = make_tensor(SA8, [2, 3, 4], data=range(24))
        target, self.memory = make_tensor(SA8, [4, 2, 3])
        n = source.shape[dim]
        self.kept = []
        for name, kind in (
            ("zero_point", ctypes.c_int16),
            ("scale", ctypes.c_int16),
            ("scale_frac_bits", ctypes.c_int8),
        ):
            array, made = container([10 * n + i for i in range(n)], kind)
            self.kept.append(array)
            setattr(source.el_params.sa, name, made)
        source.el_params.sa.dim = dim
        prepare(source.el_params.sa, target.el_params.sa)
        status = checked.permute(SA8, source, [2, 0, 1], target)
        return status, source.el_params.sa, target.el_params.sa

    def own(self, values, kind):
        array, made = container(values, kind)
        self.kept.append(array)
        return made

    def test_fx_copies_the_fraction_bits(self):
        source, a = make_tensor(FX16, [2, 3])
        target, b = make_tensor(FX16, [3, 2])
        source.el_params.fx.frac_bits = 7
        self.assertEqual(checked.permute(FX16, source, [1, 0], target), OK)
        self.assertEqual(target.el_params.fx.frac_bits, 7)

    def test_per_tensor_copies_the_values(self):
        source, a = make_tensor(SA8, [2, 3])
        target, b = make_tensor(SA8, [3, 2])
        sa = source.el_params.sa
        sa.zero_point.mem.i16, sa.scale.mem.i16 = -5, 77
        sa.scale_frac_bits.mem.i8, sa.dim = 3, -4
        target.el_params.sa.dim = 2
        self.assertEqual(checked.permute(SA8, source, [1, 0], target), OK)
        out = target.el_params.sa
        self.assertEqual(
            (out.zero_point.mem.i16, out.scale.mem.i16, out.scale_frac_bits.mem.i8),
            (-5, 77, 3),
        )
        self.assertEqual(out.dim, -1)

    def test_null_pointers_become_those_of_in(self):
        status, source, out = self.axis_call(lambda source, out: None)
        self.assertEqual((status, out.dim), (OK, 2))
        for name in ("zero_point", "scale", "scale_frac_bits"):
            got, wanted = getattr(out, name), getattr(source, name)
            self.assertEqual(got.mem.address, wanted.mem.address)
            self.assertEqual(got.capacity, wanted.capacity)

    def test_the_dim_moves_with_its_axis(self):
        for dim, moved in ((0, 1), (1, 2), (2, 0)):
            status, _, out = self.axis_call(lambda source, out: None, dim)
            self.assertEqual((status, out.dim), (OK, moved))

    def test_the_same_pointers_stay(self):
        def prepare(source, out):
            out.zero_point, out.scale = source.zero_point, source.scale
            out.scale_frac_bits = source.scale_frac_bits
            out.scale.capacity = 1

        status, source, out = self.axis_call(prepare)
        self.assertEqual((status, out.dim, out.scale.capacity), (OK, 2, 1))

    def test_own_memory_gets_copies(self):
        def prepare(source, out):
            out.zero_point = self.own([0] * 3, ctypes.c_int16)
            out.scale = self.own([0] * 3, ctypes.c_int16)
            out.scale_frac_bits = self.own([0] * 3, ctypes.c_int8)

        status, source, out = self.axis_call(prepare)
        self.assertEqual((status, out.dim), (OK, 2))
        for i in range(3):
            self.assertEqual(list(self.kept[3 + i]), list(self.kept[i]))

    def test_too_little_own_memory(self):
        for short in range(3):

            def prepare(source, out):
                sizes = [3 - (short == i) for i in range(3)]
                out.zero_point = self.own([0] * sizes[0], ctypes.c_int16)
                out.scale = self.own([0] * sizes[1], ctypes.c_int16)
                out.scale_frac_bits = self.own([0] * sizes[2], ctypes.c_int8)

            status, _, out = self.axis_call(prepare)
            self.assertEqual(status, SPEC_PARAM_MISMATCH)
            self.assertEqual(set(self.memory), {0xEE})

    def test_inconsistent_pointers(self):
        def scale_of_in(source, out):
            out.scale = source.scale

        def one_own(source, out):
            out.scale = self.own([0] * 3, ctypes.c_int16)

        def two_of_in(source, out):
            out.zero_point, out.scale = source.zero_point, source.scale
            out.scale_frac_bits = self.own([0] * 3, ctypes.c_int8)

        for prepare in (scale_of_in, one_own, two_of_in):
            self.assertEqual(self.axis_call(prepare)[0], SPEC_PARAM_MISMATCH)


class StatusTest(unittest.TestCase):
    """Each cause on its own, then two at a time to see which comes first."""

    def setUp(self):
        self.source, self.source_memory = make_tensor(FX8, [2, 3, 4])
        self.target, self.memory = make_tensor(FX8, [4, 2, 3])
        self.perm = [2, 0, 1]
        self.kind = FX8

    def expect(self, status):
        before = bytes(self.memory)
        self.assertEqual(
            checked.permute(self.kind, self.source, self.perm, self.target), status
        )
        self.assertEqual(bytes(self.memory), before)

    def test_null_tensors(self):
        self.source = None
        self.expect(BAD_TENSOR)
        self.setUp()
        self.target = None
        self.expect(BAD_TENSOR)

    def test_bad_tensors(self):
        def spoil(change):
            for name in ("source", "target"):
                with self.subTest(name=name):
                    self.setUp()
                    change(getattr(self, name))
                    self.expect(BAD_TENSOR)

        spoil(lambda t: setattr(t.data.mem, "address", None))
        spoil(lambda t: setattr(t, "rank", 0))
        spoil(lambda t: setattr(t, "rank", 5))
        spoil(lambda t: setattr(t.data, "capacity", 2**31))
        spoil(lambda t: t.mem_stride.__setitem__(2, 0))
        spoil(lambda t: t.mem_stride.__setitem__(0, -12))
        spoil(lambda t: t.shape.__setitem__(1, 0))
        spoil(lambda t: t.mem_stride.__setitem__(0, t.mem_stride[0] - 1))
        # Extents whose product does not fit 32 bits.
        spoil(lambda t: t.shape.__setitem__(slice(0, 3), [1, 2**31, 4]))

    def test_too_little_memory(self):
        for name in ("source", "target"):
            self.setUp()
            getattr(self, name).data.capacity -= 1
            self.expect(NOT_ENGH_MEM)

    def test_memory_counts_in_elements(self):
        self.source, a = make_tensor(FX16, [2, 3, 4])
        self.target, self.memory = make_tensor(FX16, [4, 2, 3])
        self.kind = FX16
        self.source.data.capacity = 47
        self.expect(NOT_ENGH_MEM)

    def test_a_shape_too_large_for_its_memory(self):
        self.source.shape[0] = 0x7FFFFFFF
        self.expect(NOT_ENGH_MEM)

    def test_types(self):
        self.target.el_type = SA8
        self.expect(TYPE_MISMATCH)
        self.setUp()
        self.kind = SA8
        self.expect(TYPE_MISMATCH)

    def test_bad_orders(self):
        for perm in (None, [2, 0, 3], [255, 0, 1], [2, 2, 1], [2, 0, 0]):
            self.perm = perm
            self.expect(BAD_FUNC_CFG)

    def test_shapes(self):
        self.target, self.memory = make_tensor(FX8, [4, 3, 2])
        self.expect(SHAPE_MISMATCH)
        self.target, self.memory = make_tensor(FX8, [4, 2, 3, 1])
        self.expect(SHAPE_MISMATCH)

    def test_overlap(self):
        memory = (ctypes.c_uint8 * 64)()
        start = ctypes.addressof(memory)
        self.source.data.mem.address = start
        for distance in (0, 1, 23):
            self.target.data.mem.address = start + distance
            self.expect(INCOMPATEBLE_TENSORS)
        self.target.data.mem.address = start
        self.source.data.mem.address = start + 23
        self.expect(INCOMPATEBLE_TENSORS)
        self.source.data.mem.address = start + 24
        self.assertEqual(
            checked.permute(FX8, self.source, self.perm, self.target), OK
        )

    def test_in_comes_before_out(self):
        self.source.data.capacity -= 1
        self.target.rank = 0
        self.expect(NOT_ENGH_MEM)

    def test_memory_comes_before_types(self):
        self.target.el_type = FX16
        self.expect(NOT_ENGH_MEM)

    def test_types_come_before_the_order(self):
        self.target.el_type = SA8
        self.perm = None
        self.expect(TYPE_MISMATCH)

    def test_orders_and_shapes_interleave(self):
        self.target, self.memory = make_tensor(FX8, [3, 2, 3])
        self.perm = [2, 0, 3]
        self.expect(SHAPE_MISMATCH)
        self.perm = [3, 0, 1]
        self.expect(BAD_FUNC_CFG)

    def test_the_order_comes_before_overlap_and_the_function(self):
        self.target.data.mem.address = self.source.data.mem.address
        self.kind, self.perm = FX16, [2, 2, 1]
        self.expect(BAD_FUNC_CFG)
        self.perm = [2, 0, 1]
        self.expect(INCOMPATEBLE_TENSORS)


class ConformanceTest(unittest.TestCase):
    """The cases of a conformance file, if there is one."""

    KINDS = {"fx8": FX8, "fx16": FX16, "sa8": SA8}

    def test_cases(self):
        if CASES is None or not Path(CASES).exists():
            self.skipTest("no conformance file was given")
        cases = json.loads(Path(CASES).read_text())["cases"]
        mine = [case for case in cases if case["system"] == "mli"]
        self.assertTrue(mine)
        for case in mine:
            with self.subTest(case["id"]):
                if case["dtype"] in self.KINDS:
                    self.run_case(case)
                else:
                    self.run_plain_kernel(case)

    def run_plain_kernel(self, case):
        """MLI 3 has no function for 32 bits: the kernel itself is called."""
        self.assertEqual(case["dtype"], "sa32")
        shape, perm = case["shape"], case["order"]
        source = folder / "plain.c"
        subprocess.run(
            [permc, "compile", "x".join(map(str, shape)) + "xi32", "--perm"]
            + [",".join(map(str, perm)), "--target", "c99", "--name", "kernel"]
            + ["-o", source],
            check=True,
        )
        path = folder / f"{case['id']}.so"
        flags = [*STRICT, *UNDEFINED, "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, source, "-o", path], check=True)
        count = int(np.prod(shape))
        data = bytes(
            (((k >> (8 * b)) & 255) + 31 * b) & 255
            for k in range(count)
            for b in range(4)
        )
        out = (ctypes.c_uint8 * len(data))()
        ctypes.CDLL(str(path)).kernel(data, out)
        self.assertEqual(
            hashlib.sha256(bytes(out)).hexdigest(), case["expected"]["sha256"]
        )

    def run_case(self, case):
        kind, shape, perm = self.KINDS[case["dtype"]], case["shape"], case["order"]
        wanted = case["expected"]
        values = case.get("input", range(int(np.prod(shape))))
        number = np.int16 if kind == FX16 else np.int8
        data = np.array(values).astype(number).tobytes()
        source, a = make_tensor(kind, shape, data=data)
        target, memory = make_tensor(kind, [shape[axis] for axis in perm])
        kept = self.set_quantisation(case.get("quant"), source, target)
        if "in_strides" in case:
            source.mem_stride[: len(shape)] = case["in_strides"]
        if case.get("null") == "in.data":
            source.data.mem.address = None
        if case.get("null") == "in":
            source = None
        status = checked.permute(kind, source, perm, target)
        if wanted["status"] == "error":
            self.assertEqual(status, wanted["status_code"])
            return
        self.assertEqual(status, OK)
        self.assertEqual(np.frombuffer(memory, number).tolist(), wanted["data"])
        if "el_params" in wanted:
            self.assertEqual(target.el_params.sa.dim, wanted["el_params"]["dim"])
        del kept

    def set_quantisation(self, quant, source, target):
        if not quant:
            return []
        sa, out = source.el_params.sa, target.el_params.sa
        sa.dim = quant["in_dim"]
        if sa.dim < 0:
            return []
        n, kept = source.shape[sa.dim], []
        kinds = {"zero_point": ctypes.c_int16, "scale": ctypes.c_int16}
        kinds["scale_frac_bits"] = ctypes.c_int8
        start = quant.get("init", "")
        for name, kind in kinds.items():
            array, made = container(quant.get(name, [1] * n), kind)
            setattr(sa, name, made)
            own, room = container([0] * n, kind)
            kept += [array, own]
            if start.startswith("pre-allocated"):
                setattr(out, name, room)
        if "scale_frac_bits capacity 3" in start:
            out.scale_frac_bits.capacity = 3
        if "scale = in" in start:
            out.scale = sa.scale
        return kept


if __name__ == "__main__":
    permc, compiler, include, folder, *rest = sys.argv[1:]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    manifest = Path(__file__).parent / "Inputs" / "mli.yaml"
    subprocess.run(
        [permc, "compile", "--manifest", manifest, "--mli"]
        + ["-o", folder / "permute_mli.c"],
        check=True,
    )
    checked = Library(folder, compiler, include)
    unchecked = Library(folder, compiler, include, ["-DPERMC_MLI_CHECKS=0"])
    lenient = Library(folder, compiler, include, ["-DPERMC_MLI_ZERO_STRIDES=1"])
    CASES = rest[0] if rest else None
    unittest.main(argv=sys.argv[:1])
