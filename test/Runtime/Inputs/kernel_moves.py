"""Checks which vector moves and shuffles a generic kernel has.

    kernel_moves.py ASSEMBLY KERNEL MNEMONIC=COUNT...

KERNEL is the end of a function's name in the assembly of permc-rt-kernels. Its
moves of vector registers, and whatever rearranges them, must be those listed, in
that number; a pair of loads or stores counts as two.
"""

import re
import sys
from collections import Counter

SHUFFLES = r"(tbl|tbx|zip[12]|uzp[12]|trn[12]|ext|ins|dup|rev\d+|vtbl|vzip|vuzp|vtrn|vext|vrev\d+)"


def body(assembly, kernel):
    name = re.search(rf"^(\w*_{kernel}):$", assembly, re.MULTILINE)
    if not name:
        sys.exit(f"no kernel {kernel} in the assembly")
    end = assembly.index(".size\t" + name[1], name.end())
    return assembly[name.end():end]


def count(text):
    counts = Counter()
    for line in text.splitlines():
        mnemonic, _, operands = line.strip().partition("\t")
        mnemonic = mnemonic.split(".")[0]
        if re.fullmatch(r"(ldr|str)", mnemonic) and operands.startswith("q"):
            counts[mnemonic] += 1
        elif re.fullmatch(r"(ldp|stp)", mnemonic) and operands.startswith("q"):
            counts[mnemonic[:2] + "r"] += 2
        elif re.fullmatch(rf"v?(ld|st)[1-4]|{SHUFFLES}", mnemonic):
            counts[mnemonic] += 1
    return counts


path, kernel, *expected = sys.argv[1:]
found = count(body(open(path, encoding="utf-8").read(), kernel))
wanted = {name: int(number) for name, number in (e.split("=") for e in expected)}
# A tuple of registers that structure moves take is put together by plain moves,
# which are no shuffles.
if found != wanted:
    sys.exit(f"{kernel} has {dict(found)}; expected {wanted}")
