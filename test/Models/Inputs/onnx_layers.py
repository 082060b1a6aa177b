"""What permc finds in ONNX models, made here.  onnx_layers.py PERMC"""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from permc_runs import Permc, expect

permc = Permc(sys.argv[1])
FLOAT = TensorProto.FLOAT


def value(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def save(path, nodes, inputs, outputs, **more):
    """Outputs are names: the tests are about what nobody declared."""
    functions, opset = more.pop("functions", []), more.pop("opset", 13)
    graph = helper.make_graph(nodes, "test", inputs, [onnx.ValueInfoProto(name=name) for name in outputs], **more)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("own", 1)]
    onnx.save(helper.make_model(graph, opset_imports=imports, functions=functions), path)


node = helper.make_node

# Orders, symbolic dims, element types, shapes that only inference knows.
save("plain.onnx",
     [node("Transpose", ["x"], ["a"], perm=[0, 2, 1]), node("Transpose", ["x"], ["b"]),
      node("Relu", ["x"], ["r"]), node("Transpose", ["r"], ["c"], name="inferred", perm=[2, 0, 1]),
      node("Transpose", ["h"], ["d"], perm=[1, 0]), node("Transpose", ["u"], ["e"], perm=[1, 0]),
      node("Transpose", ["text"], ["f"], perm=[1, 0]), node("Transpose", ["x"], ["g"], perm=[0, 1, 2])],
     [value("x", [2, 3, 4]), value("h", ["batch", 8], TensorProto.FLOAT16), value("u", None),
      value("text", [2, 3], TensorProto.STRING)],
     ["a", "b", "c", "d", "e", "f", "g"])
layers = permc.layers("plain.onnx")
expect(layers["a"], op="Transpose", input_shape=[2, 3, 4], order=[0, 2, 1], output_shape=[2, 4, 3],
       element="f32", bytes=96, kernel="plain_permute_2x3x4xf32_021")
expect(layers["b"], order=[2, 1, 0], output_shape=[4, 3, 2])
expect(layers["inferred"], input_shape=[2, 3, 4], order=[2, 0, 1])
expect(layers["d"], input_shape=[None, 8], element="f16", kernel="plain_permute_Nx8xf16_10", bytes=None)
expect(layers["e"], input_shape=None, order=[1, 0], output_shape=[None, None], kernel=None)
assert layers["e"]["reason"].startswith("run-time: permc_rt")
expect(layers["f"], order=[1, 0], kernel=None)
assert "cannot be moved as bytes" in layers["f"]["reason"]
expect(layers["g"], **{"class": "noop"})

# Blocks; reshapes by initializers and Constant nodes; rows.
shape = numpy_helper.from_array(np.array([1, 4, 4, 6, 4], np.int64))
save("blocks.onnx",
     [node("DepthToSpace", ["x"], ["dcr"], blocksize=2), node("DepthToSpace", ["x"], ["crd"], blocksize=2, mode="CRD"),
      node("SpaceToDepth", ["x"], ["s"], blocksize=2),
      node("Constant", [], ["apart"], value=shape), node("Reshape", ["x", "apart"], ["r"]),
      node("Transpose", ["r"], ["swap"], perm=[0, 2, 1, 3, 4]), node("Reshape", ["swap", "together"], ["shuffled"]),
      node("Transpose", ["x"], ["to"], perm=[0, 2, 3, 1]), node("Transpose", ["to"], ["fro"], perm=[0, 3, 1, 2])],
     [value("x", [1, 16, 6, 4])], ["dcr", "crd", "s", "shuffled", "fro"],
     initializer=[numpy_helper.from_array(np.array([1, 16, 6, 4], np.int64), "together")])
report = permc.report("blocks.onnx")
layers = {layer["name"]: layer for layer in report["layers"]}
expect(layers["dcr"], view_shape=[1, 2, 2, 4, 6, 4], order=[0, 3, 4, 1, 5, 2], output_shape=[1, 4, 12, 8])
expect(layers["crd"], view_shape=[1, 4, 2, 2, 6, 4], order=[0, 1, 4, 2, 5, 3], output_shape=[1, 4, 12, 8])
expect(layers["s"], view_shape=[1, 16, 3, 2, 2, 2], order=[0, 3, 5, 1, 2, 4], output_shape=[1, 64, 3, 2])
assert layers["swap"]["reshaped"]["output_shape"] == [1, 16, 6, 4]
chain, = report["chains"]
assert chain["layers"] == ["to", "fro"] and chain["removable"]

