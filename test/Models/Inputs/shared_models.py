"""Reads every model of a folder and compares with what its INDEX.md says.

    shared_models.py PERMC FOLDER

A row has the file, the number of ops, and kinds like "2x [1,3,?] [0,2,1]".
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

from permc_runs import Permc

permc, folder = Permc(sys.argv[1]), Path(sys.argv[2])
KIND = re.compile(r"(\d+)x (?:[\w.]+ )?\[([^\]]*)\] (\[[\d,]*\]|order not in file|perm missing|blocksize)")


def expected_kinds(text):
    """(shape, order) to count; None for a shape or an order that is not said.
    Nothing if the row does not list all kinds."""
    if "more kinds" in text:
        return None
    kinds = Counter()
    for count, shape, order in KIND.findall(text):
        dims = None if shape == "?" else tuple(int(d) if d.isdigit() else None for d in shape.split(","))
        axes = tuple(map(int, order[1:-1].split(","))) if order.startswith("[") else None
        kinds[dims, axes] += int(count)
    return kinds


def matches(kind, layer):
    """A shape that the file does not declare may be inferred."""
    shape, order = kind
    found = layer["input_shape"] and tuple(layer["input_shape"])
    if shape is not None and found != shape:
        return False
    return order is None or tuple(layer["order"] or ()) == order


read = refused = 0
for row in (folder / "INDEX.md").read_text().splitlines():
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    path = folder / cells[0]
    if path.suffix not in (".onnx", ".xml", ".mlir"):
        continue
    made = permc.run("explain", path, "--report", "-")
    if "does not parse" in row and made.returncode:
        assert made.returncode == 1 and re.search(r":\d+:\d+: ", made.stderr), f"{path}: {made.stderr}"
        refused += 1
        continue
    assert made.returncode == 0, f"{path}: {made.stderr}"
    layers = json.loads(made.stdout)["layers"]
    if "selfmade" in cells[0]:
        shape, order = (json.loads(f"[{part}]") for part in re.findall(r"\[([^\]]*)\]", cells[1]))
        layer, = layers
        assert layer["order"] == order, layer
        assert layer["input_shape"] == [None if size < 0 else size for size in shape], layer
        read += 1
        continue
    assert len(layers) == int(cells[1]), f"{path}: {len(layers)} layers, expected {cells[1]}"
    for layer in layers:
        if "order not in file" in row:
            assert layer["order"] is None and layer["reason"], layer
    left = list(layers)
    for kind, count in sorted((expected_kinds(cells[2]) or {}).items(), key=lambda item: item[0][0] is None):
        for _ in range(count):
            layer = next((each for each in left if matches(kind, each)), None)
            assert layer, f"{path}: no layer of the kind {kind}"
            left.remove(layer)
    read += 1
print(f"{read} models read, {refused} refused")
assert read > 0
