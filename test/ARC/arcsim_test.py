"""Tests of the interpreter: each on a few instructions that the assembler made.

    arcsim_test.py FOLDER
"""

import subprocess
import sys
import unittest
from pathlib import Path

from arcsim.build import link
from arcsim.kernel import KernelCheck, Problem, Wrong
from arcsim.machine import Fault, Machine, Region
from arcsim.program import UnknownInstruction, load, parse_instruction

FOLDER = None
DATA = 0x100000


def assemble(code, cpu="hs38"):
    """A program with one function f."""
    source = f".cpu {cpu}\n.text\n.global f\n.type f,@function\nf:\n{code}\n"
    stem = Path(FOLDER) / "snippet"
    stem.with_suffix(".s").write_text(source)
    subprocess.run(
        ["arc-linux-gnu-as", stem.with_suffix(".s"), "-o", stem.with_suffix(".o")],
        check=True,
    )
    link([str(stem.with_suffix(".o"))], str(stem))
    return load(str(stem))


class Snippet:
    """Runs code with r0 pointing to 64 bytes of data."""

    def __init__(self, code, *arguments, hs=True, unaligned=False, writable=True):
        self.region = Region("data", DATA, bytearray(range(64)), writable, bytearray(64))
        cpu = "hs38" if hs or "ldd" in code else "em"
        self.machine = Machine(assemble(code, cpu), [self.region], unaligned, hs)
        self.count = self.machine.call("f", DATA, *arguments)
        self.r = self.machine.r

    def bytes(self, first, count):
        return list(self.region.data[first : first + count])


class ArithmeticTest(unittest.TestCase):
    def test_moves_and_sums(self):
        run = Snippet("mov r1,5\nadd r2,r1,7\nsub r3,r2,20\nj [blink]")
        self.assertEqual(run.r[1:4], [5, 12, 0xFFFFFFF8])
        self.assertEqual(run.count, 4)

    def test_shifted_sums(self):
        run = Snippet("mov r1,3\nadd1 r2,r1,r1\nadd3 r3,r1,r1\nsub2 r4,r3,r1\nj [blink]")
        self.assertEqual(run.r[2:5], [9, 27, 15])

    def test_shifts(self):
        run = Snippet(
            "mov r1,0x80000010\nlsr r2,r1,4\nasr r3,r1,4\nasl r4,r1,4\nj [blink]"
        )
        self.assertEqual(run.r[2:5], [0x08000001, 0xF8000001, 0x100])

    def test_extensions(self):
        run = Snippet("mov r1,0x12F4\nextb r2,r1\nsexb r3,r1\nexth r4,r1\nj [blink]")
        self.assertEqual(run.r[2:5], [0xF4, 0xFFFFFFF4, 0x12F4])

    def test_conditional_execution(self):
        run = Snippet("cmp r1,r2\nmov.lo r3,1\nmov.hs r3,2\nj [blink]", 5, 5)
        self.assertEqual(run.r[3], 2)
        run = Snippet("cmp r1,r2\nmov.lo r3,1\nmov.hs r3,2\nj [blink]", 4, 5)
        self.assertEqual(run.r[3], 1)

    def test_signed_and_unsigned_comparison(self):
        code = "mov r3,0\nmov r4,0\ncmp r1,r2\nmov.lt r3,1\nmov.lo r4,1\nj [blink]"
        run = Snippet(code, -1, 1)
        self.assertEqual(run.r[3:5], [1, 0])

    def test_flags_of_a_sum(self):
        code = "mov r3,0\nadd.f r2,r1,1\nmov.eq r3,1\nj [blink]"
        self.assertEqual(Snippet(code, -1).r[2:4], [0, 1])


class MemoryTest(unittest.TestCase):
    def test_widths(self):
        run = Snippet("ldb r1,[r0,3]\nldh r2,[r0,2]\nld r3,[r0,4]\nj [blink]")
        self.assertEqual(run.r[1:4], [3, 0x0302, 0x07060504])

    def test_pairs(self):
        run = Snippet("ldd r2,[r0,8]\nstd r2,[r0,16]\nj [blink]")
        self.assertEqual(run.bytes(16, 8), list(range(8, 16)))

    def test_write_back(self):
        run = Snippet("ld.ab r1,[r0,8]\nld.aw r2,[r0,4]\nj [blink]")
        self.assertEqual(run.r[1:3], [0x03020100, 0x0F0E0D0C])
        self.assertEqual(run.r[0], DATA + 12)

    def test_scaled_offsets(self):
        run = Snippet("mov r1,3\nld.as r2,[r0,r1]\nldh.as r3,[r0,r1]\nj [blink]")
        self.assertEqual(run.r[2:4], [0x0F0E0D0C, 0x0706])

    def test_marks_what_is_written(self):
        run = Snippet("mov r1,-1\nsth r1,[r0,6]\nj [blink]")
        self.assertEqual(list(run.region.written[5:9]), [0, 1, 1, 0])

    def test_push_and_pop(self):
        run = Snippet("push r13\nmov r13,7\nmov r1,r13\npop r13\nj [blink]")
        self.assertEqual(run.r[1], 7)

    def test_out_of_bounds(self):
        for code in ("ldb r1,[r0,64]", "ldb r1,[r0,-1]", "ld r1,[r0,61]"):
            with self.assertRaisesRegex(Fault, "outside every buffer"):
                Snippet(code + "\nj [blink]", unaligned=True)

    def test_read_only(self):
        with self.assertRaisesRegex(Fault, "a store to data"):
            Snippet("stb r1,[r0]\nj [blink]", writable=False)

    def test_alignment(self):
        for code in ("ld r1,[r0,2]", "ldh r1,[r0,1]", "ldd r2,[r0,2]"):
            with self.assertRaisesRegex(Fault, "misaligned"):
                Snippet(code + "\nj [blink]")
            Snippet(code + "\nj [blink]", unaligned=True)
        Snippet("ldd r2,[r0,4]\nj [blink]")


