"""Does by permc-opt what `permc compile` does, one pass at a time.

    pass_by_pass.py PERMC PERMC_OPT FOLDER TARGET...

The kernels start as a module written here that names its target; permc has them
from a manifest in FOLDER. After every pass the IR must be what `permc compile
--stop-after PASS` shows, character by character.
"""

import subprocess
import sys
from pathlib import Path

# Each target takes several kinds of kernels for them. Type, bytes, shape, order.
STATIC = [
    ("f32", 4, [64, 96], [1, 0]),
    ("u8", 1, [32, 30, 3], [2, 0, 1]),
    ("u8", 1, [3, 32, 30], [1, 2, 0]),
    ("u16", 2, [5, 1, 8, 16], [0, 3, 1, 2]),
    ("bytes3", 3, [40, 33], [1, 0]),
    ("f32", 4, [6, 8, 10, 128], [2, 1, 0, 3]),
    ("f32", 4, [2000, 3000], [1, 0]),
]
DYNAMIC = [("f32", 4, ["?", 16, "?"], [0, 2, 1])]


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout.strip()


def passes_of(permc, target):
    """The passes for a target, as permc names them if asked for another."""
    done = subprocess.run(
        [permc, "compile", "4x4xf32", "--perm", "1,0", "--target", target]
        + ["--emit", "mlir", "--stop-after", "none", "-o", "-"],
        capture_output=True,
        text=True,
    )
    return done.stderr.split("expected one of ")[1].strip().split(", ")


def static_function(name, element, shape, perm):
    size = element
    for dim in shape:
        size *= dim
    buffer = f"memref<{size}xi8>"
    return (
        f"func.func @{name}(%src: {buffer}, %dst: {buffer}) {{\n"
        f"permc.permute %src, %dst : {buffer}, {buffer} by "
        f"#permc.problem<element = {element}, shape = {shape}, perm = {perm}>\n"
        "return\n}\n"
    )


def dynamic_function(name, element, shape, perm):
    sizes, count = [], 0
    for dim in shape:
        sizes.append(f"?{count}" if dim == "?" else str(dim))
        count += dim == "?"
    types = "memref<?xi8>, memref<?xi8>, memref<?xi64>"
    return (
        f"func.func @{name}(%src: memref<?xi8>, %dst: memref<?xi8>, "
        "%dims: memref<?xi64>) {\n"
        f"permc.dynamic_permute %src, %dst, %dims : {types} by "
        f"#permc.dynamic_problem<element = {element}, "
        f"shape = [{', '.join(sizes)}], perm = {perm}>\nreturn\n}}\n"
    )


def write_kernels(target, kernels, manifest):
    """The module of the kernels; leaves the manifest of the same."""
    text, lines = "", ["kernels:"]
    for number, (kind, element, shape, perm) in enumerate(kernels):
        name = f"k{number}"
        make = dynamic_function if "?" in shape else static_function
        text += make(name, element, shape, perm)
        tensor = "x".join(map(str, shape)) + "x" + kind
        lines += [f"  - name: {name}", f'    tensor: "{tensor}"']
        lines += [f"    perm: {perm}"]
    manifest.write_text("\n".join(lines) + "\n")
    return f'module attributes {{permc.target = "{target}"}} {{\n{text}}}\n'


def main():
    permc, permc_opt, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for target in sys.argv[4:]:
        passes = passes_of(permc, target)
        kernels = STATIC + (DYNAMIC if "permc-expand-dynamic" in passes else [])
        manifest = folder / f"{target}.yaml"
        text = write_kernels(target, kernels, manifest)
        for name in passes:
            text = run([permc_opt, "--" + name], text)
            wanted = run(
                [permc, "compile", "--manifest", manifest, "--target", target]
                + ["--emit", "mlir", "--stop-after", name, "-o", "-"]
            )
            if text != wanted:
                sys.exit(
                    f"{target}: {name} differs\npermc-opt:\n{text}\n\n"
                    f"permc compile:\n{wanted}"
                )
        print(f"{target}: the same after each of {', '.join(passes)}")


if __name__ == "__main__":
    main()
