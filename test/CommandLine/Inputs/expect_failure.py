"""Runs a command that must fail: expect_failure.py EXIT_CODE COMMAND...

Fails itself unless the command exits with exactly that code and leaves the
current folder as it found it. The command's messages go to the standard output.
"""

import os
import subprocess
import sys


def files():
    return sorted(
        (entry.name, entry.stat().st_mtime_ns) for entry in os.scandir(".")
    )


expected = int(sys.argv[1])
before = files()
command = subprocess.run(sys.argv[2:], capture_output=True, text=True)
print(command.stderr, end="")
if command.returncode != expected:
    sys.exit(f"exit code {command.returncode}; expected {expected}")
if command.stdout:
    sys.exit(f"wrote to the standard output: {command.stdout!r}")
if files() != before:
    sys.exit(f"files before: {before}, after: {files()}")
