"""Measured times against what a GPU can do."""
import json
import os
import tempfile
import unittest

import ptxlint

COPY = """.version 8.0
.target sm_90
.address_size 64
.visible .entry copy(.param .u64 a, .param .u64 b)
{
	.reg .b32 %r<5>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [a];
	ld.param.u64 %rd2, [b];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	shl.b32 %r3, %r1, 8;
	add.u32 %r3, %r3, %r2;
	mul.wide.u32 %rd3, %r3, 4;
	add.s64 %rd4, %rd1, %rd3;
	add.s64 %rd5, %rd2, %rd3;
	ld.global.u32 %r4, [%rd4];
	st.global.u32 [%rd5], %r4;
	ret;
}
"""


class Verify(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.ptx = self.path("copy.ptx")
        with open(self.ptx, "w") as file:
            file.write(COPY)

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def rows(self, *rows):
        with open(self.path("rows.jsonl"), "w") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        return self.path("rows.jsonl")

    def test_verdicts(self):
        launch = {"kernel": "copy", "grid": 262144, "block": 256}
        rows = self.rows(*({**launch, "us": us} for us in (40, 190, 2000)),
                         {"kernel": "other", "us": 1})
        found = ptxlint.verify(rows, self.ptx, gpus="h200")
        self.assertEqual([one.verdict for one in found],
                         ["impossible", "as predicted", "slower", "unknown"])
        self.assertEqual((found[0].gpu, found[0].path, found[0].least_by),
                         ("h200", self.ptx, "dram"))
        # 256 MiB read, 256 MiB written of which L2 holds 60 MiB, at 4,848 GB/s
        self.assertAlmostEqual(found[0].least_us, (2 * 2**28 - 62914560) / 4848e3, places=3)
        self.assertIsNone(found[3].gpu)
        self.assertIn("no input has such a kernel", found[3].reason)

    def test_warm(self):
        rows = self.rows({"kernel": "copy", "grid": 16384, "block": 256, "us": 3.5})
        self.assertEqual(ptxlint.verify(rows, [self.ptx], gpus="h100")[0].verdict, "impossible")
        self.assertEqual(ptxlint.verify(rows, [self.ptx], gpus="h100", warm=True)[0].verdict,
                         "faster")

    def test_slips(self):
        rows = self.rows({"kernel": "copy"})
        with self.assertRaisesRegex(ptxlint.BadFileError, "no row has a time"):
            ptxlint.verify(rows, self.ptx)
        with self.assertRaises(FileNotFoundError):
            ptxlint.verify(self.path("none"), self.ptx)
        with self.assertRaises(ValueError):
            ptxlint.verify(rows, self.ptx, clock_mhz=-1)


if __name__ == "__main__":
    unittest.main()
