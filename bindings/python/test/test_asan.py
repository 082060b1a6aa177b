# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_asan.py SOURCES ARCHIVE INCLUDE: the tests again, with the module's own
code and the run-time library, from its stand-alone archive, compiled with
AddressSanitizer and UndefinedBehaviorSanitizer. The library's kernels are
assembly, which no sanitizer sees: what they touch is between guard pages in the
library's own tests."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SANITIZERS = ("libasan.so", "libubsan.so")
FLAGS = ["-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]


def build_library(archive, folder):
    shutil.unpack_archive(archive, folder)
    (sources,) = folder.glob("permc-rt-*")
    build = folder / "build"
    flags = " ".join(FLAGS)
    subprocess.run(
        ["cmake", "-S", sources, "-B", build, "-DCMAKE_BUILD_TYPE=None"]
        + ["-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++"]
        + [f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    subprocess.run(
        ["cmake", "--build", build, "--parallel", "2", "--target", "permcRTStatic"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (library,) = build.rglob("libpermc_rt.a")
    symbols = subprocess.run(["nm", library], capture_output=True, text=True).stdout
    assert "__asan_report_load" in symbols, "the library is not instrumented"
    return library


def main():
    sources, archive, include = map(Path, sys.argv[1:])
    module = sources / "bindings/python"
    paths = [
        subprocess.run(
            ["gcc", f"-print-file-name={name}"], capture_output=True, text=True
        ).stdout.strip()
        for name in SANITIZERS
        if shutil.which("gcc")
    ]
    if not paths or not all(os.path.isabs(path) for path in paths):
        print("skipped: no gcc with libasan and libubsan (g++)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(module / "permc", Path(folder, "permc"))
        library = build_library(archive, Path(folder))
        command = ["gcc", *FLAGS, "-shared", "-fPIC", "-std=gnu11"]
        command += ["-fvisibility=hidden", '-DPERMC_JIT_LIBRARY="none"']
        command += [f"-I{sources / 'include'}", f"-I{include}"]
        command += [*sorted((module / "src").glob("*.c")), library, "-lstdc++"]
        command += ["-Wl,--exclude-libs,ALL", "-Wl,-z,nodelete"]
        command += ["-o", Path(folder, "permc/_permc.abi3.so")]
        subprocess.run(command, check=True)
        environment = dict(
            os.environ,
            LD_PRELOAD=" ".join(paths),
            ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1",
            PYTHONMALLOC="malloc",  # each object by itself, between red zones
            PYTHONPATH=folder,
            PERMC_PYTHON_EXAMPLES="60",
        )
        tests = [sys.executable, "-B", module / "test/test_permc.py"]
        sys.exit(subprocess.run(tests, env=environment).returncode)


main()
