"""Compiles random problems for an ARC processor and runs them.

    simulate.py PERMC TARGET SEED COUNT FOLDER CPU FLAG...

The C that permc makes is compiled for CPU with the FLAGs and every kernel is
run by the interpreter of arcsim: aligned and misaligned, whole and in parts.
GCC lets an HS access words at any address unless -mno-unaligned-access is
given; with that, and on an EM, every access must be aligned.
"""

import subprocess
import sys
from pathlib import Path

from arcsim.build import build, is_hs, lacks
from arcsim.kernel import KernelCheck
from random_problems import random_problems, write_manifest


def check(program, problem, cpu, flags):
    unaligned = is_hs(cpu) and "-mno-unaligned-access" not in flags
    kernel = KernelCheck(program, problem, lacks(cpu), unaligned)
    total = kernel.run()
    for shifts in [(1, 3), (2, 2), (4, 1)]:
        total += kernel.run(*shifts)
    kernel.run_parts(2)
    kernel.run_parts(5, 1, 2)
    return total


def main():
    permc, target, seed, count, folder, cpu, *flags = sys.argv[1:]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    problems = random_problems(int(seed), int(count), most=500)
    write_manifest(problems, target, folder / "kernels.yaml")
    source = folder / "kernels.c"
    subprocess.run(
        [permc, "compile", "--manifest", folder / "kernels.yaml", "-o", source],
        check=True,
    )
    program = build(str(source), str(folder), cpu, *flags)
    total = sum(check(program, problem, cpu, flags) for problem in problems)
    how = " ".join([cpu, *flags])
    print(f"{len(problems)} kernels right on {how}: {total} instructions")


if __name__ == "__main__":
    main()
