# Part of permc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch's tensors, through DLPack. Skipped without torch (python3-torch)."""

import gc
import unittest

try:
    import torch
except ImportError:
    torch = None

import permc


@unittest.skipUnless(torch, "torch is not installed (python3-torch)")
class Torch(unittest.TestCase):
    def test_permute(self):
        types = ["uint8", "int16", "float16", "bfloat16", "float32", "float64"]
        for name in types + ["complex64"]:
            a = torch.arange(2 * 3 * 5).reshape(2, 3, 5).to(getattr(torch, name))
            for axes in [(2, 0, 1), (0, 2, 1), (1, 0, 2)]:
                result = permc.transpose(a, axes)
                self.assertIsInstance(result, torch.Tensor)
                self.assertEqual(result.dtype, a.dtype)
                self.assertTrue(result.is_contiguous())
                self.assertTrue(torch.equal(result, a.permute(axes)), (name, axes))

    def test_views(self):
        a = torch.arange(600).reshape(20, 30)
        for view in (a.t(), a[::3, ::2], a[3:, 5].expand(4, 17), a[None, :, 2]):
            result = permc.ascontiguousarray(view)
            self.assertTrue(torch.equal(result, view))
        self.assertIs(permc.ascontiguousarray(a), a)

    def test_out(self):
        a, out = torch.rand(4, 6), torch.zeros(6, 4)
        self.assertIs(permc.transpose(a, out=out), out)
        self.assertTrue(torch.equal(out, a.t()))
        with self.assertRaises(TypeError):
            permc.transpose(a, out=torch.zeros(6, 4, dtype=torch.int32))

    def test_results_outlive_what_made_them(self):
        results = [permc.transpose(torch.full((50, 40), float(i))) for i in range(20)]
        gc.collect()
        for i, result in enumerate(results):
            self.assertTrue((result == i).all())

    def test_kernel(self):
        a = torch.rand(8, 4)
        kernel = permc.compile((8, 4), torch.float32)
        self.assertTrue(torch.equal(kernel(a), a.t()))


if __name__ == "__main__":
    unittest.main()
