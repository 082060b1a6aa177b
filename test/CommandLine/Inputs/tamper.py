"""Changes an object as someone could who means harm, or as a bad disk does.

    tamper.py flip FILE COUNT PERMC        one bit at each of COUNT places;
                                           `permc verify` must refuse them all
    tamper.py reseal FILE OUT HEX HEX      some bytes to others, sealed anew
"""

import hashlib
import re
import subprocess
import sys


def flip(path, count, permc):
    good = open(path, "rb").read()
    for i in range(int(count)):
        at = i * len(good) // int(count)
        data = bytearray(good)
        data[at] ^= 4
        open("flipped.o", "wb").write(data)
        done = subprocess.run(
            [permc, "verify", "flipped.o"], capture_output=True, text=True
        )
        if done.returncode != 1 or "verified" in done.stderr:
            sys.exit(f"byte {at}: {done.returncode}\n{done.stderr}")
    print(f"{count} changes were noticed")


def reseal(path, out, old, new):
    data = open(path, "rb").read()
    old, new = bytes.fromhex(old), bytes.fromhex(new)
    if data.count(old) != 1:
        sys.exit(f"{data.count(old)} places with these bytes; expected one")
    data = bytearray(data.replace(old, new))
    begin, end = re.search(rb"permc [0-9.]+ sha256 ([0-9a-f]{64})", data).span(1)
    data[begin:end] = b"0" * 64
    data[begin:end] = hashlib.sha256(data).hexdigest().encode()
    open(out, "wb").write(data)


{"flip": flip, "reseal": reseal}[sys.argv[1]](*sys.argv[2:])
