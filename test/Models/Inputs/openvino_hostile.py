"""IR files that are wrong on purpose.  openvino_hostile.py PERMC"""

import sys
from pathlib import Path

from ir_model import Ir, dims
from permc_runs import Permc

permc = Permc(sys.argv[1])


def model(**changed):
    ir = Ir()
    ir.result(ir.transpose(ir.parameter([2, 3, 4]), [2, 0, 1], name="turn", **changed))
    return ir


def refuse(name, ir, *patterns, edit=None):
    ir.write(f"{name}.xml")
    if edit:
        path = Path(f"{name}.xml")
        path.write_text(edit(path.read_text()))
    permc.refused(f"{name}.xml", *patterns)


# The .bin file.
ir = model()
ir.data = ir.data[:-1]
refuse("truncated", ir, r"truncated.xml:\d+: layer 'Const_1'", "24 bytes at offset 0 .* has 23")
refuse("past_end", model(offset=1 << 40), "at offset 1099511627776")
refuse("negative", model(offset=-8), "at offset -8")
refuse("wraps", model(offset=(1 << 63) - 8), "at offset 9223372036854775800")
refuse("size", model(size=16), "3 axes of the type i64 in 16 bytes; expected 24")
refuse("no_number", model(size="many"), "its attribute size is 'many'")
Path("folder.bin").mkdir()
Path("folder.xml").write_text(model().text())
permc.refused("folder.xml", "folder.bin")

# Orders.
for name, order, pattern in [("short", [1, 0], "2 axes; expected 3"), ("twice", [0, 0, 1], "twice"),
                             ("far", [0, 1, 3], "axis 3 is out of range"), ("below", [0, -1, 1], "negative")]:
    ir = Ir()
    ir.transpose(ir.parameter([2, 3, 4]), order, gives=[2, 3, 4], name="turn")
    refuse(name, ir, r"layer 'turn' \(Transpose\)", pattern)
refuse("float", model(element_type="f32"), "an order of the type 'f32'; expected an integer type")
refuse("matrix", model(shape="3,1"), r"an order of the shape \[3,1\]")
refuse("scalar", model(shape="", size=8), "an order of the shape")
refuse("long", model(shape=1 << 60), "an order of 1152921504606846976 axes")
ir = Ir()
ir.transpose(ir.parameter([2, 3, 4]), [2, 0, 1], gives=[4, 3, 2], name="turn")
refuse("contradicts", ir, r"its output port says \[4, 3, 2\], its input and order give \[4, 2, 3\]")

# Sizes.
ir = Ir()
ir.transpose(ir.parameter([1 << 40, 1 << 40]), [1, 0], name="huge")
refuse("overflow", ir, "layer 'huge'", "63 bits")
ir = Ir()
ir.transpose(ir.parameter([1 << 62, 1]), [1, 0], name="huge")
refuse("bytes", ir, "layer 'huge'", "63 bits")
refuse("no_size", model(), "the dim 'many'", edit=lambda text: text.replace("<dim>2</dim>", "<dim>many</dim>"))
refuse("below_zero", model(), "the dim '-2'", edit=lambda text: text.replace("<dim>2</dim>", "<dim>-2</dim>"))
ir = Ir()
ir.transpose(ir.parameter([1] * 65), list(range(65)), name="deep")
refuse("rank", ir, "64")
ir = Ir()
ir.layer("DepthToSpace", [ir.parameter([1, 6, 2, 2])], [1, 1, 4, 4], 'block_size="2" mode="depth_first"', name="odd")
refuse("odd", ir, "layer 'odd'", "no multiple of 4")
for block in (0, -1, 1 << 40, "two"):
    ir = Ir()
    ir.layer("SpaceToDepth", [ir.parameter([1, 6, 2, 2])], [1, 24, 1, 1],
             f'block_size="{block}" mode="depth_first"', name="block")
    refuse("block", ir, "layer 'block'")

# Graphs.
refuse("same_id", model(), "the id 0 is that of another layer, 'Parameter_0'",
       edit=lambda text: text.replace('layer id="1"', 'layer id="0"', 1))
refuse("no_layer", model(), "one does not exist", edit=lambda text: text.replace('from-layer="0"', 'from-layer="77"'))
refuse("no_port", model(), "port 9, which does not exist",
       edit=lambda text: text.replace('from-layer="0" from-port="0"', 'from-layer="0" from-port="9"'))
refuse("no_edge", model(), "no edge leads to its input 1",
       edit=lambda text: "\n".join(line for line in text.split("\n") if 'from-layer="1"' not in line))
ir = model()
ir.edges.append((0, 2, 0))
refuse("two_edges", ir, "two edges lead to its port 0")
ir = Ir()
first = ir.layer("Relu", [], [2, 2], name="first")
second = ir.layer("Relu", [first], [2, 2], name="second")
ir.edges.append((second, first, 0))
refuse("cycle", ir, "a cycle of edges")

# XML.
whole = model().text()
Path("cut.xml").write_text(whole[: len(whole) // 2])
permc.refused("cut.xml", r"cut.xml:\d+:\d+: this is not XML")
Path("empty.xml").write_text("")
permc.refused("empty.xml", "not XML")
Path("other.xml").write_text("<html/>")
permc.refused("other.xml", "no <net>")
refuse("version", Ir("7"), "version '7'; expected 10 or 11")
bomb = '<!DOCTYPE net [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(20)) + "]>"
Path("bomb.xml").write_text(f'<?xml version="1.0"?>{bomb}<net version="11"><layers><layer name="&u;"/></layers></net>')
permc.refused("bomb.xml", "document type declaration")
nested = "<body><layers>" + '<layer id="0" name="n" type="Loop"><body><layers>' * 200
Path("nested.xml").write_text('<net version="11"><layers><layer id="0" name="n" type="Loop">' + nested
                              + "</layers></body></layer>" * 200 + "</layers></body></layer></layers></net>")
permc.refused("nested.xml", "bodies within bodies")
Path("deep.xml").write_text("<net>" * 100000)
permc.refused("deep.xml")
Path("noise.xml").write_bytes(bytes(range(256)) * 64)
permc.refused("noise.xml")
permc.refused("missing.xml", "No such file")

# A hundred thousand layers are no error.
ir = Ir()
last = ir.parameter([2, 3])
for _ in range(50000):
    last = ir.transpose(last, [1, 0])
ir.result(last)
ir.write("many.xml")
report = permc.report("many.xml")
assert len(report["layers"]) == 50000 and len(report["kernels"]) == 2, report["kernels"]
assert len(report["chains"]) == 1 and report["chains"][0]["removable"]
print("all refused")
