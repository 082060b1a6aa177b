# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of MATLAB's permute and ipermute with what must come of them: some of
our own, and those of the shared conformance cases where these are there."""

import hashlib
import json
import struct
from dataclasses import dataclass
from pathlib import Path

SHARED = Path(__file__).resolve().parents[3] / "shared/conformance/cases.json"
LETTERS = {
    "f64": "d", "f32": "f", "i8": "b", "u8": "B", "i16": "h", "u16": "H",
    "i32": "i", "u32": "I", "i64": "q", "u64": "Q", "logical": "B", "char32": "I",
}  # fmt: skip


@dataclass
class Case:
    name: str
    op: str
    dtype: str
    shape: list
    order: list
    data: bytes
    order_shape: list = None
    order_dtype: str = "f64"
    # What comes of it: a shape and bytes, or a hash of them, or a message.
    out_shape: list = None
    out: bytes = None
    sha256: str = None
    message: str = None

    def line(self):
        """The call as one line of text (permc/examples/runmat.rs)."""
        numbers = [n[0] if isinstance(n, list) else n for n in self.order]
        shape = self.order_shape or [1, len(self.order)]
        fields = [self.op, self.dtype, "x".join(map(str, self.shape))]
        fields += [",".join(str(n).lower() for n in numbers)]
        fields += ["x".join(map(str, shape)), self.order_dtype, self.data.hex()]
        return " ".join(fields)

    def check(self, answer):
        """Nothing if the answer is right, else what is wrong with it."""
        if self.message is not None:
            wanted = f"error {self.message}"
            return None if answer == wanted else f"{answer!r}; expected {wanted!r}"
        verdict, _, rest = answer.partition(" ")
        shape, _, data = rest.partition(" ")
        if verdict != "ok" or shape != "x".join(map(str, self.out_shape)):
            return f"{answer!r}; expected the shape {self.out_shape}"
        if self.out is not None:
            wanted = self.out.hex()
            return None if data == wanted else f"{data}; expected {wanted}"
        found = hashlib.sha256(bytes.fromhex(data)).hexdigest()
        return None if found == self.sha256 else f"{data} has another hash"


def pack(dtype, numbers):
    return struct.pack(f"<{len(numbers)}{LETTERS[dtype]}", *numbers)


def filled(size, count):
    """The bytes that the shared cases call f1."""
    limit = {1: 251, 2: 65521, 3: 16777213}.get(size, 1 << 32)
    return bytes(
        (((k % limit >> 8 * (b % 4)) & 255) + 31 * b) & 255
        for k in range(count)
        for b in range(size)
    )


def shared_cases():
    if not SHARED.exists():
        print("skipped: the shared conformance cases, which are not there")
        return []
    cases = []
    for given in json.loads(SHARED.read_text())["cases"]:
        if given["system"] != "matlab":
            continue
        dtype, expected = given["dtype"], given["expected"]
        count = 1
        for size in given["shape"]:
            count *= size
        numbers = given.get("input", [0] * count)
        data = (
            filled(given["elem_size"], count)
            if isinstance(numbers, dict)
            else pack(dtype, numbers)
        )
        case = Case(given["id"], given["op"], dtype, given["shape"], given["order"], data)
        case.order_shape = given.get("order_shape")
        case.order_dtype = given.get("order_dtype", "f64")
        case.message = expected.get("message")
        case.out_shape = expected.get("shape")
        case.sha256 = expected.get("sha256")
        if "data" in expected:
            case.out = pack(dtype, expected["data"])
        cases.append(case)
    return cases


def own_cases():
    def case(name, op, dtype, shape, order, data, **expected):
        return Case(name, op, dtype, shape, order, data, **expected)

    six = [1, 2, 3, 4, 5, 6]
    turned = [1, 3, 5, 2, 4, 6]
    cases = [
        case(f"transpose-{dtype}", "permute", dtype, [2, 3], [2, 1], pack(dtype, six),
             out_shape=[3, 2], out=pack(dtype, turned))
        for dtype in LETTERS if dtype != "logical"
    ]  # fmt: skip
    complex_in = struct.pack("<12d", *range(12))
    complex_out = struct.pack("<12d", 0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11)
    cases += [
        case("complex", "permute", "c128", [2, 3], [2, 1], complex_in,
             out_shape=[3, 2], out=complex_out),
        case("padded", "permute", "f64", [1, 5], [2, 1, 3], pack("f64", six[:5]),
             out_shape=[5, 1, 1], out=pack("f64", six[:5])),
        case("empty", "permute", "f64", [0, 3, 2], [3, 1, 2], b"",
             out_shape=[2, 0, 3], out=b""),
        case("inverse", "ipermute", "u8", [3, 1, 2], [3, 1, 2], bytes(six),
             out_shape=[1, 2, 3], out=bytes([1, 4, 2, 5, 3, 6])),
        case("duplicate", "permute", "u8", [2, 3], [1, 1], bytes(six),
             message="permute: duplicate dimension index 1"),
        case("zero", "ipermute", "u8", [2, 3], [0, 1], bytes(six),
             message="ipermute: order indices must be >= 1"),
        case("fraction", "permute", "u8", [2, 3], [1.5, 1], bytes(six),
             message="permute: order indices must be integers"),
        case("past", "permute", "u8", [2, 3], [1, 3], bytes(six),
             message="permute: order indices must lie between 1 and 2, got 3"),
        case("short", "permute", "u8", [1, 2, 3], [2, 1], bytes(six),
             message="permute: order length (2) must be at least ndims(A) (3)"),
    ]  # fmt: skip
    return cases


def string_cases():
    """Strings, which Octave has not."""
    words = "\0".join(["a", "", "ccc", "dd", "e", "f"]).encode()
    turned = "\0".join(["a", "ccc", "e", "", "dd", "f"]).encode()
    return [
        Case("strings", "permute", "string", [2, 3], [2, 1], words,
             out_shape=[3, 2], out=turned)
    ]  # fmt: skip
