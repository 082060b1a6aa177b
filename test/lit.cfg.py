# How lit runs the tests of this folder, and those of the folders of
# codegen_targets: two suites, of which a build has a lit.site.cfg.py each.
#
# Substitutions beside lit's own:
#   %permc %permc-opt %permc-bench   the tools of this build
#   %permc-fuzz %permc-rt-kernels
#   FileCheck, not                   LLVM's
#   %python                          a python3 that has numpy
#   %cc                              the plain C compiler of the machine
#   %include                         the folder of permc-c/kernel.h
#   %root                            the folder of the whole project
#   %libdir                          the folder of this build's libraries
#   %run-page PAGE                   runs the commands of a page of documentation
#   %clang                           clang, where there is one
#   %check-TARGET FILE...            makes a program that checks kernels from
#                                    asked.c and FILEs, for an ARM target
#   %run-TARGET PROGRAM              runs it in an emulator
#   %readelf, %lld                   LLVM's reader of objects, and its linker
#   %libgcc-armv7                    the library that ARMv7 has divisions in
#   mlir-opt, mlir-runner            MLIR's own tools, and %mlir-runner-libs
#   %models                          a folder of models with an INDEX.md
#   %conformance                     a file of conformance cases, or a path where
#                                    there is none
#
# Features, for REQUIRES:
#   x86                              the machine is an x86-64
#   native-ssse3, native-avx2,       ... whose CPU has these instructions
#   native-avx512bw
#   arc-gcc, clang                   these compilers are there
#   cc-32-bit                        %cc makes 32-bit programs
#   aarch64, armv7, cortex-m         there is a compiler and an emulator for them
#   qemu-x86_64, musl                an emulator of x86-64 CPUs, another C library
#   no-sanitizer                     other programs can link what was built
#   onnx                             permc reads ONNX, and Python writes it
#   no-onnx                          permc was built without libonnx
#   mlir-runner                      mlir-opt and mlir-runner can be called
#   chromium                         %chromium is a browser
#   shared-models                    %models has models that others made

import os
import platform
import shutil
import subprocess

import lit.formats

tests = os.path.dirname(__file__)
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".c"]
# The C that stands round MLI's kernels is a source.
config.excludes = ["Inputs", "MliPermute.c"]


def tool(name):
    return os.path.join(config.permc_tools_dir, name)


# A word of a RUN line must match whole: %permc is no part of %permc-opt, nor
# `not` of `cannot` or of a file's name.
def substitute(word, replacement):
    config.substitutions.append((rf"(?<![\w./-]){word}(?![\w./-])", replacement))


for name in ["permc", "permc-opt", "permc-bench", "permc-fuzz", "permc-rt-kernels"]:
    substitute(f"%{name}", tool(name))
substitute("%python", config.python)
substitute("%cc", config.plain_cc)
substitute("FileCheck", config.filecheck)
substitute("not", config.not_tool)
config.substitutions.append(
    ("%include", os.path.join(config.permc_source_dir, "include"))
)
config.substitutions.append(("%root", config.permc_source_dir))
config.substitutions.append(("%libdir", config.permc_lib_dir))
run_page = os.path.join(tests, "Docs/Inputs/run_page.py")
build = os.path.dirname(config.permc_lib_dir)
config.substitutions.append(
    ("%run-page", f"{config.python} {run_page} {config.permc_source_dir} {build} %t")
)

# A sanitized build passes its options down to the tools; scripts/mutate.py, which
# mutant is tried.
passed_down = ["ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LLVM_PROFILE_FILE"]
passed_down += ["PERMC_MUTANT", "PERMC_MUTANTS_REACHED"]
for name in passed_down:
    if name in os.environ:
        config.environment[name] = os.environ[name]


if not config.sanitizers:
    config.available_features.add("no-sanitizer")


def cpu_flags():
    """The instruction sets of this machine as Linux names them."""
    try:
        with open("/proc/cpuinfo") as info:
            for line in info:
                if line.startswith("flags"):
                    return set(line.split(":", 1)[1].split())
    except OSError:
        pass
    return set()


if platform.machine() in ("x86_64", "AMD64"):
    config.available_features.add("x86")
    for flag in cpu_flags() & {"ssse3", "avx2", "avx512bw"}:
        config.available_features.add(f"native-{flag}")


def makes_32_bit_programs(compiler):
    source = "#include <stdlib.h>\nint main(void) { return 0; }"
    command = [compiler, "-m32", "-x", "c", "-", "-o", os.devnull]
    return not subprocess.run(command, input=source.encode(), capture_output=True).returncode


if shutil.which("arc-linux-gnu-gcc"):
    config.available_features.add("arc-gcc")
if makes_32_bit_programs(config.plain_cc):
    config.available_features.add("cc-32-bit")
