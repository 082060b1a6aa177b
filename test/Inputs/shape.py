"""Checks which instructions the hot loop of a kernel consists of.

    shape.py [--schedule TEXT] PERMC TARGET TENSOR ORDER MOST MNEMONIC[=COUNT]...

TEXT is what stands within #permc.schedule<...>; without it the one that is chosen
is carried out. The hot loop is the largest piece of straight-line code that has the first
MNEMONIC. It must have MOST instructions at most and none but those listed; a
COUNT must be met exactly.
ARM's loads and stores are named with the kind of their first register: ldr.q is a
vector's, str.w a word's. x86's moves are named with their direction: vmovups.load,
vmovups.store. b stands for all branches; tbz and tbnz are among them.
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter


def blocks(assembly):
    """Pieces of code without a label or a branch inside."""
    block = []
    for line in assembly.splitlines():
        if re.match(r"\S+:", line):
            yield block
            block = []
        elif re.match(r"\t[a-z]", line):
            mnemonic, _, operands = line.strip().partition("\t")
            # Thumb's width of an encoding is not the instruction's.
            mnemonic = mnemonic.removesuffix(".w")
            branches = re.fullmatch(r"b(\.?(eq|ne|lt|le|gt|ge|lo|ls|hi|hs|mi|pl))?|tbn?z|j[a-z]+", mnemonic)
            if branches:
                mnemonic = "b"
            if re.match(r"v?mov", mnemonic) and "(" in operands:
                mnemonic += ".store" if operands.endswith(")") else ".load"
            # lr is r14, where it is one of the data.
            register = re.match(r"\{? ?([a-z])\d", re.sub(r"\blr\b", "r14", operands))
            if re.fullmatch(r"(ldr|str|ldp|stp)", mnemonic) and register:
                mnemonic += "." + register[1]
            block.append(mnemonic)
            if branches:
                yield block
                block = []
    yield block


def compile(permc, target, tensor, order, schedule):
    """The assembly of a kernel."""
    command = [permc, "compile", tensor, "--perm", order, "--target", target, "--emit", "asm", "-o", "-"]
    with tempfile.NamedTemporaryFile("w", suffix=".schedule") as file:
        if schedule:
            file.write(f"#permc.schedule<{schedule}>\n")
            file.flush()
            command += ["--schedule", file.name]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{target} {tensor} by {order}: {done.stderr}")
    return done.stdout


def main():
    arguments = sys.argv[1:]
    schedule = None
    if arguments[0] == "--schedule":
        schedule, *arguments = arguments[1:]
    permc, target, tensor, order, most, *expected = arguments
    assembly = compile(permc, target, tensor, order, schedule)
    first = expected[0].partition("=")[0]
    hot = [block for block in blocks(assembly) if first in block]
    if not hot:
        sys.exit(f"{target} {tensor} by {order}: no {first}")
    found = Counter(max(hot, key=len))
    wrong = []
    allowed = {}
    for word in expected:
        mnemonic, _, count = word.partition("=")
        allowed[mnemonic] = count
        if count and found[mnemonic] != int(count):
            wrong.append(f"{found[mnemonic]} {mnemonic}, expected {count}")
        if not found[mnemonic]:
            wrong.append(f"no {mnemonic}")
    wrong += [f"{found[other]} {other}, expected none" for other in found if other not in allowed]
    if found.total() > int(most):
        wrong.append(f"{found.total()} instructions, expected at most {most}")
    if wrong:
        counts = ", ".join(f"{count} {mnemonic}" for mnemonic, count in found.most_common())
        sys.exit(f"{target} {tensor} by {order}: {'; '.join(wrong)}\nthe hot loop has {counts}")


if __name__ == "__main__":
    main()
