"""Writes mixed.xml: a layer of every kind, with names that C must escape."""

from ir_model import Ir

ir = Ir()
image = ir.parameter([1, 16, 6, 4])
ir.layer("DepthToSpace", [image], [1, 4, 12, 8], 'block_size="2" mode="blocks_first"', name="blocks")
ir.layer("ShuffleChannels", [image], [1, 16, 6, 4], 'axis="1" group="4"', name="shuffle")
ir.transpose(image, [0, 2, 3, 1], name="*/ &quot;??/\\ ü &lt;b&gt;")
ir.transpose(image, [0, 1, 2, 3], name="same")
ir.transpose(ir.parameter([-1, 3, -1, -1]), [0, 2, 3, 1], name="dynamic")
ir.layer("Transpose", [image, ir.parameter([4])], [-1] * 4, name="unknown")
a = ir.transpose(ir.parameter([12, 7, 8]), [1, 0, 2], name="one")
ir.result(ir.transpose(a, [0, 2, 1], name="two"))
b = ir.transpose(ir.parameter([5, 9]), [1, 0], name="to")
ir.result(ir.transpose(b, [1, 0], name="fro"))
ir.write("mixed.xml")
