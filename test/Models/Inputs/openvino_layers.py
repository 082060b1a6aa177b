"""What permc finds in OpenVINO IR.  openvino_layers.py PERMC"""

import sys

from ir_model import FORMATS, Ir
from permc_runs import Permc, expect

permc = Permc(sys.argv[1])

# An order of every integer type, in both versions.
for version in ("10", "11"):
    for kind in FORMATS:
        ir = Ir(version)
        ir.result(ir.transpose(ir.parameter([2, 3, 4, 5]), [0, 3, 1, 2], kind=kind, name="t"))
        ir.write("typed.xml")
        report = permc.report("typed.xml")
        assert report["format"] == f"OpenVINO IR {version}"
        layer, = report["layers"]
        expect(layer, name="t", op="Transpose", input_shape=[2, 3, 4, 5], order=[0, 3, 1, 2],
               output_shape=[2, 5, 3, 4], bytes=480, kernel="typed_permute_2x3x4x5xf32_0312")
        expect(layer, **{"class": "move"})
        assert layer["predicted_ns"] > 0

# The empty order reverses; classes; element types; sub-byte elements.
ir = Ir()
source = ir.parameter([2, 3, 4])
ir.transpose(source, [], name="reversed")
ir.transpose(source, [0, 1, 2], name="same")
ones = ir.parameter([1, 1, 3, 3])
ir.transpose(ones, [2, 1, 3, 0], name="reshaped")
halves = ir.parameter([8, 6], precision="FP16")
ir.transpose(halves, [1, 0], name="halves")
nibbles = ir.parameter([8, 6], precision="U4")
ir.transpose(nibbles, [1, 0], name="nibbles")
ir.write("classes.xml")
layers = permc.layers("classes.xml")
expect(layers["reversed"], order=[2, 1, 0], output_shape=[4, 3, 2])
expect(layers["same"], **{"class": "noop"}, predicted_ns=0)
expect(layers["reshaped"], **{"class": "reshape"}, predicted_ns=0)
expect(layers["halves"], element="f16", bytes=96)
expect(layers["nibbles"], order=[1, 0], kernel=None, element=None, bytes=None, **{"class": "move"})
assert "u4" in layers["nibbles"]["reason"]

# Names that are there more than once.
ir = Ir()
source = ir.parameter([2, 3])
for name in ("t", "t", "t#1", "t", "u"):
    ir.result(ir.transpose(source, [1, 0], name=name))
ir.write("again.xml")
names = [layer["name"] for layer in permc.report("again.xml")["layers"]]
assert names == ["t", "t#2", "t#1", "t#3", "u"], names

# What comes with the call.
ir = Ir()
ranged = ir.parameter([-1, 3, -1, -1], data="1..8,3,?,16..")
ir.transpose(ranged, [0, 2, 3, 1], name="ranged")
anything = ir.parameter([], data="...")
ir.transpose(anything, [1, 0], gives=[], name="any_rank")
ir.transpose(anything, [], gives=[], name="any_reversed")
order = ir.parameter([4])
ir.layer("Transpose", [ranged, order], [-1, -1, -1, -1], name="any_order")
ir.write("dynamic.xml")
layers = permc.layers("dynamic.xml")
expect(layers["ranged"], input_shape=[None, 3, None, None], output_shape=[None, None, None, 3],
       kernel="dynamic_permute_Nx3xNxNxf32_0231", bytes=None, predicted_ns=None)
expect(layers["any_rank"], input_shape=None, order=[1, 0], output_shape=[None, None], kernel=None)
expect(layers["any_reversed"], input_shape=None, order=None, output_shape=None, kernel=None)
expect(layers["any_order"], input_shape=[None, 3, None, None], order=None,
       output_shape=[None] * 4, kernel=None)
for name in ("any_rank", "any_reversed", "any_order"):
    assert layers[name]["reason"].startswith("run-time: permc_rt"), layers[name]

# Permutes by other names.
ir = Ir()
image = ir.parameter([1, 16, 6, 4])
ir.layer("DepthToSpace", [image], [1, 4, 12, 8], 'block_size="2" mode="blocks_first"', name="blocks")
ir.layer("DepthToSpace", [image], [1, 4, 12, 8], 'block_size="2" mode="depth_first"', name="depth")
ir.layer("SpaceToDepth", [image], [1, 64, 3, 2], 'block_size="2" mode="blocks_first"', name="space")
ir.layer("SpaceToDepth", [image], [1, 64, 3, 2], 'block_size="2" mode="depth_first"', name="space_depth")
ir.layer("ShuffleChannels", [image], [1, 16, 6, 4], 'axis="1" group="4"', name="shuffle")
volume = ir.parameter([1, 16, 3, 4, 5])
ir.layer("DepthToSpace", [volume], [1, 2, 6, 8, 10], 'block_size="2" mode="blocks_first"', name="volume")
ir.write("blocks.xml")
layers = permc.layers("blocks.xml")
expect(layers["blocks"], view_shape=[1, 2, 2, 4, 6, 4], order=[0, 3, 4, 1, 5, 2])
expect(layers["depth"], view_shape=[1, 4, 2, 2, 6, 4], order=[0, 1, 4, 2, 5, 3])
expect(layers["space"], view_shape=[1, 16, 3, 2, 2, 2], order=[0, 3, 5, 1, 2, 4])
expect(layers["space_depth"], view_shape=[1, 16, 3, 2, 2, 2], order=[0, 1, 3, 5, 2, 4])
expect(layers["shuffle"], view_shape=[1, 4, 4, 6, 4], order=[0, 2, 1, 3, 4])
expect(layers["volume"], view_shape=[1, 2, 2, 2, 2, 3, 4, 5], order=[0, 4, 5, 1, 6, 2, 7, 3],
       output_shape=[1, 2, 6, 8, 10])

