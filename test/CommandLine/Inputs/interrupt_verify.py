"""Sends a signal to a permc that waits for an emulator: PERMC INT|TERM

Fails unless permc then fails, the emulator is gone, and so are all temporary
files. permc's messages go to the standard output.
"""

import os
import signal
import subprocess
import sys
import time


def make_program(name, text):
    with open(f"bin/{name}", "w") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(f"bin/{name}", 0o755)


def wait_for(what, condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    sys.exit(f"waited in vain for {what}")


def is_running(process_id):
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


permc, name = sys.argv[1:]
here = os.getcwd()
for folder in ["bin", "temporary"]:
    os.makedirs(folder, exist_ok=True)
if os.path.exists("emulator.pid"):
    os.remove("emulator.pid")
make_program("aarch64-linux-gnu-gcc", "exit 0\n")
# The number appears at once and whole.
make_program(
    "qemu-aarch64",
    f"echo $$ > {here}/pid && mv {here}/pid {here}/emulator.pid\nexec sleep 600\n",
)
environment = dict(
    os.environ, TMPDIR=f"{here}/temporary", PATH=f"{here}/bin:{os.environ['PATH']}"
)
command = [permc, "compile", "2x3xf32", "--perm", "1,0", "--target", "aarch64"]
verifying = subprocess.Popen(
    [*command, "--verify", "-o", "k.o"],
    env=environment,
    stderr=subprocess.PIPE,
    text=True,
)
wait_for("the emulator", lambda: os.path.exists("emulator.pid"))
with open("emulator.pid") as file:
    emulator = int(file.read())
verifying.send_signal(getattr(signal, f"SIG{name}"))
try:
    messages = verifying.communicate(timeout=60)[1]
    if verifying.returncode != 1:
        sys.exit(f"exit code {verifying.returncode}; expected 1")
    wait_for("the emulator's end", lambda: not is_running(emulator))
finally:
    if is_running(emulator):
        os.kill(emulator, signal.SIGKILL)
if left := os.listdir("temporary"):
    sys.exit(f"left behind: {left}")
if os.path.exists("k.o"):
    sys.exit("there is an output file")
print(messages, end="")
