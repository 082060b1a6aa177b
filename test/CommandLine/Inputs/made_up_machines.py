"""made_up_machines.py PERMC: predictions and schedules follow the machine."""

import re
import subprocess
import sys

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6}


def explain(shape, **quantities):
    """The predicted time in ns and the loops, on x86-64-v3 with other quantities."""
    command = [sys.argv[1], "explain", shape, "--perm", "1,0", "--target", "x86-64-v3"]
    if quantities:
        with open("made-up.yaml", "w") as file:
            file.write("".join(f"{key}: {value}\n" for key, value in quantities.items()))
        command += ["--machine", "made-up.yaml"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    time, unit = re.search(r"predicted +([\d.e+]+) (\w+):", said).groups()
    return float(time) * UNITS[unit], re.search(r"loops = \[(.*?)\]", said)[1]


small, large = "32x32xf32", "4000x4100xf32"
slow_memory = dict(memoryNs=30, memoryRandomNs=100, streamedNs=40, writeBackNs=30)
slow_core = dict(cycleNs=2.9)

# Slower memory: what fits a cache does not notice.
assert explain(small, **slow_memory) == explain(small)
assert explain(large, **slow_memory)[0] > 3 * explain(large)[0]
# A slower core: what comes from memory notices less.
assert explain(small, **slow_core)[0] > 5 * explain(small)[0]
assert explain(large, **slow_core)[0] < 3 * explain(large)[0]

# Caches that hold both tensors: no loop is cut into blocks, and it takes less.
big = dict(l1Bytes=1 << 20, l1Ways=16, l2Bytes=8 << 20, l2Ways=16, l3Bytes=64 << 20)
time, loops = explain("512x512xf32")
big_time, big_loops = explain("512x512xf32", **big)
assert loops.count(":") > 2 == big_loops.count(":"), (loops, big_loops)
assert big_time < time / 2
# Caches that no longer do: other tiles, and it takes longer.
tiny = dict(l1Bytes=4096, l1Ways=2, l2Bytes=65536, l2Ways=4)
time, loops = explain("100x100xf32")
tiny_time, tiny_loops = explain("100x100xf32", **tiny)
assert tiny_loops != loops, (loops, tiny_loops)
assert tiny_time > time
