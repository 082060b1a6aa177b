"""Kernels with the C harness that checks them: a program for a real machine or
for somebody's emulator."""

import subprocess
from pathlib import Path

TESTS = Path(__file__).parent.parent
HARNESS = TESTS / "Inputs" / "check_kernels.c"
INCLUDE = TESTS.parents[2] / "include"
STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]


def list_of(names):
    """A C file with the list that the harness wants."""
    infos = [f"{name}_info" for name in names]
    declared = "".join(f"extern const permc_kernel {info};\n" for info in infos)
    listed = ", ".join(f"&{info}" for info in infos)
    return (
        '#include "permc-c/kernel.h"\n'
        f"{declared}const permc_kernel *const kernels[] = {{{listed}, 0}};\n"
    )


def build_checker(source, names, folder, compiler, flags):
    """Compiles kernels and harness to one program; returns its path."""
    folder = Path(folder)
    (folder / "list.c").write_text(list_of(names))
    program = folder / "check"
    subprocess.run(
        [compiler, *STRICT, *flags, f"-I{INCLUDE}", source]
        + [folder / "list.c", HARNESS, "-o", program],
        check=True,
    )
    return program