# ARM machines: what compiles and what runs a check of kernels (Debian's names).
emulation = os.path.join(config.permc_source_dir, "tools/permc/emulation")
includes = [".", emulation, os.path.join(config.permc_source_dir, "include/permc-c")]
check_flags = "-std=gnu99 -O2 -Wall -Wextra -Werror -Wl,--fatal-warnings -static"
check_flags += "".join(f" -I {folder}" for folder in includes)
armhf = "arm-linux-gnueabihf-gcc"
bare = f"-mthumb -mfloat-abi=soft -ffreestanding -nostdlib -Wl,--build-id=none -T {emulation}/cortex_m.ld"
board = "-nographic -semihosting-config enable=on,target=native -kernel"
arm_machines = [
    # feature, target, compiler, its flags, start-up, emulator, its flags
    ("aarch64", "aarch64", "aarch64-linux-gnu-gcc", "", "linux", "qemu-aarch64", ""),
    ("aarch64", "aarch64-sve", "aarch64-linux-gnu-gcc", "-march=armv8-a+sve", "linux", "qemu-aarch64", ""),
    ("armv7", "armv7-neon", armhf, "", "linux", "qemu-arm", "-cpu cortex-a15"),
    ("cortex-m", "cortex-m4", armhf, f"-mcpu=cortex-m4 {bare}", "cortex_m", "qemu-system-arm", f"-M mps2-an386 {board}"),
    ("cortex-m", "cortex-m55", armhf, f"-mcpu=cortex-m55 {bare}", "cortex_m", "qemu-system-arm", f"-M mps3-an547 {board}"),
]
for feature, target, compiler, flags, startup, emulator, options in arm_machines:
    absent = [tool for tool in (compiler, emulator) if not shutil.which(tool)]
    if absent:
        lit_config.note(f"no kernel for {target} is run: {' and '.join(absent)} not on PATH")
        continue
    config.available_features.add(feature)
    sources = f"{emulation}/check.c {emulation}/{startup}.c asked.c"
    substitute(f"%check-{target}", f"{compiler} {flags} {check_flags} {sources}")
    substitute(f"%run-{target}", f"{emulator} {options}")

for feature, tool_name, what in [
    ("qemu-x86_64", "qemu-x86_64", "no kernel is run on emulated levels of x86-64"),
    ("musl", "musl-gcc", "no kernel is linked with musl"),
]:
    if shutil.which(tool_name):
        config.available_features.add(feature)
    else:
        lit_config.note(f"{what}: {tool_name} not on PATH")

# What gcc would give its linker by itself.
if shutil.which(armhf):
    libgcc = subprocess.run([armhf, "-print-libgcc-file-name"], capture_output=True, text=True)
    substitute("%libgcc-armv7", libgcc.stdout.strip())

# LLVM's, beside FileCheck.
llvm_bin = os.path.dirname(config.filecheck)
substitute("%readelf", os.path.join(llvm_bin, "llvm-readelf"))
substitute("%lld", shutil.which("ld.lld-22") or "ld.lld")

clang = shutil.which("clang-22") or shutil.which("clang")
if clang:
    config.available_features.add("clang")
    substitute("%clang", clang)
# Stock MLIR tools, which load permc's plugin.
mlir_tools = {name: shutil.which(f"{name}-22") for name in ["mlir-opt", "mlir-runner"]}
if all(mlir_tools.values()):
    config.available_features.add("mlir-runner")
    for name, path in mlir_tools.items():
        substitute(name, path)
    mlir_lib = os.path.join(os.path.dirname(llvm_bin), "lib")
    runner_libs = [f"{mlir_lib}/libmlir_{name}.so" for name in ["runner_utils", "c_runner_utils"]]
    substitute("%mlir-runner-libs", ",".join(runner_libs))
else:
    lit_config.note("permc's plugin is not tried: mlir-opt-22 or mlir-runner-22 is not on PATH")

chromium = shutil.which("chromium")
if chromium:
    config.available_features.add("chromium")
    substitute("%chromium", chromium)
else:
    lit_config.note("no report is opened in a browser: chromium is not on PATH")

# Models that others made, where there are some.
models = os.environ.get(
    "PERMC_MODELS", os.path.join(os.path.dirname(config.permc_source_dir), "shared/models")
)
config.substitutions.append(("%models", models))
if os.path.exists(os.path.join(models, "INDEX.md")):
    config.available_features.add("shared-models")
else:
    lit_config.note(f"no models of others are read: there is no {models}/INDEX.md")


def has_python_module(name):
    return not subprocess.run([config.python, "-c", f"import {name}"], capture_output=True).returncode


if config.onnx != "ON":
    lit_config.note("no ONNX models are read: permc was built without libonnx")
    config.available_features.add("no-onnx")
elif not has_python_module("onnx"):
    lit_config.note("no ONNX models are made: python3-onnx is not installed")
else:
    config.available_features.add("onnx")
config.substitutions.append(
    (
        "%conformance",
        os.environ.get(
            "PERMC_CONFORMANCE",
            os.path.join(
                os.path.dirname(config.permc_source_dir),
                "shared/conformance/cases.json",
            ),
        ),
    )
)
