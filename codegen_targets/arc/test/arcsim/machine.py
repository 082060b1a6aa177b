"""Executes ARCv2 code one instruction at a time and counts.

What is modelled is what a C compiler makes of a function without system calls:
the core registers, the four flags, zero-overhead loops (lp_count, LP_START,
LP_END), delay slots, conditional execution, compare-and-branch, address
write-back, 64-bit register pairs. Everything else raises UnknownInstruction: a
wrong guess would prove nothing.

Memory is a list of regions, each readable or writable, and every access must
lie in one. Stores to a region that keeps a log mark the bytes they wrote.
"""

from dataclasses import dataclass, field

from .program import UnknownInstruction

MASK = 0xFFFFFFFF
RETURN_ADDRESS = 0xFFFFFFF0  # where blink points: reaching it ends a call
STACK_TOP = 0x7FFF0000
STACK_BYTES = 1 << 16

_NAMED = {"gp": 26, "fp": 27, "sp": 28, "ilink": 29, "blink": 31, "lp_count": 60}
SP, BLINK, LP_COUNT = 28, 31, 60
CALLEE_SAVED = list(range(13, 26)) + [26, 27, 28]

REGISTERS = {f"r{i}": i for i in range(64)} | _NAMED

# What processors lack: an HS34 moves no pairs of registers, an EM has neither
# arithmetic on pairs nor division.
PAIR_MOVES = frozenset(["ldd", "std"])
HS_ONLY = PAIR_MOVES | {"vadd2", "vsub2", "divu", "remu", "div", "rem", "dbnz"}


class Fault(Exception):
    """The program did something that it must not do."""


@dataclass
class Region:
    name: str
    base: int
    data: bytearray
    writable: bool = False
    written: bytearray | None = None  # one mark per byte, if wanted

    def holds(self, address, size):
        return self.base <= address and address + size <= self.base + len(self.data)


def signed(value):
    return value - (1 << 32) if value & 0x80000000 else value


def extend(value, size):
    sign = 1 << (8 * size - 1)
    return ((value ^ sign) - sign) & MASK


CONDITIONS = {
    "": lambda m: True,
    "al": lambda m: True,
    "eq": lambda m: m.z,
    "z": lambda m: m.z,
    "ne": lambda m: not m.z,
    "nz": lambda m: not m.z,
    "pl": lambda m: not m.n,
    "p": lambda m: not m.n,
    "mi": lambda m: m.n,
    "n": lambda m: m.n,
    "lo": lambda m: m.c,
    "c": lambda m: m.c,
    "cs": lambda m: m.c,
    "hs": lambda m: not m.c,
    "nc": lambda m: not m.c,
    "cc": lambda m: not m.c,
    "hi": lambda m: not m.c and not m.z,
    "ls": lambda m: m.c or m.z,
    "lt": lambda m: m.n != m.v,
    "ge": lambda m: m.n == m.v,
    "le": lambda m: m.z or m.n != m.v,
    "gt": lambda m: not m.z and m.n == m.v,
    "vs": lambda m: m.v,
    "vc": lambda m: not m.v,
    "pnz": lambda m: not m.n and not m.z,
}

COMPARE = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: signed(a) < signed(b),
    "ge": lambda a, b: signed(a) >= signed(b),
    "gt": lambda a, b: signed(a) > signed(b),
    "le": lambda a, b: signed(a) <= signed(b),
    "lo": lambda a, b: a < b,
    "hs": lambda a, b: a >= b,
    "hi": lambda a, b: a > b,
    "ls": lambda a, b: a <= b,
}

