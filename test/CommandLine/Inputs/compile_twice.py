"""Compiles k.yaml in two folders, the second time at another time of the clock's
zone, with other settings and, where this one may, as another user.

    compile_twice.py PERMC FOLDER ANOTHER
"""

import filecmp
import os
import subprocess
import sys
import time

permc, first, second = sys.argv[1:]
KINDS = {"obj": "k.o", "lib": "libk.a", "shared": "libk.so", "asm": "k.s", "header": "k.h"}
NOBODY = 65534


def compile_all(folder, **how):
    for kind, name in KINDS.items():
        command = [permc, "compile", "--manifest", "k.yaml", "--target", "x86-64,x86-64-v3", "--emit", kind, "-o", name]
        subprocess.run(command, cwd=folder, check=True, **how)


compile_all(first)
time.sleep(1.1)  # archives have times in seconds
another = {"env": {**os.environ, "TZ": "Asia/Tokyo", "LANG": "C", "HOME": "/", "TMPDIR": second}, "umask": 0o077}
if os.getuid() == 0:
    another["user"] = NOBODY
else:
    print("not root: both times the same user")
compile_all(second, **another)
for kind, name in KINDS.items():
    same = filecmp.cmp(f"{first}/{name}", f"{second}/{name}", shallow=False)
    print(f"{kind}: {'the same' if same else 'DIFFERENT'}")
