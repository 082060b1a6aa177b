"""The drop-in for Tensor Permute, called by its mangled name.

    tensor_permute_test.py LIBRARY [CASES_FILE]

Its own tests come first; then all cases of the system "hptp" in a conformance
file, if there is one: the file is not part of the project.
"""

import ctypes
import hashlib
import json
import os
import sys

import numpy

MANGLED_NAME = "_Z7permutePKvPvmPmmS2_S2_i"
MAX_BYTES = 64 << 20
OK, BAD_RANK, DUPLICATE_AXIS, AXIS_OUT_OF_RANGE, BAD_SIZE = 0, 1, 2, 3, 4
SIZE_OVERFLOW, BAD_ELEMENT, OVERLAPPING_BUFFERS, NULL_POINTER = 5, 6, 9, 10
GUARD = 64

checks = 0


def check(what, got, expected):
    global checks
    checks += 1
    if got != expected:
        sys.exit(f"{what}: got {got}; expected {expected}")


def u64(values):
    return (ctypes.c_uint64 * max(len(values), 1))(*values)


def call(permute, src, element, shape, order, threads=1):
    """Status, the bytes of dst and dst_dims. dst has guards on both sides."""
    bytes_ = int(numpy.prod(shape, dtype=numpy.uint64)) * element if shape else element
    guarded = numpy.full(bytes_ + 2 * GUARD, 0xEE, numpy.uint8)
    dims = u64([77] * len(shape))
    status = permute(
        src.ctypes.data, guarded.ctypes.data + GUARD, element,
        u64(shape), len(shape), u64(order), dims, threads)
    for side in (guarded[:GUARD], guarded[GUARD + bytes_:]):
        check("guard bytes", bool((side == 0xEE).all()), True)
    return status, guarded[GUARD : GUARD + bytes_], list(dims)[: len(shape)]


def transposed(src, element, shape, order):
    elements = src[: int(numpy.prod(shape)) * element].reshape(*shape, element)
    return numpy.ascontiguousarray(
        elements.transpose(*order, len(shape))).reshape(-1)


def pattern(element, count):
    """The conformance file's "fill_f1"."""
    modulus = {1: 251, 2: 65521, 3: 16777213}.get(element, 1 << 32)
    value = (numpy.arange(count, dtype=numpy.uint64) % modulus)[:, None]
    byte = numpy.arange(element, dtype=numpy.uint64)[None, :]
    return (((value >> (8 * (byte % 4))) + 31 * byte) & 255).astype(
        numpy.uint8).reshape(-1)


def test_semantics(permute):
    src = pattern(4, 60)
    status, dst, dims = call(permute, src, 4, [3, 4, 5], [2, 0, 1])
    check("status", status, OK)
    check("dst_dims", dims, [5, 3, 4])
    check("bytes", dst.tobytes(),
          transposed(src, 4, [3, 4, 5], [2, 0, 1]).tobytes())
    # What the original leaves out: the identity, no dims, empty tensors.
    check("identity", call(permute, src, 4, [60], [0])[1].tobytes(),
          src.tobytes())
    check("one element", call(permute, src, 4, [], [])[1].tobytes(),
          src[:4].tobytes())
    status, _, dims = call(permute, src, 4, [3, 0, 5], [2, 0, 1])
    check("empty", (status, dims), (OK, [5, 3, 0]))
    # dst_dims is optional.
    dst = numpy.zeros(240, numpy.uint8)
    check("no dst_dims",
          permute(src.ctypes.data, dst.ctypes.data, 4, u64([60]), 1, u64([0]),
                  None, 2), OK)
    # It may be src_dims itself.
    dims = u64([3, 4, 5])
    permute(src.ctypes.data, dst.ctypes.data, 4, dims, 3, u64([2, 0, 1]), dims, 1)
    check("dst_dims is src_dims", list(dims), [5, 3, 4])