# Graphs within nodes see the values round them.
then = helper.make_graph([node("Transpose", ["x"], ["t"], name="turn", perm=[1, 0])], "then", [],
                         [value("t", [4, 3])])
otherwise = helper.make_graph([node("Transpose", ["y"], ["o"], name="turn", perm=[1, 0])], "else", [],
                              [value("o", [4, 3])])
body = helper.make_graph(
    [node("Identity", ["more"], ["go"]), node("Transpose", ["state"], ["next"], name="turn", perm=[1, 0])], "body",
    [value("i", [], TensorProto.INT64), value("more", [], TensorProto.BOOL), value("state", [5, 5])],
    [value("go", [], TensorProto.BOOL), value("next", [5, 5])])
save("graphs.onnx",
     [node("If", ["c"], ["branch"], name="if", then_branch=then, else_branch=otherwise),
      node("Loop", ["n", "c", "s"], ["last"], name="loop", body=body)],
     [value("x", [3, 4]), value("y", [3, 4]), value("c", [], TensorProto.BOOL), value("n", [], TensorProto.INT64),
      value("s", [5, 5])], ["branch", "last"])
layers = permc.layers("graphs.onnx")
assert set(layers) == {"if/then_branch/turn", "if/else_branch/turn", "loop/body/turn"}, set(layers)
expect(layers["if/then_branch/turn"], input_shape=[3, 4], kernel="graphs_permute_3x4xf32_10")
expect(layers["loop/body/turn"], input_shape=[5, 5])

# Functions have the types of their calls; an order may come with the call.
turn = helper.make_function("own", "turn", ["a"], ["b"], [node("Transpose", ["a"], ["b"], name="t", perm=[1, 0])],
                            [helper.make_opsetid("", 13)])
by = node("Transpose", ["a"], ["b"], name="t")
by.attribute.append(onnx.AttributeProto(name="perm", ref_attr_name="axes", type=onnx.AttributeProto.INTS))
ordered = helper.make_function("own", "ordered", ["a"], ["b"], [by], [helper.make_opsetid("", 13)], ["axes"])
save("functions.onnx",
     [node("turn", ["x"], ["p"], domain="own"), node("turn", ["y"], ["q"], domain="own"),
      node("ordered", ["z"], ["r"], domain="own", axes=[2, 0, 1])],
     [value("x", [3, 4]), value("y", [3, 4]), value("z", [2, 3, 4])], ["p", "q", "r"], functions=[turn, ordered])
layers = permc.layers("functions.onnx")
expect(layers["turn/t"], input_shape=[3, 4], order=[1, 0], kernel="functions_permute_3x4xf32_10")
expect(layers["ordered/t"], input_shape=[2, 3, 4], order=[2, 0, 1])

# Calls that differ in types or attributes are layers of their own, also those of
# functions within functions; calls that are alike are one.
twice = helper.make_function("own", "twice", ["a"], ["b"], [node("turn", ["a"], ["m"], name="inner", domain="own"),
                                                            node("Relu", ["m"], ["b"])],
                             [helper.make_opsetid("", 13), helper.make_opsetid("own", 1)])
save("calls.onnx",
     [node("turn", ["x"], ["p"], name="one", domain="own"), node("twice", ["z"], ["q"], name="two", domain="own"),
      node("turn", ["x"], ["o"], name="again", domain="own"),
      node("ordered", ["w"], ["r"], name="three", domain="own", axes=[2, 0, 1]),
      node("ordered", ["w"], ["s"], name="four", domain="own", axes=[1, 0, 2])],
     [value("x", [3, 4]), value("z", [7, 5]), value("w", [2, 3, 4])], ["p", "q", "o", "r", "s"],
     functions=[turn, ordered, twice])
