"""Kernels in other people's builds.

    builds_test.py BUILD SOURCES WORK CASE

installs BUILD into a prefix below WORK, moves that, and builds and runs the
projects of one CASE there, as a user would: with nothing of the sources or the
build in reach. Inputs are then touched, and what is made again is looked at.
"""

import os
import platform
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path

build, sources, work = (Path(word).resolve() for word in sys.argv[1:4])
prefix = work / "a moved prefix"
inputs = sources / "test/Builds/Inputs"
# Debian's own, where others are installed as well.
environment = {**os.environ, "PATH": "/usr/bin:/bin:" + os.environ["PATH"]}
for name in ("DESTDIR", "CFLAGS", "LDFLAGS", "MAKEFLAGS", "CMAKE_PREFIX_PATH"):
    environment.pop(name, None)


def run(*command, cwd=None, env=None, fails=False):
    """What a command prints; it must succeed, or fail."""
    command = [str(word) for word in command]
    done = subprocess.run(command, cwd=cwd, env={**environment, **(env or {})}, capture_output=True, text=True)
    printed = done.stdout + done.stderr
    if (done.returncode != 0) != fails:
        raise AssertionError(f"{' '.join(command)}\nexit code {done.returncode}\n{printed}")
    return printed


def need(case, *tools):
    for tool in tools:
        if not shutil.which(tool, path=environment["PATH"]):
            case.skipTest(f"{tool} is not on PATH")


def touch(path):
    """Makes a file newer than all that was made from it."""
    later = time.time() + 2
    os.utime(path, (later, later))
    time.sleep(2.1)


def times(folder, *names):
    """When each file was last written, by its name."""
    return {name: max(path.stat().st_mtime_ns for path in Path(folder).rglob(name)) for name in names}


def copy(example, name):
    """A clean copy of a project below WORK, at a path with a blank."""
    folder = work / f"{name} project"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(example, folder)
    return folder


def install():
    shutil.rmtree(work, ignore_errors=True)
    first = work / "prefix"
    for component in ("tools", "library", "runtime"):
        run("cmake", "--install", build, "--prefix", first, "--component", component)
    first.rename(prefix)


