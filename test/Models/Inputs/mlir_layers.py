"""What permc finds in MLIR files, and what it refuses.  mlir_layers.py PERMC LAYERS"""

import sys
from pathlib import Path

from permc_runs import Permc, expect

permc = Permc(sys.argv[1])
report = permc.report(sys.argv[2])
layers = {layer["name"]: layer for layer in report["layers"]}
assert report["format"] == "MLIR"
first, second = "net/linalg.transpose#0", "net/tosa.transpose#0"
expect(layers[first], op="linalg.transpose", input_shape=[6, 20], order=[1, 0], output_shape=[20, 6],
       kernel="layers_permute_6x20xf32_10", bytes=480)
expect(layers["net/linalg.transpose#1"], input_strides=[16, 1], kernel="layers_permute_4x8xf32_10_from_16_1_to_4_1")
expect(layers["net/tosa.transpose#1"], input_shape=[None, 3], element="f16", kernel="layers_permute_Nx3xf16_10", bytes=None)
expect(layers["net/tosa.transpose#2"], element=None, kernel=None, order=[1, 0])
expect(layers["net/stablehlo.transpose#0"], kernel=layers[first]["kernel"])
expect(layers["net/linalg.transpose#2"], input_shape=[4, 8], order=[1, 0], kernel=None,
       reason="run-time: permc_rt (the strides of a memref are not static)")
expect(layers["net/linalg.pack#0"], input_shape=[3, None], view_shape=[3, None, 4], **{"class": "reshape"})
chain, = report["chains"]
assert chain["layers"] == [first, second] and chain["class"] == "reshape", chain

for name, text, pattern in [
    ("cut", Path(sys.argv[2]).read_text()[:-40], r"cut.mlir:\d+:\d+: "),
    ("order", "func.func @f(%a: tensor<2x3xf32>) {\n  %0 = tosa.transpose %a {perms = array<i32: 1, 1>} : "
              "(tensor<2x3xf32>) -> tensor<3x2xf32>\n  return\n}", r"order.mlir:2:\d+: "),
    ("noise", "\x01\x02 not MLIR", r"noise.mlir:1:1: "),
    ("deep", "func.func @f() attributes {a = " + "[" * 200000 + "]" * 200000 + "} { return }", "gave up"),
    ("overflow", "func.func @f(%a: tensor<1099511627776x1099511627776xf32>) {\n  %0 = tosa.transpose %a "
                 "{perms = array<i32: 1, 0>} : (tensor<1099511627776x1099511627776xf32>) -> "
                 "tensor<1099511627776x1099511627776xf32>\n  return\n}", "63 bits|overflow"),
]:
    Path(f"{name}.mlir").write_text(text)
    permc.refused(f"{name}.mlir", pattern)
permc.refused("missing.mlir", "No such file")
print("all layers found")