# Three operands: destination, b, c.
BINARY = {
    "add": lambda b, c: b + c,
    "add1": lambda b, c: b + (c << 1),
    "add2": lambda b, c: b + (c << 2),
    "add3": lambda b, c: b + (c << 3),
    "sub": lambda b, c: b - c,
    "sub1": lambda b, c: b - (c << 1),
    "sub2": lambda b, c: b - (c << 2),
    "sub3": lambda b, c: b - (c << 3),
    "rsub": lambda b, c: c - b,
    "and": lambda b, c: b & c,
    "or": lambda b, c: b | c,
    "xor": lambda b, c: b ^ c,
    "bic": lambda b, c: b & ~c,
    "asl": lambda b, c: b << (c & 31),
    "lsr": lambda b, c: b >> (c & 31),
    "asr": lambda b, c: signed(b) >> (c & 31),
    "ror": lambda b, c: (b >> (c & 31)) | (b << (32 - (c & 31))),
    "bset": lambda b, c: b | (1 << (c & 31)),
    "bclr": lambda b, c: b & ~(1 << (c & 31)),
    "bxor": lambda b, c: b ^ (1 << (c & 31)),
    "bmsk": lambda b, c: b & ((2 << (c & 31)) - 1),
    "bmskn": lambda b, c: b & ~((2 << (c & 31)) - 1),
    "max": lambda b, c: max(signed(b), signed(c)),
    "min": lambda b, c: min(signed(b), signed(c)),
    "mpy": lambda b, c: b * c,
    "mpyu": lambda b, c: b * c,
    "mpyuw": lambda b, c: (b & 0xFFFF) * (c & 0xFFFF),
    "mpyw": lambda b, c: extend(b & 0xFFFF, 2) * extend(c & 0xFFFF, 2),
    "mpymu": lambda b, c: (b * c) >> 32,
    "mpym": lambda b, c: (signed(b) * signed(c)) >> 32,
    "xbfu": lambda b, c: (b >> (c & 31)) & ((2 << ((c >> 5) & 31)) - 1),
    "divu": lambda b, c: b // c,
    "remu": lambda b, c: b % c,
    "seteq": lambda b, c: b == c,
    "setne": lambda b, c: b != c,
    "setlt": lambda b, c: signed(b) < signed(c),
    "setge": lambda b, c: signed(b) >= signed(c),
    "setgt": lambda b, c: signed(b) > signed(c),
    "setle": lambda b, c: signed(b) <= signed(c),
    "setlo": lambda b, c: b < c,
    "seths": lambda b, c: b >= c,
}

# Two operands: destination, c.
UNARY = {
    "mov": lambda c: c,
    "not": lambda c: ~c,
    "neg": lambda c: -c,
    "abs": lambda c: abs(signed(c)),
    "extb": lambda c: c & 0xFF,
    "exth": lambda c: c & 0xFFFF,
    "sexb": lambda c: extend(c & 0xFF, 1),
    "sexh": lambda c: extend(c & 0xFFFF, 2),
    "asl": lambda c: c << 1,
    "lsr": lambda c: c >> 1,
    "asr": lambda c: signed(c) >> 1,
    "swap": lambda c: (c >> 16) | (c << 16),
    "swape": lambda c: int.from_bytes(c.to_bytes(4, "little"), "big"),
    "lsr16": lambda c: c >> 16,
    "asr16": lambda c: signed(c) >> 16,
    "lsr8": lambda c: c >> 8,
    "asr8": lambda c: signed(c) >> 8,
}

# Not executed, only their flags are wanted.
FLAGS_ONLY = {"cmp": "sub", "rcmp": "rsub", "tst": "and", "btst": "btst"}

# These set Z and N and leave C and V as they are.
LOGICAL = {"and", "or", "xor", "bic", "bset", "bclr", "bxor", "bmsk", "bmskn"}
LOGICAL |= {"btst", "mov", "not", "extb", "exth", "sexb", "sexh", "xbfu"}

ACCESS_BYTES = {"ld": 4, "ldb": 1, "ldh": 2, "ldd": 8}
ACCESS_BYTES |= {"st": 4, "stb": 1, "sth": 2, "std": 8}


