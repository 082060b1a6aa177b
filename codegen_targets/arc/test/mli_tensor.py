"""MLI's structs for ctypes, as include/permc-mli/mli_api.h declares them."""

import ctypes as c

FX8, FX16, SA8, SA32 = 0x008, 0x010, 0x108, 0x120
BYTES = {FX8: 1, FX16: 2, SA8: 1, SA32: 4}

OK, BAD_TENSOR, SHAPE_MISMATCH, INCOMPATEBLE_TENSORS = 0, 1, 2, 3
BAD_FUNC_CFG, NOT_ENGH_MEM, SPEC_PARAM_MISMATCH, TYPE_MISMATCH = 4, 5, 7, 12


class Memory(c.Union):
    _fields_ = [
        ("address", c.c_void_p),
        ("i16", c.c_int16),
        ("i8", c.c_int8),
    ]


class Container(c.Structure):
    _fields_ = [("capacity", c.c_uint32), ("mem", Memory)]


class Fx(c.Structure):
    _fields_ = [("frac_bits", c.c_uint32)]


class Sa(c.Structure):
    _fields_ = [
        ("type", c.c_int),
        ("zero_point", Container),
        ("scale", Container),
        ("scale_frac_bits", Container),
        ("dim", c.c_int32),
    ]


class Params(c.Union):
    _fields_ = [("fx", Fx), ("sa", Sa)]


class Tensor(c.Structure):
    _fields_ = [
        ("data", Container),
        ("shape", c.c_uint32 * 4),
        ("mem_stride", c.c_int32 * 4),
        ("rank", c.c_uint32),
        ("el_type", c.c_int),
        ("el_params", Params),
    ]


class Config(c.Structure):
    _fields_ = [("perm_dim", c.c_uint8 * 4)]


def dense(shape):
    strides, extent = [], 1
    for size in reversed(shape):
        strides.insert(0, extent)
        extent *= size
    return strides


def span(shape, strides):
    return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))


def container(values, kind):
    """Quantisation parameters in memory of their own."""
    array = (kind * len(values))(*values)
    return array, Container(c.sizeof(array), Memory(address=c.addressof(array)))


def make_tensor(kind, shape, strides=None, data=None, fill=0xEE):
    """A tensor with exactly the memory it needs. Returns it and its bytes."""
    strides = strides or dense(shape)
    size = span(shape, strides) * BYTES[kind]
    memory = (c.c_uint8 * size)(*(data if data is not None else [fill] * size))
    tensor = Tensor()
    tensor.data = Container(size, Memory(address=c.addressof(memory)))
    tensor.shape[: len(shape)] = shape
    tensor.mem_stride[: len(shape)] = strides
    tensor.rank, tensor.el_type = len(shape), kind
    if kind == SA8:
        tensor.el_params.sa.dim = -1
    return tensor, memory