layers = permc.layers("calls.onnx")
assert set(layers) == {"one/turn/t", "twice/inner/turn/t", "three/ordered/t", "four/ordered/t"}, set(layers)
expect(layers["one/turn/t"], input_shape=[3, 4], kernel="calls_permute_3x4xf32_10")
expect(layers["twice/inner/turn/t"], input_shape=[7, 5], kernel="calls_permute_7x5xf32_10")
expect(layers["three/ordered/t"], order=[2, 0, 1])
expect(layers["four/ordered/t"], order=[1, 0, 2])

# Attributes of a function reach the graphs within it, and calls in there. Those
# that are not given have their default, or are not there.
def refer(made, **names):
    for name, (kind, given) in names.items():
        made.attribute.append(onnx.AttributeProto(name=name, ref_attr_name=given, type=kind))
    return made


INT, INTS, STRING = onnx.AttributeProto.INT, onnx.AttributeProto.INTS, onnx.AttributeProto.STRING
branch = helper.make_graph(
    [refer(node("Transpose", ["a"], ["t"], name="t"), perm=(INTS, "axes")),
     refer(node("ordered", ["a"], ["u"], name="within", domain="own"), axes=(INTS, "axes")),
     refer(node("DepthToSpace", ["image"], ["v"], name="blocks"), blocksize=(INT, "block"), mode=(STRING, "mode")),
     node("Cast", ["v"], ["w"], to=1)], "branch", [], [value("t", None), value("u", None), value("w", None)])
choice = helper.make_function(
    "own", "choice", ["a", "image", "c"], ["b", "d", "e"],
    [node("If", ["c"], ["b", "d", "e"], name="if", then_branch=branch, else_branch=branch)],
    [helper.make_opsetid("", 13), helper.make_opsetid("own", 1)], ["axes", "block", "mode"])
# FunctionProto.attribute_proto, which onnx 1.12 does not know: tag, length, AttributeProto.
default = helper.make_attribute("mode", "CRD").SerializeToString()
choice.MergeFromString(bytes([11 << 3 | 2, len(default)]) + default)
inputs = [value("x", [2, 3, 4]), value("i", [1, 8, 2, 3]), value("c", [], TensorProto.BOOL)]
save("attributes.onnx",
     [node("choice", ["x", "i", "c"], ["p", "q", "r"], name="one", domain="own", axes=[2, 0, 1], block=2),
      node("choice", ["x", "i", "c"], ["s", "t", "u"], name="two", domain="own", block=2, mode="DCR")],
     inputs, list("pqrstu"), functions=[ordered, choice])
layers = permc.layers("attributes.onnx")
for graph in ("then_branch", "else_branch"):
    expect(layers[f"one/choice/if/{graph}/t"], input_shape=[2, 3, 4], order=[2, 0, 1])
    expect(layers[f"two/choice/if/{graph}/t"], input_shape=[2, 3, 4], order=[2, 1, 0])
    # CRD takes channels apart before blocks.
    expect(layers[f"one/choice/if/{graph}/blocks"], view_shape=[1, 2, 2, 2, 2, 3], order=[0, 1, 4, 2, 5, 3])
    expect(layers[f"two/choice/if/{graph}/blocks"], view_shape=[1, 2, 2, 2, 2, 3], order=[0, 3, 4, 1, 5, 2])
orders = sorted(layer["order"] for name, layer in layers.items() if "/ordered/" in name)
assert orders == [[2, 0, 1], [2, 1, 0]], layers.keys()

# Operators that are newer than libonnx: those with the shape of their input, with
# axes as an input, with types of their own. What nobody knows is named.
constants = {"axes": np.array([2, 3], np.int64), "two": np.ones(2, np.float32), "half": np.ones(1, np.float16),
             "zero": np.zeros(1, np.int8), "pads": np.array([1, 1, 2, 2], np.int64)}
