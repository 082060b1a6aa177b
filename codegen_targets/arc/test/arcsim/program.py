"""A linked ARC program as a list of decoded instructions.

The bytes are decoded by `arc-linux-gnu-objdump`, so what is read here is its
text: an address, the encoding, a mnemonic with suffixes, operands. Data is read
from the ELF file's own segments.
"""

import re
import struct
import subprocess
from dataclasses import dataclass, field

OBJDUMP = "arc-linux-gnu-objdump"

_LINE = re.compile(r"^\s*([0-9a-f]+):\t([0-9a-f ]+)\t(.*)$")
_SYMBOL = re.compile(r"^([0-9a-f]+) <(.+)>:$")
_TARGET = re.compile(r";\s*([0-9a-f]+)\s*<")


class UnknownInstruction(Exception):
    """Something that this project has never seen a compiler emit."""


@dataclass
class Instruction:
    address: int
    size: int
    name: str  # without suffixes and without _s: "ldb", "brne", "add"
    suffixes: tuple  # ("ab",), ("d", "nt"), ("f",), ("ne",) ...
    operands: list  # texts; an address operand is the list of its parts
    target: int | None  # of branches and of lp
    text: str
    handler: object = field(default=None, compare=False)  # cached by the machine


@dataclass
class Program:
    instructions: dict  # address -> Instruction
    symbols: dict  # name -> address
    segments: list  # (address, bytes, writable)


def _split_operands(text):
    """`r0,[r1,4]` as ["r0", ["r1", "4"]]."""
    operands = []
    for part in re.findall(r"\[[^\]]*\]|[^,\s]+", text):
        if part.startswith("["):
            operands.append([piece.strip() for piece in part[1:-1].split(",")])
        else:
            operands.append(part)
    return operands


def parse_instruction(address, encoding, text):
    found = _TARGET.search(text)
    target = int(found.group(1), 16) if found else None
    code = text.split(";")[0].strip()
    word, _, rest = code.partition("\t")
    if not rest:
        word, _, rest = code.partition(" ")
    name, *suffixes = word.split(".")
    if name.endswith("_s"):
        name = name[:-2]
    return Instruction(
        address=address,
        size=len(encoding.replace(" ", "")) // 2,
        name=name,
        suffixes=tuple(suffixes),
        operands=_split_operands(rest),
        target=target,
        text=code.replace("\t", " "),
    )


def parse_disassembly(text):
    instructions, symbols = {}, {}
    for line in text.splitlines():
        if found := _SYMBOL.match(line):
            symbols[found.group(2)] = int(found.group(1), 16)
        elif found := _LINE.match(line):
            address = int(found.group(1), 16)
            instructions[address] = parse_instruction(
                address, found.group(2), found.group(3)
            )
    return instructions, symbols


def read_segments(image):
    """The loadable segments of a 32-bit little-endian ELF file."""
    if image[:6] != b"\x7fELF\x01\x01":
        raise ValueError("not a 32-bit little-endian ELF file")
    (offset,) = struct.unpack_from("<I", image, 28)
    size, count = struct.unpack_from("<HH", image, 42)
    segments = []
    for i in range(count):
        kind, start, address, _, in_file, in_memory, flags = struct.unpack_from(
            "<7I", image, offset + i * size
        )
        if kind == 1:  # PT_LOAD
            data = image[start : start + in_file].ljust(in_memory, b"\0")
            segments.append((address, data, bool(flags & 2)))
    return segments


def load(path):
    """Reads a linked ELF file."""
    text = subprocess.run(
        [OBJDUMP, "-d", path], check=True, capture_output=True, text=True
    ).stdout
    instructions, symbols = parse_disassembly(text)
    with open(path, "rb") as file:
        segments = read_segments(file.read())
    return Program(instructions, symbols, segments)
