# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_rust.py LIBRARY_FOLDER BUILD_FOLDER: the crates' own tests, and MATLAB's
cases through the RunMat example. Nothing is downloaded."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))
from matlab_cases import own_cases, shared_cases, string_cases  # noqa: E402


def main():
    library, build = sys.argv[1:]
    cargo = shutil.which("cargo", path="/usr/bin") or shutil.which("cargo")
    if not cargo:
        print("skipped: no cargo (cargo)")
        sys.exit(77)
    # A copy, for cargo writes a lock file beside the sources.
    copy = Path(build, "sources")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(Path(__file__).parent, copy)
    environment = dict(
        os.environ,
        PATH=os.path.dirname(cargo) + os.pathsep + os.environ["PATH"],
        PERMC_RT_LIB_DIR=library,
        PERMC_RT_STATIC="1",
        CARGO_TARGET_DIR=str(Path(build, "target")),
        CARGO_HOME=str(Path(build, "home")),
    )

    def run(*arguments, **options):
        return subprocess.run(
            [cargo, *arguments, "--offline"],
            cwd=copy, env=environment, check=True, **options,
        )  # fmt: skip

    run("test", "--quiet")
    cases = own_cases() + string_cases() + shared_cases()
    answers = run(
        "run", "--quiet", "-p", "permc", "--example", "runmat",
        input="".join(case.line() + "\n" for case in cases),
        stdout=subprocess.PIPE, text=True,
    ).stdout.splitlines()  # fmt: skip
    assert len(answers) == len(cases), (len(answers), len(cases))
    wrong = 0
    for case, answer in zip(cases, answers):
        problem = case.check(answer)
        if problem:
            wrong += 1
            print(f"{case.name}: {problem}")
    print(f"{len(cases)} cases, {wrong} wrong")
    sys.exit(wrong != 0)


main()