class CMake(unittest.TestCase):
    generators = ["Ninja", "Unix Makefiles", "Ninja Multi-Config"]

    def configure(self, source, folder, *options, fails=False):
        return run("cmake", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", *options, fails=fails)

    def build(self, folder, *options):
        return run("cmake", "--build", folder, "--parallel", "2", *options)

    def find(self, folder, name):
        found = [path for path in Path(folder).rglob(name) if path.is_file() and os.access(path, os.X_OK)]
        self.assertTrue(found, f"no {name} in {folder}")
        return found[0]

    def test_libraries(self):
        for generator in self.generators:
            with self.subTest(generator):
                self.check_libraries(generator)

    def check_libraries(self, generator):
        source = copy(inputs / "project", generator)
        schedule = source / "kernels/mine.schedule"
        schedule.write_text(run(prefix / "bin/permc", "explain", "33x17xf32", "--perm", "1,0"))
        folder = source / "build"
        self.configure(source, folder, "-G", generator)
        self.build(folder)
        program = self.find(folder, "program")
        self.assertIn("right for", run(program))

        watched = ("fromManifest.o", "listed.o", "objects.o", "portable.c", "main.c.o")
        before = times(folder, *watched)
        self.build(folder)
        self.assertEqual(before, times(folder, *watched), "nothing changed")
        # Only what was made from it is made again, also of what a manifest names.
        for changed in ("kernels/net.yaml", "kernels/mine.schedule"):
            touch(source / changed)
            self.build(folder)
            after = times(folder, *watched)
            self.assertGreater(after["fromManifest.o"], before["fromManifest.o"], changed)
            for name in ("listed.o", "objects.o", "portable.c"):
                self.assertEqual(after[name], before[name], changed)
            before = after
        touch(prefix / "bin/permc")
        self.build(folder)
        after = times(folder, *watched)
        for name in watched[:4]:
            self.assertGreater(after[name], before[name], name)

        installed = source / "installed"
        run("cmake", "--install", folder, "--prefix", installed, *(["--config", "Debug"] if "Multi" in generator else []))
        consumer = copy(inputs / "consumer", f"{generator} consumer")
        run("cmake", "-S", consumer, "-B", consumer / "build", f"-DCMAKE_PREFIX_PATH={installed}")
        self.build(consumer / "build")
        run(self.find(consumer / "build", "consumer"))

    def test_example(self):
        source = copy(sources / "examples/aot", "aot")
        levels = {"x86_64": "x86-64;x86-64-v3", "aarch64": "aarch64;aarch64-sve"}.get(platform.machine(), "")
        self.configure(source, source / "build", f"-DKERNELS_FOR={levels}")
        self.build(source / "build")
        printed = run(source / "build/aot")
        self.assertIn("right", printed)
        self.assertNotIn("wrong", printed)

    def toolchain(self, source, **variables):
        """A toolchain file; all is looked for on the other machine only."""
        path = source / "toolchain.cmake"
        triple = variables["CMAKE_C_COMPILER"].removesuffix("-gcc")
        variables["CMAKE_C_COMPILER"] = shutil.which(variables["CMAKE_C_COMPILER"], path=environment["PATH"])
        lines = [f'set({name} "{value}")' for name, value in variables.items()]
        lines += [f"set(CMAKE_FIND_ROOT_PATH /usr/{triple})"]
        lines += [f"set(CMAKE_FIND_ROOT_PATH_MODE_{what} ONLY)" for what in ("PROGRAM", "PACKAGE", "LIBRARY", "INCLUDE")]
        path.write_text("\n".join(lines) + "\n")
        make = shutil.which("make", path=environment["PATH"])
        return [f"-DCMAKE_TOOLCHAIN_FILE={path}", f"-DCMAKE_MAKE_PROGRAM={make}", f"-Dpermc_DIR={prefix}/lib/cmake/permc"]

    def test_cross_aarch64(self):
        need(self, "aarch64-linux-gnu-gcc", "qemu-aarch64")
        source = copy(sources / "examples/aot", "aarch64")
        toolchain = self.toolchain(
            source, CMAKE_SYSTEM_NAME="Linux", CMAKE_SYSTEM_PROCESSOR="aarch64",
            CMAKE_C_COMPILER="aarch64-linux-gnu-gcc", CMAKE_C_FLAGS_INIT="-march=armv8-a+sve", CMAKE_EXE_LINKER_FLAGS_INIT="-static",
        )
        self.configure(source, source / "build", *toolchain)
        self.build(source / "build")
        self.assertIn("right", run("qemu-aarch64", source / "build/aot"))
        made = next((source / "build").rglob("layouts.o"))
        self.assertIn("aarch64-sve", made.read_bytes().decode("latin-1"))
        printed = self.configure(source, source / "wrong", "-DKERNELS_FOR=x86-64", *toolchain, fails=True)
        self.assertIn("what is built is for", " ".join(printed.split()))

    def test_cross_arc(self):
        need(self, "arc-linux-gnu-gcc")
        source = copy(sources / "examples/aot", "arc")
        options = dict(CMAKE_SYSTEM_NAME="Generic", CMAKE_SYSTEM_PROCESSOR="arc", CMAKE_C_COMPILER="arc-linux-gnu-gcc",
                       CMAKE_TRY_COMPILE_TARGET_TYPE="STATIC_LIBRARY")
        # C takes static shapes only.
        (source / "layouts.yaml").write_text("kernels: [{name: a, tensor: 8x8x16xi8, perm: '2,0,1'}]\n")
        self.configure(source, source / "build", *self.toolchain(source, CMAKE_C_FLAGS_INIT="-mcpu=hs38", **options))
        self.build(source / "build", "--target", "layouts")
        self.assertIn("arc-hs", next((source / "build").rglob("layouts.c")).read_text())
        # Without -mcpu nothing tells which ARC it is.
        printed = " ".join(self.configure(source, source / "unknown", *self.toolchain(source, **options), fails=True).split())
        self.assertIn("which machine is this for?", printed)
        for target in ("arc-em", "arc-hs", "c99"):
            self.assertIn(target, printed)

    def test_targets(self):
        source = copy(inputs / "project", "targets")
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(t LANGUAGES CXX)\nfind_package(permc REQUIRED COMPONENTS tool library rt)\n"
            "foreach(target permc::tool permc::permc permc::rt)\n  if(NOT TARGET ${target})\n    message(FATAL_ERROR no ${target})\n  endif()\nendforeach()\n"
            "add_executable(t t.cpp)\ntarget_link_libraries(t permc::permc permc::rt)\n"
        )
        (source / "t.cpp").write_text("#include <permc-c/permc.h>\n#include <permc-rt/permc_rt.h>\nint main() { return permc_version() != permc_rt_version(); }\n")
        self.configure(source, source / "build")
        self.build(source / "build")
        run(source / "build/t")


