# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python module of permc: `pip install .` in a checkout.

The run-time library goes into the module. It is taken from PERMC_RT_LIBRARY
(libpermc_rt.a) if that is set, from build/release if it is there, and built
with CMake otherwise, which takes what docs/building.md lists. There is no
pyproject.toml on purpose: pip then takes the setuptools that are installed and
needs no network.
"""

import os
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
SOURCES = "bindings/python/src"
VERSION = (ROOT / "VERSION").read_text().strip()


def run_time_library():
    given = os.environ.get("PERMC_RT_LIBRARY")
    if given:
        return Path(given)
    built = ROOT / "build/release/lib/libpermc_rt.a"
    if built.exists():
        return built
    folder = ROOT / "build/python"
    configure = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja"]
    configure += ["-C", ROOT / "cmake/PreferClang.cmake", "-DPERMC_BUILD_TESTS=OFF"]
    subprocess.run(configure, check=True)
    subprocess.run(
        ["cmake", "--build", folder, "--target", "permcRTStatic"], check=True
    )
    return folder / "lib/libpermc_rt.a"


class BuildWithLibrary(build_ext):
    def build_extension(self, extension):
        extension.extra_objects = [str(run_time_library())]
        super().build_extension(extension)


setup(
    name="permc",
    version=VERSION,
    description="Transposes and layout changes of arrays at the speed of memory",
    license="Apache-2.0 WITH LLVM-exception",
    python_requires=">=3.9",
    package_dir={"": "bindings/python"},
    packages=["permc"],
    package_data={"permc": ["*.pyi", "py.typed"]},
    ext_modules=[
        Extension(
            "permc._permc",
            sorted(
                str(path.relative_to(ROOT)) for path in (ROOT / SOURCES).glob("*.c")
            ),
            include_dirs=["include", SOURCES],
            define_macros=[
                ("Py_LIMITED_API", "0x03090000"),
                ("PERMC_JIT_LIBRARY", f'"libpermc.so.{VERSION.split(".")[0]}"'),
            ],
            extra_compile_args=["-std=gnu11", "-fvisibility=hidden"],
            extra_link_args=["-Wl,--exclude-libs,ALL", "-Wl,-z,nodelete", "-s"],
            libraries=["stdc++", "dl", "pthread"],
            py_limited_api=True,
        )
    ],
    cmdclass={"build_ext": BuildWithLibrary},
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
    zip_safe=False,
)
