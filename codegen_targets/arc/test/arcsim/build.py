"""Compiles generated C for an ARC processor and links it by itself.

Linking without any library proves that the code needs none.
"""

import os
import subprocess

from .machine import HS_ONLY, PAIR_MOVES
from .program import load

COMPILER = os.environ.get("PERMC_ARC_CC", "arc-linux-gnu-gcc")
LINKER = "arc-linux-gnu-ld"

CPUS = ["arcem", "hs34", "hs38", "hs4x"]
LEVELS = ["-O2", "-O3", "-Os"]

# -mno-millicode: at -Os GCC would call libgcc to save registers.
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-ffreestanding"]
FLAGS += ["-mno-millicode"]


class BuildError(Exception):
    pass


def is_hs(cpu):
    return cpu.startswith(("hs", "archs"))


def lacks(cpu):
    """The instructions that a processor does not have."""
    if not is_hs(cpu):
        return HS_ONLY
    return PAIR_MOVES if cpu == "hs34" else frozenset()


def _run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr.strip():
        raise BuildError(f"{' '.join(command)}\n{done.stderr}")


def compile_source(source, output, cpu, flags):
    _run([COMPILER, *FLAGS, f"-mcpu={cpu}", *flags, "-c", source, "-o", output])


def link(objects, output):
    _run([LINKER, "-e", "0", "-Ttext=0x10000", *objects, "-o", output])


def build(source, folder, cpu, *flags):
    """The program made of one C file."""
    stem = os.path.join(folder, "".join([cpu, *flags]))
    compile_source(source, stem + ".o", cpu, flags)
    link([stem + ".o"], stem + ".elf")
    return load(stem + ".elf")
