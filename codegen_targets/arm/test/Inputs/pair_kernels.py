"""Prints a manifest: pair_kernels.py tiles for transposes in vector pairs, runs
for runs of words, tables for streams that are looked up, words for transposes
in pairs of words, rows for streams of one vector that are loaded at once, pieces
for tiles of less than a word, far for rows and columns that are far apart."""

import sys

SIZES = {
    "bf16": [(16, 16), (16, 32), (48, 80), (40, 72), (24, 200), (504, 24), (16, 520)],
    "f32": [(8, 8), (16, 8), (32, 48), (20, 36), (24, 600), (256, 12), (132, 136), (8, 1032)],
    "u32": [(37, 53), (8, 301), (301, 8)],
    "i64": [(4, 4), (4, 8), (16, 24), (18, 34), (10, 130), (300, 6), (37, 53), (5, 7)],
}

TILES, RUNS, TABLES, WORDS, ROWS, PIECES, FAR = [], [], [], [], [], [], []
for kind, shapes in SIZES.items():
    for rows, columns in shapes:
        TILES.append((f"{rows}x{columns}x{kind}", "[1, 0]"))
    TILES.append((f"3x32x16x{kind}", "[0, 2, 1]"))
    TILES.append((f"3x32x16x{kind}", "[2, 1, 0]"))
for run in (4, 8, 20, 64, 68, 100, 128, 132, 600):
    RUNS.append((f"3x5x{run}xu8", "[1, 0, 2]"))
for kind, vector in (("u8", 16), ("i16", 8)):
    for columns in (vector, vector + 1, 2 * vector, 3 * vector + 1, 4 * vector, 5 * vector, 71, 8 * vector):
        TABLES.append((f"16x{columns}x{kind}", "[1, 0]"))
        TABLES.append((f"5x16x{columns}x{kind}", "[0, 2, 1]"))
        TABLES.append((f"16x3x{columns}x{kind}", "[2, 1, 0]"))
for kind, sizes in (("u8", (8, 16, 24, 64)), ("i16", (4, 8, 12, 64)), ("f32", (5, 6, 13, 64))):
    for rows in sizes:
        WORDS.append((f"{rows}x{sizes[2]}x{kind}", "[1, 0]"))
        WORDS.append((f"{sizes[1]}x{rows + 4}x{kind}", "[1, 0]"))
        WORDS.append((f"3x{rows}x{sizes[1]}x{kind}", "[0, 2, 1]"))
        WORDS.append((f"{rows}x3x{sizes[0]}x{kind}", "[2, 1, 0]"))
for rows, columns in ((8, 4), (4, 16), (9, 8), (12, 12), (17, 44), (254, 8), (256, 12), (64, 70)):
    WORDS.append((f"{rows}x{columns}xf32", "[1, 0]"))
    WORDS.append((f"3x{rows}x{columns}xf32", "[2, 0, 1]"))
    WORDS.append((f"2x{rows}x{columns}xf32", "[0, 2, 1]"))
for kind, shape in (("u8", "16x16"), ("u8", "8x16"), ("i16", "16x8"), ("i16", "8x8"), ("f32", "8x4")):
    ROWS.append((f"{shape}x{kind}", "[1, 0]"))
    ROWS.append((f"5x{shape}x{kind}", "[0, 2, 1]"))
    ROWS.append((f"3x5x{shape}x{kind}", "[1, 0, 3, 2]"))
for columns in (16, 32, 50):
    TABLES.append((f"32x{columns}xu8", "[1, 0]"))

for kind in ("u8", "i16"):
    PIECES.append((f"6x4x2x{kind}", "[0, 2, 1]"))
    PIECES.append((f"13x13x4x2x{kind}", "[1, 0, 3, 2]"))
    PIECES.append((f"2x10x5x2x3x{kind}", "[1, 2, 0, 4, 3]"))
    PIECES.append((f"9x5x4x12x2x{kind}", "[1, 2, 4, 0, 3]"))
    PIECES.append((f"2x5x3x12x6x{kind}", "[1, 3, 4, 0, 2]"))
    for rows in (2, 3, 5, 6, 7):
        PIECES.append((f"8x{rows}x9x{kind}", "[0, 2, 1]"))
        PIECES.append((f"{rows}x30x{kind}", "[1, 0]"))
        PIECES.append((f"30x{rows}x{kind}", "[1, 0]"))
PIECES.append(("13x2x4xf32", "[0, 2, 1]"))
PIECES.append(("13x4x2xf32", "[0, 2, 1]"))
for shape, perm in (("10x10x11x13", "[3, 2, 1, 0]"), ("7x11x11x7x4", "[3, 2, 1, 0, 4]"), ("13x14x5", "[2, 1, 0]")):
    FAR.append((f"{shape}xf32", perm))
    FAR.append((f"{shape}xf64", perm))
    FAR.append((f"{shape}xu16", perm))
    FAR.append((f"{shape}xbytes6", perm))

KERNELS = {"tiles": TILES, "runs": RUNS, "tables": TABLES, "words": WORDS, "rows": ROWS}
KERNELS.update(pieces=PIECES, far=FAR)
print("kernels:")
for number, (tensor, perm) in enumerate(KERNELS[sys.argv[1]]):
    print(f"  - {{name: k{number}, tensor: {tensor}, perm: {perm}}}")
