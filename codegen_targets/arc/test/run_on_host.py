"""Compiles random problems to C and runs them on this machine.

    run_on_host.py PERMC TARGET SEED COUNT FOLDER COMPILER FLAG...
"""

import subprocess
import sys
from pathlib import Path

from arcsim.native import build_checker
from random_problems import random_problems, write_manifest


def main():
    permc, target, seed, count, folder, compiler, *flags = sys.argv[1:]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    problems = random_problems(int(seed), int(count))
    write_manifest(problems, target, folder / "kernels.yaml")
    source = folder / "kernels.c"
    subprocess.run(
        [permc, "compile", "--manifest", folder / "kernels.yaml", "-o", source],
        check=True,
    )
    names = [problem.name for problem in problems]
    program = build_checker(source, names, folder, compiler, flags)
    sys.exit(subprocess.run([program]).returncode)


if __name__ == "__main__":
    main()
