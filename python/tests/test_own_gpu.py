"""GPUs of one's own: copied, set, written, read, and used."""
import math
import os
import tempfile
import unittest

import ptxlint

EMPTY = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n"


class OwnGpu(unittest.TestCase):
    def test_copy(self):
        own = ptxlint.OwnGpu.copy("h200", "mine", product="a board")
        self.assertEqual((own.name, own.value("sms")), ("mine", 132))
        own.set("launch_ns", 9000, "measured: by us")
        self.assertIn('product: "a board"\nbase: h200\n', own.yaml())
        self.assertIn('  - source: "measured: by us"\n    launch_ns: 9000\n', own.yaml())
        again = ptxlint.OwnGpu.copy(own, "again")
        del own
        self.assertEqual(again.value("launch_ns"), 9000)

    def test_settings(self):
        with self.assertRaisesRegex(ptxlint.Error, "can have 16k, 48k"):
            ptxlint.OwnGpu.of("c2050", "shared=9m")
        own = ptxlint.OwnGpu.of("c2050", "shared=16k")
        self.assertEqual((own.name, own.value("shared_per_sm")), ("c2050:shared=16k", 16384))
        both = ptxlint.OwnGpu.of(own, "dlcm=cg")
        self.assertEqual((both.name, both.value("shared_per_sm")),
                         ("c2050:shared=16k:dlcm=cg", 16384))

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.yaml")
            own = ptxlint.OwnGpu.copy("rtx4090", "x")
            own.set("block_ns", 1.25, "x")
            with open(path, "w") as file:
                file.write(own.yaml())
            read = ptxlint.OwnGpu.read(path)
            self.assertEqual((read.name, read.value("block_ns"), read.yaml()),
                             ("mine", 1.25, own.yaml()))
            with open(path, "w") as file:
                file.write("base: h9000\n")
            with self.assertRaisesRegex(ptxlint.BadFileError, "line 1, column 7: there is no GPU"):
                ptxlint.OwnGpu.read(path)

    def test_used(self):
        slow = ptxlint.OwnGpu.copy("h200", "slow")
        slow.set("launch_ns", 50000, "x")
        with ptxlint.Module(EMPTY, gpus=iter(["h200", slow]), estimates_only=True) as module:
            with self.assertRaisesRegex(ptxlint.Error, "a module has slow"):
                slow.set("launch_ns", 1, "x")
            del slow
            fast, late = (module.kernel("k").estimate(1, 32, gpu=name).predicted_us
                          for name in ("h200", "slow"))
        self.assertGreater(late, fast + 40)

    def test_refused(self):
        own = ptxlint.OwnGpu.copy("h200", "mine")
        for key, value, source, why in (
                ("launch_n", 1, "x", "there is no such figure"),
                ("launch_ns", math.nan, "x", "from 0 to 1e9"), ("sms", 0, "x", "whole number"),
                ("launch_ns", 1, "", "a source is a text")):
            with self.subTest(key=key), self.assertRaisesRegex(ptxlint.Error, why):
                own.set(key, value, source)
        self.assertIsNone(own.value("texture_latency_min"))
        self.assertRaises(ptxlint.Error, own.value, "launch")
        self.assertRaises(TypeError, own.set, "sms", 1, None)
        self.assertRaises(ptxlint.Error, ptxlint.OwnGpu.copy, "h2000", "x")
        self.assertEqual([ptxlint.figure_kind(key) for key in ("sms", "launch_ns")],
                         ["bound", "sustained"])


if __name__ == "__main__":
    unittest.main()
