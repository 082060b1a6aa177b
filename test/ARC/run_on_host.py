"""Compiles random problems to C and runs them on this machine.

    run_on_host.py PERMC TARGET SEED COUNT FOLDER INCLUDE COMPILER FLAG...
"""

import subprocess
import sys
from pathlib import Path

from random_problems import random_problems, write_manifest

HARNESS = Path(__file__).parent / "Inputs" / "check_kernels.c"
STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]


def list_of(problems):
    """A C file with the list that the harness wants."""
    names = [f"{problem.name}_info" for problem in problems]
    declared = "".join(f"extern const permc_kernel {name};\n" for name in names)
    listed = ", ".join(f"&{name}" for name in names)
    return (
        '#include "permc-c/kernel.h"\n'
        f"{declared}const permc_kernel *const kernels[] = {{{listed}, 0}};\n"
    )


def main():
    permc, target, seed, count, folder, include, compiler, *flags = sys.argv[1:]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    problems = random_problems(int(seed), int(count))
    write_manifest(problems, target, folder / "kernels.yaml")
    subprocess.run(
        [permc, "compile", "--manifest", folder / "kernels.yaml"]
        + ["-o", folder / "kernels.c"],
        check=True,
    )
    (folder / "list.c").write_text(list_of(problems))
    program = folder / "check"
    subprocess.run(
        [compiler, *STRICT, *flags, f"-I{include}", folder / "kernels.c"]
        + [folder / "list.c", HARNESS, "-o", program],
        check=True,
    )
    sys.exit(subprocess.run([program]).returncode)


if __name__ == "__main__":
    main()
