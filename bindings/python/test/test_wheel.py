# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_wheel.py SOURCES LIBRARY: builds the wheel from a copy of the sources,
installs it in a fresh virtual environment and uses it there, without a network
and without LLVM."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_BYTES = 2_000_000
USE = """
import permc
view = memoryview(bytes(range(24))).cast("B", (2, 3, 4))
result = permc.transpose(view, (2, 0, 1))
assert result.shape == (4, 2, 3), result.shape
assert bytes(result)[:6] == bytes([0, 4, 8, 12, 16, 20]), bytes(result)
large = permc.transpose(memoryview(bytes(1 << 22)).cast("B", (2048, 2048)))
assert large.nbytes == 1 << 22
assert not permc.compile((4, 4), "f").is_compiled
loaded = open("/proc/self/maps").read()
assert "libLLVM" not in loaded and "libMLIR" not in loaded
assert permc.__file__.startswith({home!r}), permc.__file__
print("used:", permc.__version__, permc.target())
"""


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def main():
    sources, library = map(Path, sys.argv[1:])
    for module, package in [
        ("pip", "python3-pip"),
        ("setuptools", "python3-setuptools"),
        ("wheel", "python3-wheel"),
        ("ensurepip", "python3-venv"),
    ]:
        if not importlib.util.find_spec(module):
            skip(f"Python has no {module} ({package})")
    environment = dict(os.environ, PERMC_RT_LIBRARY=str(library), PIP_NO_INDEX="1")
    environment.pop("PYTHONPATH", None)

    def run(*command):
        subprocess.run(command, check=True, env=environment, cwd=folder)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = folder / "sources"
        copy.mkdir()
        for file in ("setup.py", "VERSION"):
            shutil.copy(sources / file, copy)
        for tree in ("bindings", "include"):
            shutil.copytree(
                sources / tree, copy / tree, ignore=shutil.ignore_patterns("target")
            )
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")
        run(*pip, "wheel", "--no-deps", "-w", folder, copy)
        (wheel,) = folder.glob("*.whl")
        assert "-cp39-abi3-" in wheel.name, wheel.name
        size = wheel.stat().st_size
        assert size < MOST_BYTES, f"{wheel.name} has {size} bytes"
        run(sys.executable, "-m", "venv", folder / "fresh")
        python = folder / "fresh/bin/python"
        run(python, "-m", "pip", "--disable-pip-version-check", "-q", "install", wheel)
        run(python, "-c", USE.format(home=str(folder / "fresh")))
        print(f"{wheel.name}: {size} bytes")


main()
