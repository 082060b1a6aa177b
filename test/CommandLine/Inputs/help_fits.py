"""Runs a command whose output must fit 80 columns: help_fits.py COMMAND..."""

import subprocess
import sys

text = subprocess.run(
    sys.argv[1:], check=True, capture_output=True, text=True
).stdout
wide = [line for line in text.splitlines() if len(line) > 80]
if not text or wide:
    sys.exit(f"no text, or too wide: {wide}")
