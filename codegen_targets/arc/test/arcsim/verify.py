"""Proves the kernels of a C file; `permc compile --verify` runs this.

    verify.py SOURCE PROBLEMS TARGET

SOURCE is the C, PROBLEMS a JSON list of what its kernels are to do. The C is
compiled for TARGET (arc-em, arc-hs) and every kernel is run by the interpreter.
PERMC_ARC_EMULATOR names a program that runs ARC Linux programs: then the
kernels run there instead, with a harness that checks them.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from arcsim.build import COMPILER, BuildError, build, is_hs, lacks
from arcsim.kernel import KernelCheck, Problem, Wrong
from arcsim.native import build_checker
from arcsim.program import UnknownInstruction

PROCESSORS = {"arc-em": "arcem", "arc-hs": "hs38"}
LEVELS = ["-O2", "-O3"]
# Above this many bytes only the chief runs are made: the time stays in seconds.
LARGE = 1 << 16


def interpret(program, problem, cpu, level):
    kernel = KernelCheck(program, problem, lacks(cpu), is_hs(cpu))
    large = len(kernel.sources) > LARGE
    count = kernel.run()
    for shifts in [(1, 3)] if large else [(1, 3), (2, 2), (4, 1), (3, 0)]:
        kernel.run(*shifts)
    for parts in [2] if large else [1, 2, 3, 7]:
        kernel.run_parts(parts)
        kernel.run_parts(parts, 1, 3)
    print(
        f"verified: {problem.name} moves all {len(list(problem.elements()))} "
        f"elements right on {cpu} {level} in {count} instructions"
    )


def emulate(emulator, source, problems, cpu, folder):
    names = [problem.name for problem in problems]
    flags = [f"-mcpu={cpu}", "-O2", "-static"]
    program = build_checker(source, names, folder, COMPILER, flags)
    subprocess.run([*shlex.split(emulator), program], check=True)
    print(f"verified: {len(names)} kernels under {emulator}")


def main():
    source, listed, target = sys.argv[1:]
    problems = [Problem(**fields) for fields in json.loads(Path(listed).read_text())]
    cpu = PROCESSORS[target]
    emulator = os.environ.get("PERMC_ARC_EMULATOR")
    with tempfile.TemporaryDirectory() as folder:
        if emulator:
            return emulate(emulator, source, problems, cpu, folder)
        for level in LEVELS:
            program = build(source, folder, cpu, level)
            for problem in problems:
                interpret(program, problem, cpu, level)


if __name__ == "__main__":
    try:
        main()
    except (Wrong, BuildError, UnknownInstruction) as error:
        sys.exit(str(error))
    except FileNotFoundError as error:
        sys.exit(f"{error.filename} is needed and was not found")
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd[0]} failed")