def test_errors(permute):
    src = pattern(4, 60)
    dst = numpy.full(240, 0xEE, numpy.uint8)
    dims = u64([77, 77])

    def status(src=src.ctypes.data, dst=dst.ctypes.data, element=4,
               shape=(6, 10), rank=2, order=(1, 0), threads=1):
        return permute(src, dst, element, shape and u64(shape), rank,
                       order and u64(order), dims, threads)

    check("axis twice", status(order=(1, 1)), DUPLICATE_AXIS)
    check("axis too large", status(order=(1, 2)), AXIS_OUT_OF_RANGE)
    check("negative axis", status(order=(2**64 - 1, 0)), AXIS_OUT_OF_RANGE)
    check("no threads", status(threads=0), BAD_SIZE)
    check("negative threads", status(threads=-1), BAD_SIZE)
    check("no src", status(src=None), NULL_POINTER)
    check("no dst", status(dst=None), NULL_POINTER)
    check("no shape", status(shape=None), NULL_POINTER)
    check("no order", status(order=None), NULL_POINTER)
    for _ in range(2):
        check("no element", status(element=0), BAD_ELEMENT)
    check("size overflows", status(shape=(2**62, 2**62)), SIZE_OVERFLOW)
    check("size is negative", status(shape=(2**63, 1)), SIZE_OVERFLOW)
    check("too many dims", status(rank=65, shape=(1,) * 65, order=(0,) * 65),
          BAD_RANK)
    check("overlap", status(dst=src.ctypes.data + 4), OVERLAPPING_BUFFERS)
    check("dst untouched", bool((dst == 0xEE).all()), True)
    check("dst_dims untouched", list(dims), [77, 77])


def test_case(permute, case):
    element, shape = case["elem_size"], case["shape"]
    order = case["order"]
    if case["kind"] == "data":
        src = pattern(element, int(numpy.prod(shape)))
        for threads in case.get("nthreads", [1]):
            status, dst, dims = call(permute, src, element, shape, order, threads)
            check("status", status, OK)
            check("shape", dims, case["expected"]["shape"])
            check("sha256", hashlib.sha256(dst.tobytes()).hexdigest(),
                  case["expected"]["sha256"])
        return
    if case["kind"] != "canonicalize":
        sys.exit(f"{case['id']}: a case of the kind {case['kind']}, which this "
                 "test does not know")
    # The canonical problem of the case must move the same bytes. Those of the
    # original's own table are gigabytes: fewer of each dim then.
    simple = case["expected"]["fold8"]["canonical"]
    if int(numpy.prod(shape)) * element <= MAX_BYTES:
        src = pattern(element, int(numpy.prod(shape)))
        whole = call(permute, src, element, shape, order)
        same = call(permute, src, simple["elem_size"], simple["shape"],
                    simple["order"])
        check("status", (whole[0], same[0]), (OK, OK))
        check("canonical", whole[1].tobytes(), same[1].tobytes())
    else:
        shape = [min(size, 5) for size in shape]
        src = pattern(element, int(numpy.prod(shape)))
        status, dst, _ = call(permute, src, element, shape, order)
        check("status", status, OK)
        check("bytes", dst.tobytes(),
              transposed(src, element, shape, order).tobytes())


def main():
    library = ctypes.CDLL(sys.argv[1])
    permute = getattr(library, MANGLED_NAME)
    permute.restype = ctypes.c_int
    pointer = ctypes.c_void_p
    permute.argtypes = [pointer, pointer, ctypes.c_uint64, pointer,
                        ctypes.c_uint64, pointer, pointer, ctypes.c_int]
    test_semantics(permute)
    test_errors(permute)
    path = os.environ.get("PERMC_CONFORMANCE") or sys.argv[2]
    cases = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            cases = [c for c in json.load(file)["cases"] if c["system"] == "hptp"]
        if not cases:
            sys.exit(f"{path} has no cases of hptp")
        for case in cases:
            try:
                test_case(permute, case)
            except SystemExit as error:
                sys.exit(f"{case['id']}: {error}")
    else:
        print(f"No conformance cases: {path} does not exist")
    print(f"{checks} checks, {len(cases)} conformance cases")


main()
