"""Tests of the interpreter: each on a few instructions that the assembler made.

    arcsim_test.py FOLDER
"""

import subprocess
import sys
import unittest
from pathlib import Path

from arcsim.build import lacks, link
from arcsim.kernel import KernelCheck, Problem, Wrong
from arcsim.machine import BINARY, UNARY, Fault, Machine, Region
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

    def __init__(self, code, *arguments, cpu="hs38", unaligned=False, writable=True):
        self.region = Region("data", DATA, bytearray(range(64)), writable, bytearray(64))
        self.machine = Machine(assemble(code), [self.region], unaligned, lacks(cpu))
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

    def test_every_operation(self):
        """Against values worked out by hand."""
        b, c = 0x80000012, 0x00000005
        binary = {
            "add": 0x80000017, "add1": 0x8000001C, "add2": 0x80000026,
            "add3": 0x8000003A, "sub": 0x8000000D, "sub1": 0x80000008,
            "sub2": 0x7FFFFFFE, "sub3": 0x7FFFFFEA, "rsub": 0x7FFFFFF3,
            "and": 0, "or": 0x80000017, "xor": 0x80000017, "bic": 0x80000012,
            "asl": 0x00000240, "lsr": 0x04000000, "asr": 0xFC000000,
            "ror": 0x94000000, "bset": 0x80000032, "bclr": 0x80000012,
            "bxor": 0x80000032, "bmsk": 0x00000012, "bmskn": 0x80000000,
            "max": 0x00000005, "min": 0x80000012, "mpy": 0x8000005A,
            "mpyu": 0x8000005A, "mpyw": 0x0000005A, "mpyuw": 0x0000005A,
            "mpymu": 0x00000002, "mpym": 0xFFFFFFFD, "xbfu": 0,
            "divu": 0x1999999D, "remu": 0x00000001, "seteq": 0, "setne": 1,
            "setlt": 1, "setge": 0, "setgt": 0, "setle": 1, "setlo": 0,
            "seths": 1,
        }
        unary = {
            "mov": 0x80000012, "not": 0x7FFFFFED, "neg": 0x7FFFFFEE,
            "abs": 0x7FFFFFEE, "extb": 0x12, "exth": 0x12, "sexb": 0x12,
            "sexh": 0x12, "asl": 0x24, "lsr": 0x40000009, "asr": 0xC0000009,
            "swap": 0x00128000, "swape": 0x12000080,
            "lsr16": 0x8000, "asr16": 0xFFFF8000, "lsr8": 0x00800000,
            "asr8": 0xFF800000,
        }
        self.assertEqual(set(binary), set(BINARY))
        self.assertEqual(set(unary), set(UNARY))
        cases = [(f"{name} r4,r1,r2", x) for name, x in binary.items()]
        cases += [(f"{name} r4,r1", x) for name, x in unary.items()]
        for operation, wanted in cases:
            with self.subTest(operation):
                run = Snippet(f"mov r4,r3\n{operation}\nj [blink]", b, c, 0x55)
                self.assertEqual(run.r[4], wanted)

    def test_bit_fields(self):
        run = Snippet("xbfu r2,r1,r3\nj [blink]", 0xABCD1234, 0, 7 << 5 | 8)
        self.assertEqual(run.r[2], 0x12)

    def flags(self, operation, *arguments):
        """The flags Z, N, C, V behind an operation; C and V start as set."""
        code = f"mov r4,0x80000000\nadd.f 0,r4,r4\n{operation}\nj [blink]"
        machine = Snippet(code, *arguments).machine
        return [int(flag) for flag in (machine.z, machine.n, machine.c, machine.v)]

    def test_flags(self):
        for operation, arguments, wanted in [
            ("add.f r3,r1,r2", (-1, 1), [1, 0, 1, 0]),
            ("add.f r3,r1,r2", (0x7FFFFFFF, 1), [0, 1, 0, 1]),
            ("sub.f r3,r1,r2", (4, 5), [0, 1, 1, 0]),
            ("sub.f r3,r1,r2", (0x80000000, 1), [0, 0, 0, 1]),
            ("rsub.f r3,r1,r2", (5, 4), [0, 1, 1, 0]),
            ("cmp r1,r2", (5, 5), [1, 0, 0, 0]),
            ("rcmp r1,r2", (4, 5), [0, 0, 0, 0]),
            ("and.f r3,r1,r2", (12, 3), [1, 0, 1, 1]),
            ("mov.f r3,r1", (-1,), [0, 1, 1, 1]),
            ("tst r1,r2", (6, 2), [0, 0, 1, 1]),
            ("btst r1,3", (7,), [1, 0, 1, 1]),
        ]:
            with self.subTest(operation, arguments=arguments):
                self.assertEqual(self.flags(operation, *arguments), wanted)

    def test_flags_that_are_not_modelled_fail(self):
        for operation in ("add2.f r3,r1,r2", "sub1.f r3,r1,r2", "asl.f r3,r1,r2"):
            with self.assertRaisesRegex(UnknownInstruction, "the flags of"):
                self.flags(operation, 1, 2)

    def test_pairs(self):
        run = Snippet("mov r2,7\nmov r3,-1\nvadd2 r4,r2,1\nj [blink]")
        self.assertEqual(run.r[4:6], [8, 0])


