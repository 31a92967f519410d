"""Figures that were planted, and found."""
import json
import os
import tempfile
import unittest

import ptxlint
from test_verify import COPY


class Calibrate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.ptx = os.path.join(self.folder.name, "copy.ptx")
        self.rows = os.path.join(self.folder.name, "rows.jsonl")
        with open(self.ptx, "w") as file:
            file.write(COPY)

    def tearDown(self):
        self.folder.cleanup()

    def plant(self, count, **figures):
        own = ptxlint.OwnGpu.copy("h200", "planted")
        for key, value in figures.items():
            own.set(key, value, "planted")
        with ptxlint.Module(COPY, gpus=own, estimates_only=True) as module, \
                open(self.rows, "w") as file:
            for i in range(count):
                row = {"kernel": "copy", "grid": int(16 * 1.8**i), "block": 256}
                row["us"] = module.kernel("copy").estimate(row["grid"], 256).predicted_us
                file.write(json.dumps(row) + "\n")

    def test_planted(self):
        self.plant(24, launch_ns=3300)
        shown = []
        found = ptxlint.calibrate(self.rows, self.ptx, gpu="h200",
                                  progress=lambda done, count: shown.append((done, count)))
        self.assertEqual((list(found.fitted), found.rows, found.reason, found.has_converged),
                         (["launch_ns"], 24, None, True))
        launch = found.constants["launch_ns"]
        self.assertTrue(launch.low < 3300 < launch.high)
        self.assertEqual(found.gpu.value("launch_ns"), launch.value)
        self.assertEqual(found.constants["div_u64_latency"].verdict, "no rows")
        self.assertTrue(shown and all(done < count for done, count in shown))
        # its GPU needs nothing more
        again = ptxlint.calibrate(self.rows, [self.ptx], gpu=found.gpu)
        self.assertEqual((again.fitted, again.gpu), ({}, None))
        self.assertIn("Nothing is fitted", again.reason)

    def test_few(self):
        self.plant(3)
        found = ptxlint.calibrate(self.rows, self.ptx, gpu="h200", max_rows=2)
        self.assertEqual((found.beyond, found.reason),
                         (1, "Nothing is fitted: 10 rows are the least."))

    def test_wrong(self):
        self.plant(12)
        for wrong in ({"clock_mhz": -1}, {"max_rows": -1}, {"max_rows": 1.5}):
            self.assertRaises(ValueError, ptxlint.calibrate, self.rows, self.ptx, gpu="h200",
                              **wrong)
        self.assertRaises(ptxlint.Error, ptxlint.calibrate, self.rows, self.ptx, gpu="h2000")
        with self.assertRaises(ZeroDivisionError):
            ptxlint.calibrate(self.rows, self.ptx, gpu="h200",
                              progress=lambda done, count: 1 // 0)


if __name__ == "__main__":
    unittest.main()
