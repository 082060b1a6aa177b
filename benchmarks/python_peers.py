"""numpy and torch for permc-bench: python_peers.py numpy|torch THREADS

Reads one request a line and answers each by one line, both JSON:

  {"shape": [2, 3], "perm": [1, 0], "elem_bytes": 4, "dst_offset": 0}
               ->  {"crc": 123, "seconds": 0.1}  of the first permutation, or {}
                                        where the library has no such type
  {"time": 5}  ->  {"seconds": 0.01}    of that many permutations in a row

"ready" is the first line, or why the library cannot be used.
"""

import json
import math
import sys
import time
import zlib


def make_pattern(byte_count):
    """The same bytes as Buffer::fillWithPattern in tools/measure/Buffer.cpp."""
    index = numpy.arange(byte_count // 8 + 1, dtype=numpy.uint64)
    word = (index + numpy.uint64(1)) * numpy.uint64(0x9E3779B97F4A7C15)
    word ^= word >> numpy.uint64(29)
    word &= numpy.uint64(0x9F9F9F9F9F9F9F9F)
    word |= numpy.uint64(0x2020202020202020)
    return word.astype("<u8").view(numpy.uint8)


def pattern(byte_count):
    """The beginning of the longest pattern made so far."""
    global longest_pattern
    if len(longest_pattern) < byte_count:
        longest_pattern = make_pattern(byte_count)
    return longest_pattern[:byte_count]


longest_pattern = b""


def make_result(byte_count, dst_offset):
    """Memory that begins so many bytes behind a line, its pages touched."""
    line = 64
    memory = numpy.empty(byte_count + 2 * line, numpy.uint8)
    memory.fill(0)
    start = -memory.ctypes.data % line + dst_offset
    return memory[start : start + byte_count]


def numpy_permute(shape, perm, elem_bytes, dst_offset):
    """A function that permutes, and the bytes it writes to."""
    types = {1: "u1", 2: "u2", 4: "f4", 8: "f8", 16: "c16"}
    dtype = numpy.dtype(types.get(elem_bytes, f"V{elem_bytes}"))
    byte_count = math.prod(shape) * elem_bytes
    permuted = pattern(byte_count).view(dtype).reshape(shape).transpose(perm)
    result = make_result(byte_count, dst_offset).view(dtype)
    result = result.reshape(permuted.shape)
    return lambda: numpy.copyto(result, permuted), result


def torch_permute(shape, perm, elem_bytes, dst_offset):
    types = {1: "uint8", 2: "int16", 4: "float32", 8: "float64", 16: "complex128"}
    if elem_bytes not in types:
        return None, None
    dtype = getattr(torch, types[elem_bytes])
    byte_count = math.prod(shape) * elem_bytes
    source = torch.from_numpy(pattern(byte_count))
    permuted = source.view(dtype).reshape(shape).permute(perm)
    result = torch.from_numpy(make_result(byte_count, dst_offset)).view(dtype)
    result = result.reshape(permuted.shape)
    return lambda: result.copy_(permuted), result.numpy()


def seconds_of(permute, calls, clock):
    start = clock()
    for _ in range(calls):
        permute()
    return clock() - start


def serve(make_permute, clock):
    permute = None
    for line in sys.stdin:
        request = json.loads(line)
        if "time" in request:
            answer = {"seconds": seconds_of(permute, request["time"], clock)}
        else:
            permute, result = make_permute(**request)
            answer = {}
            if permute:
                seconds = seconds_of(permute, 1, clock)
                crc = zlib.crc32(result.reshape(-1).view("u1"))
                answer = {"crc": crc, "seconds": seconds}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    library, threads = sys.argv[1], int(sys.argv[2])
    try:
        import numpy

        if library == "torch":
            import torch

            torch.set_num_threads(threads)
    except ImportError as error:
        sys.exit(print(error, flush=True))
    print("ready", flush=True)
    # As timeByGoogleBenchmark does in tools/permc-bench/Stopwatch.cpp.
    clock = time.thread_time if threads == 1 else time.perf_counter
    serve({"numpy": numpy_permute, "torch": torch_permute}[library], clock)