class MemoryTest(unittest.TestCase):
    def test_widths(self):
        run = Snippet("ldb r1,[r0,3]\nldh r2,[r0,2]\nld r3,[r0,4]\nj [blink]")
        self.assertEqual(run.r[1:4], [3, 0x0302, 0x07060504])

    def test_pairs(self):
        run = Snippet("ldd r2,[r0,8]\nstd r2,[r0,16]\nj [blink]")
        self.assertEqual(run.bytes(16, 8), list(range(8, 16)))

    def test_an_immediate_fills_a_pair(self):
        run = Snippet("std -2,[r0,16]\nj [blink]")
        self.assertEqual(run.bytes(16, 8), [0xFE] + [0xFF] * 7)

    def test_sign_extension(self):
        code = "mov r1,-2\nst r1,[r0]\nldb.x r2,[r0]\nldh.x r3,[r0]\nldh r4,[r0]"
        run = Snippet(code + "\nj [blink]")
        self.assertEqual(run.r[2:5], [0xFFFFFFFE, 0xFFFFFFFE, 0xFFFE])

    def test_the_frame_of_the_caller(self):
        for code in ("st r1,[sp]", "ld r1,[sp,4]"):
            with self.assertRaisesRegex(Fault, "outside every buffer"):
                Snippet(code + "\nj [blink]")

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

    def test_the_count_of_a_loop_is_taken_first(self):
        with self.assertRaisesRegex(Fault, "an lp_count of 0"):
            Snippet("mov lp_count,0\nlp 1f\nadd r1,r1,2\nnop\n1:\nj [blink]", 0)

    def test_a_jump_to_the_end_of_a_loop_leaves_it(self):
        code = "mov lp_count,5\nlp 1f\nadd r1,r1,2\nbreq r1,4,1f\nnop\n1:\nj [blink]"
        self.assertEqual(Snippet(code, 0).r[1], 4)

    def test_counted_branch(self):
        code = "mov r2,3\n1:\nadd r1,r1,5\ndbnz r2,1b\nj [blink]"
        self.assertEqual(Snippet(code, 0).r[1:3], [15, 0])

    def test_conditional_jump(self):
        code = "cmp r1,5\njeq [blink]\nmov r1,7\nj [blink]"
        self.assertEqual(Snippet(code, 5).r[1], 5)
        self.assertEqual(Snippet(code, 4).r[1], 7)

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
        code = code.replace("bbit1", "bbit0")
        self.assertEqual(Snippet(code, 4).r[3], 1)
        self.assertEqual(Snippet(code, 3).r[3], 0)

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
    def test_pairs_need_a_large_core(self):
        for cpu in ("arcem", "hs34"):
            with self.assertRaisesRegex(Fault, "the processor lacks ldd"):
                Snippet("ldd r2,[r0]\nj [blink]", cpu=cpu)
        Snippet("vadd2 r2,r2,0\nj [blink]", cpu="hs34")
        with self.assertRaisesRegex(Fault, "the processor lacks vadd2"):
            Snippet("vadd2 r2,r2,0\nj [blink]", cpu="arcem")

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

    def test_a_move_that_is_wrong_by_a_multiple_of_256(self):
        """Wherever the buffers lie, more than the lowest byte of a label counts."""
        problem = Problem("f", 1, [257], [0], [1], [1])
        code = "add r2,r0,256\nldb r4,[r0]\nmov lp_count,257\nlp 1f\nldb.ab r3,[r0,1]"
        code += "\nstb.ab r3,[r1,1]\n1:\nstb r4,[r1,-1]\nj [blink]"
        check = KernelCheck(assemble(code), problem)
        for shifts in ((0, 0), (1, 3)):
            with self.assertRaisesRegex(Wrong, "byte 256 of dst is not byte 256"):
                check.run(*shifts)

    PARTS = "brhs r2,r3,1f\nadd r4,r0,r2\nadd r5,r1,r2\nldb r6,[r4]\n{}\n1:\nj [blink]"

    def check_parts(self, store):
        program = assemble(self.PARTS.format(store))
        program.symbols["f_part"] = program.symbols["f"]
        return KernelCheck(program, self.problem).run_parts(2)

    def test_parts(self):
        self.assertEqual(self.check_parts("stb r6,[r5]"), 12)
        with self.assertRaisesRegex(Wrong, "part 1 writes a byte of another"):
            self.check_parts("stb r6,[r1]")
        with self.assertRaisesRegex(Wrong, "a part that does not exist wrote"):
            self.check_parts("stb r6,[r5]\n1:\nbrlo r2,r3,1f\nstb r6,[r1]")

    def test_padding(self):
        problem = Problem("f", 1, [2], [0], [1], [2])
        code = "ldh r2,[r0]\nstb r2,[r1]\nstb r2,[r1,1]\nlsr r2,r2,8\nstb r2,[r1,2]"
        with self.assertRaisesRegex(Wrong, "padding"):
            KernelCheck(assemble(code + "\nj [blink]"), problem).run()


if __name__ == "__main__":
    FOLDER = sys.argv[1]
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
