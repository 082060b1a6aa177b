"""Runs permc between two named pipes.

    run_through_pipes.py PERMC IN EXPECTED
"""

import os
import subprocess
import sys

permc, source, expected = sys.argv[1:]
for name in ("from.npy", "to.npy"):
    if os.path.exists(name):
        os.remove(name)
    os.mkfifo(name)
with open("got.npy", "wb") as got:
    writer = subprocess.Popen(["dd", f"if={source}", "of=from.npy", "status=none"])
    reader = subprocess.Popen(["dd", "if=to.npy", "status=none"], stdout=got)
    subprocess.run([permc, "run", "--perm", "2,0,1", "from.npy", "to.npy"], check=True)
    assert writer.wait(60) == 0 and reader.wait(60) == 0
with open("got.npy", "rb") as got, open(expected, "rb") as wanted:
    assert got.read() == wanted.read()
