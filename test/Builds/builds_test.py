"""Kernels in other people's builds.

    builds_test.py BUILD SOURCES WORK CASE

installs BUILD into a prefix below WORK, moves that, and builds and runs the
examples of that prefix, and the projects of the test, as a user would: with
nothing of the sources or the build in reach. Inputs are then touched, and what
is made again is looked at.
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
examples = prefix / "share/doc/permc/examples"
inputs = sources / "test/Builds/Inputs"
sys.path.insert(0, str(sources / "test/Models/Inputs"))
from ir_model import Ir  # noqa: E402: there are models only there

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


def write_model(path, rows, bias=b"", order=(1, 0)):
    """A network of one transpose, with other constants in its .bin file."""
    net = Ir()
    net.data += bias
    net.result(net.transpose(net.parameter([rows, 5]), list(order), name="turn"))
    net.write(path)


def install():
    shutil.rmtree(work, ignore_errors=True)
    first = work / "prefix"
    # By component: the list of files that an installation of all leaves in the
    # build folder is one that other tests write too.
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

    def test_models(self):
        """MODEL: the header has the layers, and all files of a model are watched."""
        for generator in self.generators:
            with self.subTest(generator):
                source = copy(inputs / "model", f"{generator} model")
                write_model(source / "net.xml", 3)
                folder = source / "build"
                self.configure(source, folder, "-G", generator)
                self.build(folder)
                self.assertEqual("turn: 3x5 right\n", run(self.find(folder, "program")))
                before = times(folder, "net.o", "program")
                self.build(folder)
                self.assertEqual(before, times(folder, *before), "nothing changed")
                touch(source / "net.bin")
                self.build(folder)
                after = times(folder, *before)
                self.assertGreater(after["net.o"], before["net.o"], "net.bin")
                write_model(source / "net.xml", 4)
                touch(source / "net.xml")
                self.build(folder)
                self.assertEqual("turn: 4x5 right\n", run(self.find(folder, "program")))
                # What is wrong with a model is said when it is compiled.
                write_model(source / "net.xml", 4, order=[1, 1])
                touch(source / "net.xml")
                self.assertIn("net.xml", run("cmake", "--build", folder, fails=True))

    def test_two_models(self):
        """Two models of one file name, with the same transpose, in one program."""
        source = copy(inputs / "two_models", "two models")
        for folder, rows in (("one", 3), ("two", 3)):
            (source / folder).mkdir()
            write_model(source / folder / "model.xml", rows)
        self.configure(source, source / "build")
        self.build(source / "build")
        self.assertEqual("first: turn 3x5, second: turn 3x5\n", run(self.find(source / "build", "program")))

    def test_external_data(self):
        """Weights are no input of kernels, shapes in other files are."""
        if "built without" in run(prefix / "bin/permc", "explain", "absent.onnx", fails=True):
            self.skipTest("permc was built without ONNX")
        try:
            import onnx
        except ImportError:
            self.skipTest("python3-onnx is not installed")
        from onnx import TensorProto, helper

        source = copy(inputs / "model", "external data")
        shape = TensorProto(name="shape", dims=[2], data_type=TensorProto.INT64, data_location=TensorProto.EXTERNAL)
        shape.external_data.add(key="location", value="shape.data")
        nodes = [helper.make_node("Reshape", ["x", "shape"], ["r"]), helper.make_node("Transpose", ["r"], ["t"], name="turn", perm=[1, 0])]
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in "xt"]
        graph = helper.make_graph(nodes, "g", values[:1], values[1:], initializer=[shape])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), str(source / "net.onnx"))
        data = source / "shape.data"
        folder = source / "build"
        data.write_bytes((3).to_bytes(8, "little") + (5).to_bytes(8, "little"))
        self.configure(source, folder, "-DNET=net.onnx")
        self.build(folder)
        self.assertEqual("turn: 3x5 right\n", run(folder / "program"))
        data.write_bytes((7).to_bytes(8, "little") + (5).to_bytes(8, "little"))
        touch(data)
        self.build(folder)
        self.assertEqual("turn: 7x5 right\n", run(folder / "program"))

    def test_cross_model(self):
        need(self, "aarch64-linux-gnu-gcc", "qemu-aarch64")
        source = copy(inputs / "model", "aarch64 model")
        write_model(source / "net.xml", 3)
        toolchain = self.toolchain(
            source, CMAKE_SYSTEM_NAME="Linux", CMAKE_SYSTEM_PROCESSOR="aarch64",
            CMAKE_C_COMPILER="aarch64-linux-gnu-gcc", CMAKE_EXE_LINKER_FLAGS_INIT="-static",
        )
        self.configure(source, source / "build", *toolchain)
        self.build(source / "build")
        self.assertEqual("turn: 3x5 right\n", run("qemu-aarch64", source / "build/program"))
        printed = self.configure(source, source / "wrong", "-DKERNELS_FOR=x86-64", *toolchain, fails=True)
        self.assertIn("what is built is for", " ".join(printed.split()))

    def test_run_time(self):
        """The examples that compile nothing while they are built."""
        for name in ("jit_c", "jit_cpp", "runtime_c"):
            with self.subTest(name):
                source = copy(examples / name, name)
                self.configure(source, source / "build")
                self.build(source / "build")
                run(source / "build" / name)
                before = times(source / "build", name)
                self.build(source / "build")
                self.assertEqual(before, times(source / "build", name), "nothing changed")
                touch(next(source.glob("main.c*")))
                self.build(source / "build")
                self.assertGreater(times(source / "build", name)[name], before[name])

    def test_mlir(self):
        """A tool of the user's own; MLIR's headers are needed for this one."""
        source = copy(examples / "mlir", "mlir")
        self.configure(source, source / "build")
        self.build(source / "build")
        run(source / "build/mlir")

    def test_model_example(self):
        source = copy(examples / "model", "model")
        self.configure(source, source / "build")
        self.build(source / "build")
        self.assertEqual("queries and keys: right\nimages: right\n", run(source / "build/model"))

    def test_example(self):
        source = copy(examples / "aot", "aot")
        levels = {"x86_64": "x86-64;x86-64-v3", "aarch64": "aarch64;aarch64-sve"}.get(platform.machine(), "")
        self.configure(source, source / "build", f"-DKERNELS_FOR={levels}")
        self.build(source / "build")
        printed = run(source / "build/aot")
        self.assertIn("right", printed)
        self.assertNotIn("wrong", printed)
        before = times(source / "build", "layouts.o", "aot")
        self.build(source / "build")
        self.assertEqual(before, times(source / "build", *before), "nothing changed")
        touch(source / "layouts.yaml")
        self.build(source / "build")
        after = times(source / "build", *before)
        for name in before:
            self.assertGreater(after[name], before[name], name)

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
        source = copy(examples / "aot", "aarch64")
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
        source = copy(examples / "aot", "arc")
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
        source = copy(examples / "make", "make")
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
        source = copy(examples / "make", "make aarch64")
        run("make", "CC=aarch64-linux-gnu-gcc", "TARGET=aarch64,aarch64-sve", "LDFLAGS=-static", f"PERMC='{prefix}/bin/permc'", cwd=source)
        self.assertIn("right, for aarch64,aarch64-sve", run("qemu-aarch64", source / "program"))


    def test_arc(self):
        """The drop-in for MLI, for an ARC and for this machine."""
        need(self, "arc-linux-gnu-gcc")
        source = copy(examples / "arc_mli", "arc mli")
        words = [f"MLI='{prefix}/include/permc-mli'", f"PERMC='{prefix}/bin/permc'"]
        run("make", *words, "generate", "permute_mli.o", cwd=source)
        self.assertIn("up to date", run("make", *words, cwd=source))
        before = times(source, "permute_mli.o")
        touch(source / "generated/permute_mli.c")
        run("make", *words, cwd=source)
        self.assertGreater(times(source, "permute_mli.o")["permute_mli.o"], before["permute_mli.o"])
        run("make", *words, "demo", "CC=cc", "MCPU=", cwd=source)
        self.assertIn("pixel (5, 9): 2 3 4 in HWC, 2 3 4 in CHW", run(source / "demo"))


class Meson(unittest.TestCase):
    def setUp(self):
        need(self, "meson", "ninja")

    def test_model(self):
        source = copy(examples / "meson", "meson model")
        shutil.copy(inputs / "model/main.c", source)
        write_model(source / "net.xml", 3)
        (source / "meson.build").write_text("project('net', 'c')\nsubdir('permc')\nexecutable('program', 'main.c', permc_models.process('net.xml'))\n")
        (source / "native.ini").write_text(f"[binaries]\npermc = '{prefix}/bin/permc'\n")
        folder = source / "build"
        run("meson", "setup", folder, source, "--native-file", source / "native.ini")
        run("meson", "compile", "-C", folder)
        self.assertEqual("turn: 3x5 right\n", run(folder / "program"))
        before = times(folder, "net.o")
        touch(source / "net.bin")
        run("meson", "compile", "-C", folder)
        self.assertGreater(times(folder, "net.o")["net.o"], before["net.o"])

    def test_example(self):
        source = copy(examples / "meson", "meson")
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
        source = copy(examples / "meson", "meson aarch64")
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

    def cargo(self, folder, *words, fails=False, **env):
        env = {"PERMC": str(prefix / "bin/permc"), "CARGO_NET_OFFLINE": "true", "CARGO_HOME": str(work / "cargo-home"), **env}
        return run("cargo", *words, cwd=folder, env=env, fails=fails)

    def test_crate(self):
        copied = copy(examples.parent / "bindings/rust/permc-build", "permc-build")
        self.assertIn("2 passed", self.cargo(copied, "test", "--lib"))

    def copy_example(self, name):
        """The example, and the crate that it finds beside it."""
        root = work / f"{name} project"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(examples.parent / "bindings/rust/permc-build", root / "bindings/rust/permc-build")
        shutil.copytree(examples / "cargo", root / "examples/cargo")
        return root / "examples/cargo"

    def test_example(self):
        source = self.copy_example("cargo")
        self.assertIn("right", self.cargo(source, "run"))
        before = times(source / "target", "liblayouts.a")
        self.cargo(source, "build")
        self.assertEqual(before, times(source / "target", "liblayouts.a"), "nothing changed")
        touch(source / "layouts.yaml")
        self.assertIn("right", self.cargo(source, "run"))
        self.assertGreater(times(source / "target", "liblayouts.a")["liblayouts.a"], before["liblayouts.a"])
        (source / "layouts.yaml").write_text("kernels:\n  - {name: a, tensor: 2x3xu8, perm: '0,0'}\n")
        self.assertIn("layouts.yaml:2:", self.cargo(source, "build", fails=True))

    def test_model(self):
        source = self.copy_example("cargo model")
        write_model(source / "net.xml", 3)
        (source / "build.rs").write_text('fn main() { permc_build::model("net.xml").compile("net").unwrap(); }\n')
        (source / "src/main.rs").write_text(
            'include!(concat!(env!("OUT_DIR"), "/net.rs"));\n'
            "fn main() {\n"
            "    let src: Vec<f32> = (0..15).map(|i| i as f32).collect();\n"
            "    let mut dst = vec![0f32; 15];\n"
            "    unsafe { net_permute_3x5xf32_10(src.as_ptr().cast(), dst.as_mut_ptr().cast()) };\n"
            '    println!("{:?}", &dst[..4]);\n'
            "}\n"
        )
        self.assertIn("[0.0, 5.0, 10.0, 1.0]", self.cargo(source, "run"))
        before = times(source / "target", "libnet.a")
        touch(source / "net.bin")
        self.cargo(source, "build")
        self.assertGreater(times(source / "target", "libnet.a")["libnet.a"], before["libnet.a"])

    def test_cross(self):
        need(self, "aarch64-linux-gnu-gcc", "qemu-aarch64")
        machine = "aarch64-unknown-linux-gnu"
        # Debian's package of the other machine's standard library, in place or
        # unpacked somewhere.
        root = os.environ.get("PERMC_RUST_SYSROOT", "")
        libraries = Path(root, "lib/rustlib", machine, "lib") if root else Path(run("rustc", "--print", "target-libdir", "--target", machine).strip())
        if not list(libraries.glob("libstd-*.rlib")):
            self.skipTest(f"no Rust standard library for {machine}: Debian has it as libstd-rust-dev:arm64 (dpkg --add-architecture arm64)")
        source = self.copy_example("cargo aarch64")
        env = {"CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER": "aarch64-linux-gnu-gcc", "RUSTFLAGS": "-C target-feature=+crt-static" + (f" --sysroot {root}" if root else "")}
        self.cargo(source, "build", "--target", machine, **env)
        self.assertIn("right", run("qemu-aarch64", source / "target" / machine / "debug/layouts"))
        library = next((source / "target" / machine).rglob("liblayouts.a"))
        self.assertIn(b"aarch64", library.read_bytes())


if __name__ == "__main__":
    install()
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]])
