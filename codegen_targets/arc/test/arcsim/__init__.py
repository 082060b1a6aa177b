"""A test-only interpreter for ARCv2 machine code; see machine.py."""