save("newer.onnx",
     [node("Gelu", ["x"], ["g"]), node("Transpose", ["g"], ["t0"], name="gelu", perm=[0, 2, 3, 1]),
      node("GroupNormalization", ["g", "two", "two"], ["n"], num_groups=2),
      node("Transpose", ["n"], ["t1"], name="norm", perm=[0, 2, 3, 1]),
      node("ReduceMean", ["n", "axes"], ["m"], keepdims=0), node("Transpose", ["m"], ["t2"], name="mean", perm=[1, 0]),
      node("QuantizeLinear", ["n", "half", "zero"], ["qu"]), node("Transpose", ["qu"], ["t3"], name="quantized"),
      node("DequantizeLinear", ["qu", "half", "zero"], ["de"]), node("Transpose", ["de"], ["t4"], name="dequantized"),
      node("Pad", ["n", "pads", "", "axes"], ["pd"]), node("Relu", ["pd"], ["after"]),
      node("Transpose", ["after"], ["t5"], name="padded", perm=[0, 2, 3, 1]),
      node("AveragePool", ["n"], ["ap"], kernel_shape=[2, 2], dilations=[2, 2], name="pool"),
      node("Transpose", ["ap"], ["t6"], name="pooled", perm=[0, 2, 3, 1])],
     [value("x", [2, 8, 6, 4])], [f"t{i}" for i in range(7)], opset=21,
     initializer=[numpy_helper.from_array(data, name) for name, data in constants.items()])
report = permc.report("newer.onnx")
layers = {layer["name"]: layer for layer in report["layers"]}
expect(layers["gelu"], input_shape=[2, 8, 6, 4], element="f32", kernel="newer_permute_2x8x6x4xf32_0231")
expect(layers["norm"], input_shape=[2, 8, 6, 4])
expect(layers["mean"], input_shape=[2, 8])
expect(layers["quantized"], input_shape=[2, 8, 6, 4], element="i8")
expect(layers["dequantized"], input_shape=[2, 8, 6, 4], element="f16")
expect(layers["padded"], input_shape=None, order=[0, 2, 3, 1], kernel=None)
assert "'pd' (Pad)" in layers["padded"]["reason"], layers["padded"]["reason"]
assert "'pool' (AveragePool)" in layers["pooled"]["reason"], layers["pooled"]["reason"]
# What was said in other words for the inference is no reshape afterwards.
assert not report["chains"], report["chains"]

# Nodes in any order.
save("unsorted.onnx",
     [node("Transpose", ["r"], ["t"], name="turn", perm=[1, 0]), node("Relu", ["x"], ["r"])], [value("x", [3, 4])], ["t"])
expect(permc.layers("unsorted.onnx")["turn"], input_shape=[3, 4])

# A shape in a file beside the model, and weights that are not read.
outside = TensorProto(name="apart", dims=[2], data_type=TensorProto.INT64, data_location=TensorProto.EXTERNAL)
outside.external_data.add(key="location", value="shapes.bin")
outside.external_data.add(key="offset", value="8")
Path("shapes.bin").write_bytes(np.array([0, 3, 4], np.int64).tobytes())
weights = TensorProto(name="w", dims=[500, 300], data_type=FLOAT, data_location=TensorProto.EXTERNAL)
weights.external_data.add(key="location", value="absent.bin")
save("external.onnx",
     [node("Reshape", ["x", "apart"], ["r"]), node("Transpose", ["r"], ["t"], name="turn", perm=[1, 0]),
      node("Transpose", ["w"], ["wt"], name="weights", perm=[1, 0])],
     [value("x", [12])], ["t", "wt"], initializer=[outside, weights])
layers = permc.layers("external.onnx")
expect(layers["turn"], input_shape=[3, 4])
expect(layers["weights"], input_shape=[500, 300])
# The folder is the model's, wherever permc is called from; a build watches what
# was read.
Path("below").mkdir(exist_ok=True)
Path("external.onnx").rename("below/external.onnx")
Path("shapes.bin").rename("below/shapes.bin")
expect(permc.layers("below/external.onnx")["turn"], input_shape=[3, 4])
made = permc.run("compile", "below/external.onnx", "-o", "external.a", "-MD")
assert made.returncode == 0, made.stderr
rule = Path("external.d").read_text()
assert "  below/external.onnx" in rule and "  below/shapes.bin" in rule and "absent" not in rule, rule
print("all layers found")
