# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_octave.py PACKAGE SOURCES LIBRARY: installs the package with Octave's pkg
into a folder of its own, and runs test_permc.m there."""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER.parent / "test"))
from matlab_cases import LETTERS, shared_cases  # noqa: E402

CLASSES = {
    "f64": "double", "f32": "single", "logical": "logical", "char32": "char",
    "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16",
    "i32": "int32", "u32": "uint32",
}  # fmt: skip


def numbers_of(dtype, data):
    size = struct.calcsize(LETTERS[dtype])
    return struct.unpack(f"<{len(data) // size}{LETTERS[dtype]}", data)


def spell(numbers):
    return "[" + " ".join(map(repr, numbers)) + "]"


def script(cases):
    """The cases as Octave reads them."""
    text = "cases = {};\n"
    for case in cases:
        order = " ".join(
            f"complex({n[0]}, {n[1]})" if isinstance(n, list) else str(n)
            for n in case.order
        )
        if case.order_shape:
            order = f"reshape([{order}], {spell(case.order_shape)})"
        else:
            order = f"[{order}]"
        data = numbers_of(case.dtype, case.data)
        shape = case.out_shape or []
        while len(shape) > 2 and shape[-1] == 1:  # Octave drops them
            shape = shape[:-1]
        out = case.out
        if case.sha256:
            # Where each byte comes from is checked here: Octave compares numbers.
            out = permuted(case)
        text += (
            f"cases{{end+1}} = struct('name', '{case.name}', 'op', '{case.op}', "
            f"'class', '{CLASSES[case.dtype]}', 'shape', {spell(case.shape)}, "
            f"'order', {order}, 'data', {spell(data)}, "
            f"'is_error', {str(case.message is not None).lower()}, "
            f"'out_shape', {spell(shape)}, "
            f"'out', {spell(numbers_of(case.dtype, out or b''))});\n"
        )
    return text


def permuted(case):
    """What a case with a hash must give, by a loop; the hash says that it is."""
    order = [n - 1 for n in case.order]
    if case.op == "ipermute":
        order = [order.index(i) for i in range(len(order))]
    strides, step = [], struct.calcsize(LETTERS[case.dtype])
    size = step
    for each in case.shape:
        strides.append(step)
        step *= each
    places = [0]
    for axis in reversed(order):
        places = [
            place + i * strides[axis] for place in places for i in range(case.shape[axis])
        ]
    out = b"".join(case.data[place : place + size] for place in places)
    problem = case.check(f"ok {'x'.join(map(str, case.out_shape))} {out.hex()}")
    assert problem is None, (case.name, problem)
    return out


def expect_reason(environment, **changes):
    """Without the library `make`, which pkg runs, says what it is missing."""
    changed = dict(environment, PKG_CONFIG_PATH="", **changes)
    if not changed["PERMC_RT_LIBRARY"]:
        del changed["PERMC_RT_LIBRARY"]
    done = subprocess.run(
        ["make", "-n", "-C", FOLDER / "src"], env=changed, capture_output=True, text=True
    )
    assert done.returncode != 0 and "permc: no run-time library" in done.stderr, done
    assert "expected the file libpermc_rt.a in PERMC_RT_LIBRARY" in done.stderr, done


def main():
    package, sources, library = map(Path, sys.argv[1:])
    for tool, owner in [("octave-cli", "octave"), ("mkoctfile", "octave-dev")]:
        if not shutil.which(tool):
            print(f"skipped: no {tool} ({owner})")
            sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cases.m").write_text(script(shared_cases()))
        environment = dict(
            os.environ,
            HOME=name,
            PERMC_RT_LIBRARY=str(library),
            PERMC_RT_INCLUDE=str(sources / "include"),
        )
        environment.pop("DISPLAY", None)
        expect_reason(environment, PERMC_RT_LIBRARY="/nowhere/libpermc_rt.a")
        expect_reason(environment, PERMC_RT_LIBRARY="", PKG_CONFIG_LIBDIR=name)
        code = f"""
            pkg prefix {name}/packages {name}/arch
            pkg local_list {name}/list
            pkg global_list {name}/global_list
            pkg install -local {package}
            pkg load permc
            cases_file = '{folder / "cases.m"}';
            source ('{FOLDER / "test/test_permc.m"}');
            pkg unload permc
            pkg uninstall -local permc
        """
        done = subprocess.run(
            ["octave-cli", "--norc", "--quiet", "--eval", code],
            env=environment, cwd=name,
        )  # fmt: skip
        sys.exit(done.returncode)


main()
