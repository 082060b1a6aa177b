"""ONNX models that are wrong on purpose.  onnx_hostile.py PERMC"""

import random
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from permc_runs import Permc

permc = Permc(sys.argv[1])
node = helper.make_node


def model(nodes, shape=(2, 3, 4), outputs=("t",), **more):
    graph = helper.make_graph(nodes, "test", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [onnx.ValueInfoProto(name=name) for name in outputs], **more)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])


def refuse(name, made, *patterns):
    Path(f"{name}.onnx").write_bytes(made.SerializeToString())
    permc.refused(f"{name}.onnx", *patterns)


def turn(**attributes):
    return node("Transpose", ["x"], ["t"], name="turn", **attributes)


# Orders and blocks.
LAYER = r"layer 'turn' \(Transpose\)"
refuse("short", model([turn(perm=[1, 0])]), LAYER)
refuse("twice", model([turn(perm=[0, 0, 1])]), LAYER)
refuse("far", model([turn(perm=[0, 1, 3])]), LAYER)
refuse("below", model([turn(perm=[0, 1, -1])]), LAYER)
refuse("floats", model([turn(perm=[0.5, 1.0, 2.0])]), LAYER, "no list of integers")
refuse("overflow", model([turn(perm=[1, 0])], (1 << 40, 1 << 40)), LAYER, "63 bits")
refuse("no_block", model([node("DepthToSpace", ["x"], ["t"], name="d")], (1, 4, 2, 2)), "layer 'd'", "blocksize")
refuse("odd", model([node("DepthToSpace", ["x"], ["t"], name="d", blocksize=2)], (1, 6, 2, 2)), "no multiple of 4")
refuse("mode", model([node("DepthToSpace", ["x"], ["t"], name="d", blocksize=2, mode="XYZ")], (1, 4, 2, 2)), "XYZ")
for block in (0, -3, 1 << 40):
    refuse("block", model([node("SpaceToDepth", ["x"], ["t"], name="d", blocksize=block)], (1, 4, 2, 2)), "layer 'd'")
refuse("no_input", model([node("Transpose", [], ["t"], name="turn")]), LAYER, "expected an input")

# Graphs.
refuse("same", model([turn(perm=[0, 1, 2]), node("Relu", ["x"], ["t"])]), "'t' is made by two nodes")
refuse("itself", model([node("Relu", ["t"], ["t"], name="r")]), "layer 'r'", "cycle")
refuse("cycle", model([node("Relu", ["b"], ["a"], name="p"), node("Relu", ["a"], ["b"], name="q")]), "cycle")
refuse("no_graph", onnx.ModelProto(ir_version=8), "there is no graph")


# Data in other files.
def external(**entries):
    tensor = TensorProto(name="w", dims=[2], data_type=TensorProto.INT64, data_location=TensorProto.EXTERNAL)
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=str(value))
    return model([turn(perm=[0, 2, 1])], initializer=[tensor])


Path("inside.bin").write_bytes(bytes(16))
Path("link.bin").symlink_to("/etc/hostname")
for location in ("/etc/passwd", "../outside.bin", "a/../../outside.bin", "", "link.bin"):
    refuse("outside", external(location=location), "the tensor 'w'", "outside the folder of the model")
refuse("past", external(location="inside.bin", offset=8), "16 bytes at offset 8 of a file that has 16")
refuse("offset", external(location="inside.bin", offset=-8), "offset '-8'")
refuse("length", external(location="inside.bin", length=1 << 62), "the tensor 'w'")
tensor = TensorProto(name="w", dims=[1 << 40, 1 << 40], data_type=TensorProto.FLOAT)
refuse("tensor", model([turn(perm=[0, 2, 1])], initializer=[tensor]), "the tensor 'w'", "63 bits")
tensor = TensorProto(name="w", dims=[-1], data_type=TensorProto.FLOAT)
refuse("negative", model([turn(perm=[0, 2, 1])], initializer=[tensor]), "the tensor 'w'")

# Bytes.
whole = model([turn(perm=[0, 2, 1])], initializer=[numpy_helper.from_array(np.arange(64), "w")]).SerializeToString()
Path("cut.onnx").write_bytes(whole[:-7])
permc.refused("cut.onnx", "cut off or damaged")
Path("empty.onnx").write_bytes(b"")
permc.refused("empty.onnx", "no graph")
Path("noise.onnx").write_bytes(bytes(range(256)) * 16)
permc.refused("noise.onnx")
permc.refused("missing.onnx", "No such file")
# However it is damaged, there is an answer.
random.seed(25)
for _ in range(30):
    damaged = bytearray(whole)
    for _ in range(random.randint(1, 4)):
        damaged[random.randrange(len(damaged))] = random.randrange(256)
    Path("damaged.onnx").write_bytes(damaged)
    made = permc.run("explain", "damaged.onnx", "--report", "-")
    assert made.returncode in (0, 1) and "crashed" not in made.stderr, made.stderr

# Nested too deep for the parser, and for nobody else.
inner = helper.make_graph([turn(perm=[0, 2, 1])], "inner", [], [])
for _ in range(60):
    inner = helper.make_graph([node("If", ["c"], ["t"], name="if", then_branch=inner)], "outer", [], [])
deep = onnx.ModelProto(ir_version=8)
deep.graph.CopyFrom(inner)
Path("deep.onnx").write_bytes(deep.SerializeToString())
permc.refused("deep.onnx", "cut off or damaged")

# A hundred thousand layers are no error.
nodes = [node("Transpose", [f"v{i}" if i else "x"], [f"v{i + 1}"], perm=[0, 2, 1]) for i in range(100000)]
Path("many.onnx").write_bytes(model(nodes, outputs=["v100000"]).SerializeToString())
report = permc.report("many.onnx")
assert len(report["layers"]) == 100000 and report["chains"][0]["removable"]
print("all refused")