@dataclass
class Machine:
    program: object
    regions: list
    allow_unaligned: bool = False  # what GCC's -munaligned-access assumes
    lacks: frozenset = frozenset()  # instructions that the processor has not
    limit: int = 100_000_000  # instructions, against endless loops

    r: list = field(default_factory=lambda: [0] * 64)
    z: bool = False
    n: bool = False
    c: bool = False
    v: bool = False
    lp_start: int = 0
    lp_end: int = 0
    count: int = 0
    next_pc: int | None = None  # set by a taken branch

    def __post_init__(self):
        stack = bytearray(STACK_BYTES)
        self.regions = list(self.regions)
        self.regions.append(Region("stack", STACK_TOP - STACK_BYTES, stack, True))
        for address, data, writable in self.program.segments:
            self.regions.append(
                Region("program", address, bytearray(data), writable)
            )

    # Calls

    def call(self, name, *arguments):
        """Calls a function with up to eight word arguments, counting its
        instructions; callee-saved registers must come back unchanged."""
        for i in range(64):
            self.r[i] = (0xA5A50000 + i) & MASK  # nobody may rely on it
        for i, argument in enumerate(arguments):
            self.r[i] = argument & MASK
        self.r[SP] = STACK_TOP  # the caller's frame is out of bounds
        self.r[BLINK] = RETURN_ADDRESS
        self.r[LP_COUNT] = 0
        self.lp_start = self.lp_end = 0
        kept = {i: self.r[i] for i in CALLEE_SAVED}
        before = self.count
        if name not in self.program.symbols:
            raise Fault(f"the program defines no {name}")
        pc = self.program.symbols[name]
        while pc != RETURN_ADDRESS:
            pc = self.step(pc)
        for i, value in kept.items():
            if self.r[i] != value:
                raise Fault(f"{name} did not restore r{i}")
        return self.count - before

    def step(self, pc):
        """Executes the instruction at pc, with its delay slot; returns the
        next address."""
        instruction = self.fetch(pc)
        self.next_pc = None
        self.execute(instruction)
        after = pc + instruction.size
        if self.next_pc is not None or "d" in instruction.suffixes:
            target = self.next_pc
            if "d" in instruction.suffixes:
                slot = self.fetch(after)
                self.next_pc = None
                self.execute(slot)
                if self.next_pc is not None:
                    raise Fault(f"a branch in a delay slot: {slot.text}")
                after += slot.size
            if target is not None:
                return target
        return self.loop_back(after)

    def loop_back(self, after):
        if after != self.lp_end:
            return after
        # It counts first: from 0 it would run 2**32 rounds.
        if self.r[LP_COUNT] == 0:
            raise Fault(f"the end of a loop at {after:#x} with an lp_count of 0")
        self.r[LP_COUNT] -= 1
        return self.lp_start if self.r[LP_COUNT] != 0 else after

    def fetch(self, pc):
        instruction = self.program.instructions.get(pc)
        if instruction is None:
            raise Fault(f"no instruction at {pc:#x}")
        self.count += 1
        if self.count > self.limit:
            raise Fault(f"more than {self.limit} instructions")
        return instruction

    # Operands

    def value(self, operand):
        number = REGISTERS.get(operand)
        if number is not None:
            return self.r[number]
        try:
            return int(operand, 0) & MASK
        except (ValueError, TypeError):
            raise UnknownInstruction(f"operand {operand}") from None

    def write(self, operand, value):
        if operand == "0":
            return
        if operand not in REGISTERS:
            raise UnknownInstruction(f"destination {operand}")
        self.r[REGISTERS[operand]] = value & MASK

    @staticmethod
    def pair(operand):
        """`r2r3`, as objdump prints register pairs; the even one."""
        first = operand.split("r")[1] if operand.startswith("r") else ""
        if not first.isdigit() or int(first) % 2:
            raise UnknownInstruction(f"register pair {operand}")
        return int(first)

    # Memory

    def region_of(self, address, size, write):
        for region in self.regions:
            if region.holds(address, size):
                if write and not region.writable:
                    raise Fault(f"a store to {region.name} at {address:#x}")
                return region
        verb = "store" if write else "load"
        near = min(self.regions, key=lambda region: abs(region.base - address))
        raise Fault(
            f"a {verb} of {size} bytes at {address:#x}, outside every buffer "
            f"({near.name} is at {near.base:#x}, {len(near.data)} bytes)"
        )

    def check_alignment(self, address, size):
        # A 64-bit access is of two words: the ABI aligns long long to 4.
        if not self.allow_unaligned and address % min(size, 4):
            raise Fault(f"a misaligned access of {size} bytes at {address:#x}")

    def load(self, address, size):
        self.check_alignment(address, size)
        region = self.region_of(address, size, False)
        start = address - region.base
        return int.from_bytes(region.data[start : start + size], "little")

    def store(self, address, size, value):
        self.check_alignment(address, size)
        region = self.region_of(address, size, True)
        start = address - region.base
        value &= (1 << (8 * size)) - 1
        region.data[start : start + size] = value.to_bytes(size, "little")
        if region.written is not None:
            region.written[start : start + size] = b"\1" * size

    def address_of(self, parts, mode, size):
        """The address that an access uses; writes the base back if asked."""
        base = self.value(parts[0])
        offset = self.value(parts[1]) if len(parts) > 1 else 0
        if mode == "as":
            # A byte cannot be scaled, a pair scales as its words do.
            if size == 1:
                raise UnknownInstruction("a scaled byte access")
            return (base + offset * min(size, 4)) & MASK
        moved = (base + offset) & MASK
        if mode in ("a", "aw", "ab"):
            self.write(parts[0], moved)
        return base if mode == "ab" else moved

    # Execution

    def execute(self, instruction):
        if instruction.name in self.lacks:
            raise Fault(f"the processor lacks {instruction.text}")
        try:
            if instruction.handler is None:
                instruction.handler = self.handler_of(instruction.name)
            instruction.handler(self, instruction)
        except UnknownInstruction as unknown:
            raise UnknownInstruction(
                f"{instruction.address:#x}: {instruction.text} ({unknown})"
            ) from None
        except Fault as fault:
            raise Fault(f"{instruction.text}: {fault}") from None

    @staticmethod
    def handler_of(name):
        if name in ("nop",):
            return lambda machine, instruction: None
        if name in HANDLERS:
            return HANDLERS[name]
        if name in FLAGS_ONLY:
            return Machine.do_compare
        if name in BINARY or name in UNARY:
            return Machine.do_arithmetic
        if name in ACCESS_BYTES:
            return Machine.do_load if name.startswith("ld") else Machine.do_store
        if name[:2] == "br" and name[2:] in COMPARE:
            return Machine.do_compare_branch
        if name[:2] == "lp" and name[2:] in CONDITIONS:
            return Machine.do_lp
        if name in ("bbit0", "bbit1"):
            return Machine.do_bit_branch
        if name[:1] == "b" and name[1:] in CONDITIONS:
            return Machine.do_branch
        if name[:1] == "j" and name[1:] in CONDITIONS:
            return Machine.do_jump
        raise UnknownInstruction("not modelled")

    @staticmethod
    def split_suffixes(instruction, allowed):
        """The condition and whether flags are set."""
        condition, flags = "", False
        for suffix in instruction.suffixes:
            if suffix == "f":
                flags = True
            elif suffix in CONDITIONS:
                condition = suffix
            elif suffix not in allowed:
                raise UnknownInstruction(f"suffix .{suffix}")
        return condition, flags

    def set_flags(self, name, b, c, result):
        low = result & MASK
        if name == "add":
            self.c = b + c > MASK
            self.v = bool(~(b ^ c) & (b ^ low) & 0x80000000)
        elif name in ("sub", "rsub"):
            if name == "rsub":
                b, c = c, b
            self.c = b < c
            self.v = bool((b ^ c) & (b ^ low) & 0x80000000)
        elif name not in LOGICAL:
            raise UnknownInstruction(f"the flags of {name}")
        self.z, self.n = low == 0, bool(low & 0x80000000)

    def do_arithmetic(self, instruction):
        condition, flags = self.split_suffixes(instruction, ())
        if not CONDITIONS[condition](self):
            return
        name, operands = instruction.name, instruction.operands
        b = c = 0
        if len(operands) == 3 and name in BINARY:
            b, c = self.value(operands[1]), self.value(operands[2])
            result = int(BINARY[name](b, c))
        elif len(operands) == 2 and name in UNARY:
            result = UNARY[name](self.value(operands[1]))
        else:
            raise UnknownInstruction("operands")
        if flags:
            self.set_flags(name, b, c, result)
        self.write(operands[0], result)

    def do_compare(self, instruction):
        condition, _ = self.split_suffixes(instruction, ())
        if not CONDITIONS[condition](self):
            return
        b, c = (self.value(operand) for operand in instruction.operands)
        name = FLAGS_ONLY[instruction.name]
        result = b & (1 << (c & 31)) if name == "btst" else BINARY[name](b, c)
        self.set_flags(name, b, c, result)

    def do_load(self, instruction):
        size = ACCESS_BYTES[instruction.name]
        mode = self.access_mode(instruction)
        destination, parts = instruction.operands
        address = self.address_of(parts, mode, size)
        value = self.load(address, size)
        if size == 8:
            first = self.pair(destination)
            self.r[first], self.r[first + 1] = value & MASK, value >> 32
            return
        if "x" in instruction.suffixes:
            value = extend(value, size)
        self.write(destination, value)

    def do_store(self, instruction):
        size = ACCESS_BYTES[instruction.name]
        mode = self.access_mode(instruction)
        source, parts = instruction.operands
        if size == 8 and source.startswith("r"):
            first = self.pair(source)
            value = self.r[first] | self.r[first + 1] << 32
        else:
            value = signed(self.value(source))  # an immediate fills a pair
        self.store(self.address_of(parts, mode, size), size, value)

    def access_mode(self, instruction):
        mode = ""
        for suffix in instruction.suffixes:
            if suffix in ("a", "aw", "ab", "as"):
                mode = suffix
            elif suffix not in ("x", "di"):
                raise UnknownInstruction(f"suffix .{suffix}")
        return mode

    def do_push(self, instruction):
        self.r[SP] = (self.r[SP] - 4) & MASK
        self.store(self.r[SP], 4, self.value(instruction.operands[0]))

    def do_pop(self, instruction):
        self.write(instruction.operands[0], self.load(self.r[SP], 4))
        self.r[SP] = (self.r[SP] + 4) & MASK

    def do_lp(self, instruction):
        if not CONDITIONS[instruction.name[2:]](self):
            self.next_pc = instruction.target
            return
        self.lp_start = instruction.address + instruction.size
        self.lp_end = instruction.target

    @staticmethod
    def check_branch(instruction):
        """A delay slot and a hint is all that a branch may have."""
        for suffix in instruction.suffixes:
            if suffix not in ("d", "nt", "t"):
                raise UnknownInstruction(f"suffix .{suffix}")

    def do_branch(self, instruction):
        self.check_branch(instruction)
        if CONDITIONS[instruction.name[1:]](self):
            self.next_pc = instruction.target

    def do_jump(self, instruction):
        self.check_branch(instruction)
        if CONDITIONS[instruction.name[1:]](self):
            self.next_pc = self.value(instruction.operands[0][0])

    def do_call(self, instruction):
        """The return address lies behind the delay slot, if there is one."""
        after = instruction.address + instruction.size
        if "d" in instruction.suffixes:
            after += self.program.instructions[after].size
        self.r[BLINK] = after
        self.next_pc = instruction.target

    def do_compare_branch(self, instruction):
        self.check_branch(instruction)
        b, c = (self.value(operand) for operand in instruction.operands[:2])
        if COMPARE[instruction.name[2:]](b, c):
            self.next_pc = instruction.target

    def do_count_branch(self, instruction):
        """dbnz: counts a register down and branches while it is not 0."""
        counter = instruction.operands[0]
        self.write(counter, self.value(counter) - 1)
        if self.value(counter) != 0:
            self.next_pc = instruction.target

    def do_bit_branch(self, instruction):
        self.check_branch(instruction)
        b, c = (self.value(operand) for operand in instruction.operands[:2])
        if ((b >> (c & 31)) & 1) == int(instruction.name[-1]):
            self.next_pc = instruction.target

    def do_pair_add(self, instruction):
        """vadd2: two additions side by side; compilers copy pairs with it."""
        to, b, c = instruction.operands
        first = self.pair(to)
        left = self.pair_value(b)
        right = self.pair_value(c)
        for i in range(2):
            self.r[first + i] = (left[i] + right[i]) & MASK

    def pair_value(self, operand):
        if operand.startswith("r"):
            first = self.pair(operand)
            return self.r[first], self.r[first + 1]
        value = self.value(operand)
        return value, value


HANDLERS = {
    "push": Machine.do_push,
    "pop": Machine.do_pop,
    "bl": Machine.do_call,
    "dbnz": Machine.do_count_branch,
    "vadd2": Machine.do_pair_add,
}