# A shuffle of channels by reshapes, and the same kernel for it.
ir = Ir()
image = ir.parameter([1, 16, 6, 4])
apart = ir.reshape(image, [1, 4, 4, 6, 4])
ir.result(ir.reshape(ir.transpose(apart, [0, 2, 1, 3, 4], name="swap"), [1, 16, 6, 4]))
ir.layer("ShuffleChannels", [image], [1, 16, 6, 4], 'axis="1" group="4"', name="shuffle")
ir.write("sandwich.xml")
report = permc.report("sandwich.xml")
layers = {layer["name"]: layer for layer in report["layers"]}
assert layers["swap"]["reshaped"]["pattern"] == "Reshape-Transpose-Reshape"
assert layers["swap"]["reshaped"]["input_shape"] == [1, 16, 6, 4]
assert layers["swap"]["kernel"] == layers["shuffle"]["kernel"]
assert len(report["kernels"]) == 1

# Rows: composed, removable, through reshapes, and not where others look on.
ir = Ir()
a = ir.transpose(ir.parameter([2, 3, 4, 5]), [0, 2, 3, 1], name="to")
ir.result(ir.transpose(a, [0, 3, 1, 2], name="fro"))
b = ir.transpose(ir.parameter([6, 7, 8]), [1, 0, 2], name="one")
b = ir.transpose(b, [0, 2, 1], name="two")
ir.result(ir.transpose(b, [2, 1, 0], name="three"))
c = ir.transpose(ir.parameter([8, 6]), [1, 0], name="before")
ir.result(ir.transpose(ir.reshape(c, [6, 2, 4]), [1, 0, 2], name="after"))
d = ir.transpose(ir.parameter([9, 6]), [1, 0], name="shared")
ir.result(d)
ir.result(ir.transpose(d, [1, 0], name="alone"))
e = ir.transpose(ir.parameter([4, 6]), [1, 0], name="even")
ir.result(ir.transpose(ir.reshape(e, [3, 8]), [1, 0], name="odd"))
ir.write("rows.xml")
report = permc.report("rows.xml")
chains = {tuple(chain["layers"]): chain for chain in report["chains"]}
assert set(chains) == {("to", "fro"), ("one", "two", "three"), ("before", "after"),
                       ("even", "odd")}, list(chains)
assert chains["to", "fro"]["removable"] and chains["to", "fro"]["class"] == "noop"
assert chains["one", "two", "three"]["order"] == [0, 2, 1]
assert not chains["one", "two", "three"]["removable"]
assert chains["before", "after"]["view_shape"] == [2, 4, 6]
assert chains["before", "after"]["order"] == [0, 2, 1]

# Equal at heart: one kernel.
ir = Ir()
for shape, order in [([1, 6, 5, 4], [0, 2, 3, 1]), ([6, 20], [1, 0]), ([2, 3, 1, 20], [3, 2, 0, 1])]:
    ir.transpose(ir.parameter(shape), order)
ir.write("equal.xml")
report = permc.report("equal.xml")
assert len(report["layers"]) == 3 and len(report["kernels"]) == 1, report["kernels"]

# Bodies of loops and branches.
body = Ir()
body.result(body.transpose(body.parameter([3, 4]), [1, 0], name="inner"))
ir = Ir()
ir.data = body.data
ir.layer("TensorIterator", [ir.parameter([3, 4])], [4, 3], name="loop", inner=f"<body>{body.graph()}</body>")
ir.layer("If", [ir.parameter([1])], [4, 3], name="if",
         inner=f"<then_body>{body.graph()}</then_body><else_body>{body.graph()}</else_body>")
ir.write("bodies.xml")
assert set(permc.layers("bodies.xml")) == {"loop/inner", "if/then_body/inner", "if/else_body/inner"}

# Constants that are elsewhere.
ir = Ir()
ir.transpose(ir.parameter([2, 3]), [1, 0], name="t")
ir.write("elsewhere.xml")
with open("elsewhere.bin", "w") as pointer:
    pointer.write("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 16\n")
layer = permc.layers("elsewhere.xml")["t"]
expect(layer, order=None, kernel=None, output_shape=[3, 2])
assert "Git LFS" in layer["reason"]
import os
os.remove("elsewhere.bin")
assert "elsewhere.bin, which is missing" in permc.layers("elsewhere.xml")["t"]["reason"]
print("all layers found")
