"""Checks which target is suggested for other names: PERMC NAME=TARGET..."""

import subprocess
import sys

permc, *pairs = sys.argv[1:]
for pair in pairs:
    name, target = pair.split("=")
    command = [permc, "explain", "2x3xf32", "--perm", "1,0", "--target", name]
    refused = subprocess.run(command, capture_output=True, text=True)
    expected = f"unknown target '{name}', did you mean '{target}'?; expected one of native, "
    if refused.returncode != 1 or expected not in refused.stderr:
        sys.exit(f"{pair}: exit code {refused.returncode}, {refused.stderr!r}")