class ControlTest(unittest.TestCase):
    def test_zero_overhead_loop(self):
        run = Snippet(
            "mov lp_count,5\nlp 1f\nadd r1,r1,2\nnop\n1:\nmov r2,r1\nj [blink]", 0
        )
        self.assertEqual(run.r[2], 10)
        self.assertEqual(run.count, 2 + 5 * 2 + 2)

    def test_loop_that_is_skipped(self):
        run = Snippet(
            "cmp r1,0\nmov lp_count,r1\nlpne 1f\nadd r2,r2,2\n1:\nj [blink]", 0, 9
        )
        self.assertEqual(run.r[2], 9)

    def test_delay_slots(self):
        run = Snippet("b.d 1f\nmov r1,1\nmov r1,2\n1:\nj.d [blink]\nmov r2,3")
        self.assertEqual(run.r[1:3], [1, 3])

    def test_delay_slot_of_a_branch_not_taken(self):
        run = Snippet("brne.d r1,r1,1f\nmov r2,1\nmov r3,2\n1:\nj [blink]", 4, 0, 0)
        self.assertEqual(run.r[2:4], [1, 2])

    def test_compare_and_branch(self):
        code = "mov r3,0\n1:\nadd r3,r3,1\nbrlo r3,r1,1b\nj [blink]"
        self.assertEqual(Snippet(code, 6).r[3], 6)

    def test_bit_branch(self):
        code = "mov r3,0\nbbit1 r1,2,1f\nmov r3,1\n1:\nj [blink]"
        self.assertEqual(Snippet(code, 4).r[3], 0)
        self.assertEqual(Snippet(code, 3).r[3], 1)

    def test_calls(self):
        run = Snippet(
            "push blink\nbl g\nadd r1,r1,1\npop blink\nj [blink]\ng:\n"
            "j.d [blink]\nmov r1,41"
        )
        self.assertEqual(run.r[1], 42)

    def test_saved_registers_must_come_back(self):
        with self.assertRaisesRegex(Fault, "did not restore r14"):
            Snippet("mov r14,1\nj [blink]")

    def test_endless_loops_end(self):
        program = assemble("1:\nb 1b")
        with self.assertRaisesRegex(Fault, "more than 1000 instructions"):
            Machine(program, [], limit=1000).call("f")


class LegalityTest(unittest.TestCase):
    def test_em_has_no_pairs(self):
        with self.assertRaisesRegex(Fault, "EM lacks"):
            Snippet("ldd r2,[r0]\nj [blink]", hs=False)

    def test_unknown_instructions_fail(self):
        with self.assertRaisesRegex(UnknownInstruction, "not modelled"):
            Snippet("sync\nj [blink]")

    def test_unknown_operands_fail(self):
        instruction = parse_instruction(0, "2000", "add\tr0,r1,pcl")
        machine = Machine(assemble("j [blink]"), [])
        with self.assertRaisesRegex(UnknownInstruction, "operand pcl"):
            machine.execute(instruction)


class KernelTest(unittest.TestCase):
    """The check must find each kind of wrong kernel."""

    problem = Problem("f", 1, [2], [0], [1], [1])

    def check(self, code):
        return KernelCheck(assemble(code), self.problem).run()

    def test_right(self):
        code = "ldb r2,[r0]\nldb r3,[r0,1]\nstb r2,[r1]\nstb r3,[r1,1]\nj [blink]"
        self.assertEqual(self.check(code), 5)

    def test_wrong_places(self):
        with self.assertRaisesRegex(Wrong, "byte 0 of dst is not byte 0 of src"):
            self.check(
                "ldb r2,[r0]\nldb r3,[r0,1]\nstb r3,[r1]\nstb r2,[r1,1]\nj [blink]"
            )

    def test_incomplete(self):
        with self.assertRaisesRegex(Wrong, "byte 1 of dst was not written"):
            self.check("ldb r2,[r0]\nstb r2,[r1]\nj [blink]")

    def test_too_far(self):
        with self.assertRaisesRegex(Wrong, "outside every buffer"):
            self.check("ld r2,[r0]\nstb r2,[r1]\nj [blink]")

    def test_padding(self):
        problem = Problem("f", 1, [2], [0], [1], [2])
        code = "ldh r2,[r0]\nstb r2,[r1]\nstb r2,[r1,1]\nlsr r2,r2,8\nstb r2,[r1,2]"
        with self.assertRaisesRegex(Wrong, "padding"):
            KernelCheck(assemble(code + "\nj [blink]"), problem).run()


if __name__ == "__main__":
    FOLDER = sys.argv[1]
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
