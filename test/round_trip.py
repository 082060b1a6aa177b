"""Sends every test input through permc-opt's parser and printer twice.

    round_trip.py PERMC_OPT FOLDER...

What the first run prints the second must read and print again unchanged. Inputs
named *-errors.mlir hold IR that must not be accepted, and are left out.
"""

import subprocess
import sys
from pathlib import Path


def print_ir(permc_opt, text):
    """`text` as permc-opt prints it, or None and what it complained of."""
    run = subprocess.run(
        [permc_opt, "--split-input-file", "-"],
        input=text,
        capture_output=True,
        text=True,
    )
    return (run.stdout, "") if run.returncode == 0 else (None, run.stderr)


def complaint(permc_opt, path):
    """Why the file does not round-trip; None if it does."""
    once, message = print_ir(permc_opt, path.read_text())
    if once is None:
        return f"is not accepted:\n{message}"
    twice, message = print_ir(permc_opt, once)
    if twice is None:
        return f"prints as IR that is not accepted:\n{message}\n{once}"
    if once != twice:
        return f"changes when it is printed again:\n{once}\nthen\n{twice}"
    return None


def main():
    permc_opt, folders = sys.argv[1], map(Path, sys.argv[2:])
    checked = failed = 0
    for path in sorted(path for folder in folders for path in folder.rglob("*.mlir")):
        name = f"{path.parent.name}/{path.name}"
        if path.name.endswith("-errors.mlir"):
            print(f"{name}: left out: it holds IR that must not be accepted")
            continue
        checked += 1
        message = complaint(permc_opt, path)
        if message:
            failed += 1
            print(f"{name}: {message}")
    print(f"{checked} files checked, {failed} do not round-trip")
    sys.exit(0 if checked and not failed else 1)


if __name__ == "__main__":
    main()
