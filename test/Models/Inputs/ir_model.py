"""OpenVINO IR files for the tests, written with nothing but Python."""

import struct
from collections import Counter
from pathlib import Path

FORMATS = {"i8": "b", "i16": "h", "i32": "i", "i64": "q",
           "u8": "B", "u16": "H", "u32": "I", "u64": "Q"}


class Ir:
    """A net under construction: layers, edges and the bytes of the .bin file."""

    def __init__(self, version="11"):
        self.version = version
        self.layers, self.edges, self.data = [], [], b""
        self.shapes = []

    def layer(self, kind, inputs, shape, data="", name=None, precision="FP32", inner=""):
        """Adds a layer that reads other layers; returns its id."""
        ident = len(self.layers)
        ports = ""
        for place, source in enumerate(inputs):
            ports += f'<port id="{place}" precision="FP32">{dims(self.shapes[source])}</port>'
            self.edges.append((source, ident, place))
        output = f'<port id="{len(inputs)}" precision="{precision}">{dims(shape)}</port>'
        self.shapes.append(shape)
        self.layers.append(
            f'<layer id="{ident}" name="{name or f"{kind}_{ident}"}" type="{kind}" version="opset1">'
            f"<data {data}/><input>{ports}</input><output>{output}</output>{inner}</layer>"
        )
        return ident

    def parameter(self, shape, data=None, precision="FP32"):
        spelled = ",".join(map(str, shape)) if data is None else data
        return self.layer("Parameter", [], shape, f'shape="{spelled}" element_type="f32"', precision=precision)

    def constant(self, values, kind="i64", **changed):
        offset = len(self.data)
        self.data += struct.pack(f"<{len(values)}{FORMATS[kind]}", *values)
        fields = dict(element_type=kind, shape=len(values), offset=offset, size=len(self.data) - offset)
        fields.update(changed)
        data = " ".join(f'{key}="{value}"' for key, value in fields.items())
        return self.layer("Const", [], [len(values)], data, precision="I64")

    def transpose(self, source, order, gives=None, kind="i64", name=None, precision="FP32", **changed):
        """Without a shape the one that the order gives."""
        if gives is None:
            axes = order or range(len(self.shapes[source]))[::-1]
            gives = [self.shapes[source][axis] for axis in axes]
        return self.layer("Transpose", [source, self.constant(order, kind, **changed)], gives,
                          name=name, precision=precision)

    def reshape(self, source, shape, name=None):
        return self.layer("Reshape", [source, self.constant(shape)], shape, name=name)

    def result(self, source):
        return self.layer("Result", [source], self.shapes[source])

    def graph(self):
        # The port that an edge leaves from is the one after all inputs.
        inputs = Counter(to for _, to, _ in self.edges)
        edges = "".join(
            f'<edge from-layer="{source}" from-port="{inputs[source]}" '
            f'to-layer="{to}" to-port="{place}"/>\n'
            for source, to, place in self.edges
        )
        return "<layers>\n" + "\n".join(self.layers) + f"\n</layers>\n<edges>\n{edges}</edges>"

    def text(self):
        return f'<?xml version="1.0"?>\n<net name="test" version="{self.version}">\n{self.graph()}\n</net>\n'

    def write(self, path):
        Path(path).write_text(self.text())
        Path(path).with_suffix(".bin").write_bytes(self.data)


def dims(shape):
    return "".join(f"<dim>{size}</dim>" for size in shape or [])