class Make(unittest.TestCase):
    def test_example(self):
        source = copy(sources / "examples/make", "make")
        path = {"PATH": f"{prefix / 'bin'}:{environment['PATH']}"}
        run("make", "-j2", cwd=source, env=path)
        self.assertIn("right", run(source / "program"))
        self.assertIn("is up to date", run("make", cwd=source, env=path))
        touch(source / "layouts.yaml")
        printed = run("make", "-j2", cwd=source, env=path)
        self.assertIn("--manifest layouts.yaml", printed)
        self.assertIn("-o program", printed)
        before = times(source, "layouts.o")
        touch(source / "main.c")
        run("make", cwd=source, env=path)
        self.assertEqual(before, times(source, "layouts.o"))
        self.assertIn("right", run(source / "program"))

    def test_cross(self):
        need(self, "aarch64-linux-gnu-gcc", "qemu-aarch64")
        source = copy(sources / "examples/make", "make aarch64")
        run("make", "CC=aarch64-linux-gnu-gcc", "TARGET=aarch64,aarch64-sve", "LDFLAGS=-static", f"PERMC='{prefix}/bin/permc'", cwd=source)
        self.assertIn("right, for aarch64,aarch64-sve", run("qemu-aarch64", source / "program"))


class Meson(unittest.TestCase):
    def setUp(self):
        need(self, "meson", "ninja")

    def test_example(self):
        source = copy(sources / "examples/meson", "meson")
        native = source / "native.ini"
        native.write_text(f"[binaries]\npermc = '{prefix}/bin/permc'\n")
        folder = source / "build"
        run("meson", "setup", folder, source, "--native-file", native)
        run("meson", "compile", "-C", folder)
        self.assertIn("right", run(folder / "program"))
        before = times(folder, "layouts.o", "layouts.h", "main.c.o")
        run("meson", "compile", "-C", folder)
        self.assertEqual(before, times(folder, *before), "nothing changed")
        touch(source / "layouts.yaml")
        run("meson", "compile", "-C", folder)
        after = times(folder, *before)
        self.assertGreater(after["layouts.o"], before["layouts.o"])
        self.assertIn("right", run(folder / "program"))

    def test_cross(self):
        need(self, "aarch64-linux-gnu-gcc", "qemu-aarch64")
        source = copy(sources / "examples/meson", "meson aarch64")
        (source / "native.ini").write_text(f"[binaries]\npermc = '{prefix}/bin/permc'\n")
        (source / "cross.ini").write_text(
            "[binaries]\nc = 'aarch64-linux-gnu-gcc'\nstrip = 'aarch64-linux-gnu-strip'\n[built-in options]\nc_link_args = ['-static']\n"
            "[host_machine]\nsystem = 'linux'\ncpu_family = 'aarch64'\ncpu = 'cortex-a57'\nendian = 'little'\n"
        )
        folder = source / "build"
        run("meson", "setup", folder, source, "--native-file", source / "native.ini", "--cross-file", source / "cross.ini")
        run("meson", "compile", "-C", folder)
        self.assertIn("right, for aarch64", run("qemu-aarch64", folder / "program"))


class Cargo(unittest.TestCase):
    def setUp(self):
        need(self, "cargo", "rustc")

    def cargo(self, folder, *words, **more):
        env = {"PERMC": str(prefix / "bin/permc"), "CARGO_NET_OFFLINE": "true", "CARGO_HOME": str(work / "cargo-home")}
        return run("cargo", *words, cwd=folder, env=env, **more)

    def test_crate(self):
        copied = copy(sources / "bindings/rust/permc-build", "permc-build")
        self.assertIn("2 passed", self.cargo(copied, "test", "--lib"))

    def test_example(self):
        root = work / "rust"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(sources / "bindings/rust/permc-build", root / "bindings/rust/permc-build")
        source = root / "examples/cargo"
        shutil.copytree(sources / "examples/cargo", source)
        self.assertIn("right", self.cargo(source, "run"))
        before = times(source / "target", "liblayouts.a")
        self.cargo(source, "build")
        self.assertEqual(before, times(source / "target", "liblayouts.a"), "nothing changed")
        touch(source / "layouts.yaml")
        self.assertIn("right", self.cargo(source, "run"))
        self.assertGreater(times(source / "target", "liblayouts.a")["liblayouts.a"], before["liblayouts.a"])
        (source / "layouts.yaml").write_text("kernels:\n  - {name: a, tensor: 2x3xu8, perm: '0,0'}\n")
        self.assertIn("layouts.yaml:2:", self.cargo(source, "build", fails=True))


if __name__ == "__main__":
    install()
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]])
