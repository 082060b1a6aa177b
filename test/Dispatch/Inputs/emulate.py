"""Runs a program with kernels for several levels on emulated CPUs.

    emulate.py PROGRAM EMULATOR KERNEL LEVEL=CPU...

LEVEL is the number of the level that CPU must give, and its target: the program
says which it took, and the emulator lists the functions that it translated, of
which only those of that target may be kernels.
"""

import re
import subprocess
import sys
import tempfile

program, emulator, kernel, *cpus = sys.argv[1:]


def run(cpu, log):
    command = [emulator, "-cpu", cpu, "-d", "in_asm", "-D", log, program]
    return subprocess.run(command, capture_output=True, text=True)


def executed(log):
    """The targets whose kernels were executed."""
    pattern = re.compile(rf"^IN: {kernel}(?:_part|\.box)*\.(\w+)")
    with open(log) as lines:
        return {m[1] for m in map(pattern.match, lines) if m and m[1] != "first"}


failed = False
for expected in cpus:
    level, cpu = expected.split("=", 1)
    number, target = level.split(":")
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        result = run(cpu, log)
        targets = executed(log)
    ok = (
        result.returncode == 0
        and f"level {number} after 0, right" in result.stdout
        and targets == {target.replace("-", "_")}
    )
    if ok:
        print(f"{cpu}: {target}")
        continue
    failed = True
    print(f"{cpu}: expected level {number} and code for {target} only; got")
    print(f"  exit code {result.returncode}, code for {sorted(targets)}")
    print(f"  {result.stdout}{result.stderr}")
sys.exit(failed)
