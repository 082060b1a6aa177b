# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_install.py BUILD FOLDER: installs the module, into FOLDER below a prefix
that is moved then, and uses it there: alone, and beside libpermc, which it finds
by itself."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

USE = """
import sys
import permc
view = memoryview(bytes(range(6))).cast("B", (2, 3))
assert bytes(permc.transpose(view)) == bytes([0, 3, 1, 4, 2, 5])
assert permc.__file__.startswith(sys.argv[1]), permc.__file__
kernel = permc.compile((2, 3), "B")
assert bytes(kernel(view)) == bytes([0, 3, 1, 4, 2, 5])
assert kernel.is_compiled == (sys.argv[2] == "True"), kernel.is_compiled
"""


def main():
    build, folder = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        prefix = Path(name, "first")
        for component, has_jit in [("python", False), ("library", True)]:
            subprocess.run(
                ["cmake", "--install", build, "--prefix", prefix]
                + ["--component", component],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            moved = Path(name, component)
            prefix.rename(moved)
            environment = dict(os.environ, PYTHONPATH=str(moved / folder))
            for variable in ("LD_LIBRARY_PATH", "PERMC_LIBRARY"):
                environment.pop(variable, None)
            command = [sys.executable, "-B", "-c", USE, str(moved), str(has_jit)]
            subprocess.run(command, check=True, env=environment)
            prefix = moved


main()
