"""Proof that a compiled kernel moves every byte of a tensor to its place.

A kernel's moves do not depend on the data. So it is run on labels: in round k
each byte of src holds byte k of its own offset, and what arrives in dst tells
where it came from. Every access must lie in the buffers, src must not be
written, every byte of every element of dst must be, and no other.
"""

import itertools
from dataclasses import dataclass

from .machine import Fault, Machine, Region

SRC_BASE, DST_BASE = 0x10000000, 0x20000000


class Wrong(Exception):
    """The kernel ran, but did not do what it is for."""


@dataclass
class Problem:
    """Output dim i is input dim perm[i]; strides are in bytes."""

    name: str
    element: int
    shape: list
    perm: list
    src_strides: list
    dst_strides: list

    def dims(self):
        """(size, src stride, dst stride) in output order."""
        return [
            (self.shape[axis], self.src_strides[axis], self.dst_strides[i])
            for i, axis in enumerate(self.perm)
        ]

    def elements(self):
        """(src offset, dst offset) of every element."""
        dims = self.dims()
        # Buffers begin with their lowest byte, whatever the signs of strides.
        first_src = sum((size - 1) * -min(src, 0) for size, src, _ in dims)
        first_dst = sum((size - 1) * -min(dst, 0) for size, _, dst in dims)
        for index in itertools.product(*(range(size) for size, _, _ in dims)):
            yield (
                sum((i * src for i, (_, src, _) in zip(index, dims)), first_src),
                sum((i * dst for i, (_, _, dst) in zip(index, dims)), first_dst),
            )

    def sources(self):
        """For each byte of dst the offset of its byte in src, -1 for padding."""
        moves = list(self.elements())
        end = max((dst for _, dst in moves), default=-self.element) + self.element
        sources = [-1] * end
        for src, dst in moves:
            for i in range(self.element):
                sources[dst + i] = src + i
        return sources

    def src_bytes(self):
        return max((src for src, _ in self.elements()), default=-self.element) + (
            self.element
        )


def dense(sizes, element):
    strides = []
    for size in reversed(sizes):
        strides.insert(0, element)
        element *= max(size, 1)
    return strides


class KernelCheck:
    """Runs one kernel of a program."""

    def __init__(self, program, problem, lacks=frozenset(), allow_unaligned=True):
        self.program, self.problem = program, problem
        self.lacks, self.allow_unaligned = lacks, allow_unaligned
        self.sources = problem.sources()
        self.src_bytes = problem.src_bytes()
        self.rounds = 1
        while self.src_bytes > 1 << (8 * self.rounds):
            self.rounds += 1

    def machine(self, round_number, src_shift, dst_shift):
        labels = bytearray(
            (i >> (8 * round_number)) & 0xFF for i in range(self.src_bytes)
        )
        size = len(self.sources)
        src = Region("src", SRC_BASE + src_shift, labels)
        dst = Region("dst", DST_BASE + dst_shift, bytearray(size), True, bytearray(size))
        return src, dst, Machine(
            self.program, [src, dst], self.allow_unaligned, self.lacks
        )

    def compare(self, dst, round_number, where):
        shift = 8 * round_number
        for offset, source in enumerate(self.sources):
            written = dst.written[offset]
            if source < 0 and written:
                raise Wrong(f"{where}: byte {offset} of dst is padding, was written")
            if source >= 0 and not written:
                raise Wrong(f"{where}: byte {offset} of dst was not written")
            if source >= 0 and dst.data[offset] != (source >> shift) & 0xFF:
                raise Wrong(
                    f"{where}: byte {offset} of dst is not byte {source} of src"
                )

    @staticmethod
    def call(machine, where, name, *arguments):
        try:
            return machine.call(name, *arguments)
        except Fault as fault:
            raise Wrong(f"{where}: {fault}") from None

    def run(self, src_shift=0, dst_shift=0):
        """Runs NAME; returns the instructions it took."""
        name = self.problem.name
        where = f"{name} (src + {src_shift}, dst + {dst_shift})"
        for round_number in range(self.rounds):
            src, dst, machine = self.machine(round_number, src_shift, dst_shift)
            count = self.call(machine, where, name, src.base, dst.base)
            self.compare(dst, round_number, where)
        return count

    def run_parts(self, parts, src_shift=0, dst_shift=0):
        """Runs NAME_part for each part; they must be disjoint and complete.
        Returns the instructions that all of them took."""
        name = f"{self.problem.name}_part"
        where = f"{name} in {parts} parts (src + {src_shift}, dst + {dst_shift})"
        for round_number in range(self.rounds):
            src, dst, machine = self.machine(round_number, src_shift, dst_shift)
            count, by_now = 0, bytearray(len(dst.written))
            for part in range(parts):
                dst.written[:] = bytes(len(dst.written))
                count += self.call(machine, where, name, src.base, dst.base, part, parts)
                if any(a and b for a, b in zip(by_now, dst.written)):
                    raise Wrong(f"{where}: part {part} writes a byte of another part")
                by_now = bytearray(a | b for a, b in zip(by_now, dst.written))
            dst.written[:] = by_now
            self.compare(dst, round_number, where)
        # A part that does not exist moves nothing.
        dst.written[:] = bytes(len(dst.written))
        self.call(machine, where, name, src.base, dst.base, parts, parts)
        self.call(machine, where, name, src.base, dst.base, 0, 0)
        if any(dst.written):
            raise Wrong(f"{where}: a part that does not exist wrote to dst")
        return count
