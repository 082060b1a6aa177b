"""Runs the kernels of ONNX's backend tests on their recorded inputs and
compares every byte with the recorded outputs.

    onnx_recorded.py PERMC CC FOLDER
"""

import ctypes
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

permc, cc, folder = sys.argv[1:]


def tensor(path):
    return numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))


checked = 0
for case in sorted(Path(folder).glob("test_*")):
    if not case.name.startswith(("test_transpose", "test_depthtospace", "test_spacetodepth")):
        continue
    subprocess.run([permc, "compile", case / "model.onnx", "-o", "k.a", "--report", "r.json"], check=True)
    library = f"./{case.name}.so"
    subprocess.run([cc, "-shared", "-o", library, "-Wl,--whole-archive", "k.a", "-Wl,--no-whole-archive"], check=True)
    layer, = json.loads(Path("r.json").read_text())["layers"]
    kernel = getattr(ctypes.CDLL(library), layer["kernel"])
    for data in case.glob("test_data_set_*"):
        source, wanted = (np.ascontiguousarray(tensor(data / name)) for name in ("input_0.pb", "output_0.pb"))
        assert list(source.shape) == layer["input_shape"] and list(wanted.shape) == layer["output_shape"], layer
        result = np.full_like(wanted, 77)
        kernel(ctypes.c_void_p(source.ctypes.data), ctypes.c_void_p(result.ctypes.data))
        assert result.tobytes() == wanted.tobytes(), f"{case.name}: wrong bytes"
        checked += 1
print(f"{checked} recorded outputs agree")
assert checked > 0
