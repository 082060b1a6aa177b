"""What permc finds in MLIR files, and what it refuses.  mlir_layers.py PERMC LAYERS PERMC_OPT"""

import subprocess
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

# What dialects of others wrote, as they write it for people.
Path("custom.mlir").write_text("""func.func @f(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}""")
permc.refused("custom.mlir", r"custom.mlir:2:\d+: .*stablehlo.transpose'; operations of dialects that are not MLIR's own",
              "--mlir-print-op-generic")

# What other versions of MLIR wrote: an order that is a constant, bytecode.
Path("older.mlir").write_text("""func.func @f(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %order = "tosa.const"() {value = dense<[1, 0]> : tensor<2xi32>} : () -> tensor<2xi32>
  %0 = "tosa.transpose"(%a, %order) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}""")
permc.refused("older.mlir", r"older.mlir:2:\d+: ", r"; permc reads the MLIR of LLVM \d+\.\d+\.\d+, and other versions write")
subprocess.run([sys.argv[3], "--emit-bytecode", sys.argv[2], "--allow-unregistered-dialect", "-o", "layers.mlirbc"], check=True)
assert [layer["name"] for layer in permc.report("layers.mlirbc")["layers"]] == list(layers)
bytecode = Path("layers.mlirbc").read_bytes()
assert bytecode[:4] == b"ML\xefR" and b"MLIR" in bytecode[5:9]
Path("newer.mlirbc").write_bytes(bytecode[:4] + bytes([2 * 99 + 1]) + b"MLIR99.1\0" + bytecode[bytecode.index(0) + 1:])
permc.refused("newer.mlirbc", "version", r"permc reads the MLIR of LLVM \d+\.\d+\.\d+, and this file is by 'MLIR99.1'")
Path("cut.mlirbc").write_bytes(bytecode[:7])
permc.refused("cut.mlirbc", "permc reads the MLIR of LLVM")
print("all layers found")
