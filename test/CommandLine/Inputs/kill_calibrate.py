"""kill_calibrate.py PERMC: ends `permc calibrate -o FILE` while it measures."""

import os
import signal
import subprocess
import sys

for number in (signal.SIGKILL, signal.SIGTERM):
    os.makedirs("killed", exist_ok=True)
    with open("killed/old.yaml", "w") as file:
        file.write("the old one")
    command = [sys.argv[1], "calibrate", "-o", "killed/old.yaml"]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    line = run.stderr.readline()
    assert line == "calibrating: round 1 of 15\n", line
    run.send_signal(number)
    run.communicate()
    for name in os.listdir("killed"):
        print(f"killed by {-run.returncode}: {name}: {open('killed/' + name).read()}")
