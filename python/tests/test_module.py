"""The package as a user meets it: findings, reports, estimates, errors, threads."""
import ast
import dataclasses
import gc
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import ptxlint

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAXPY = os.path.join(ROOT, "testdata/ptx/saxpy.sm_90.ptx")
SPILLS = os.path.join(ROOT, "testdata/ptx/local_spill.sm_90.ptx")
BASELINE = """{"schema":"ptxlint-baseline/1","findings":[
{"rule":"OCC105","kernel":"capped","statement":"","count":1}]}"""
CACHE = os.path.join(ROOT, "testdata/triton")
COMPILER = shlex.split(os.environ.get("CC", ""))
ARGUMENTS = [4194304, 2.0, None, None]
STRUCTURE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry take(.param .align 4 .b8 s[12], .param .f64 d, .param .u8 c) { ret; }
.visible .entry other() { ret; }
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def open_saxpy(**options):
    return ptxlint.Module(read(SAXPY), gpus="h200", **options)


def one_megabyte():
    """Copies of saxpy under other names."""
    head, entry = re.match(r"(.*?)(\.visible \.entry.*)", read(SAXPY), re.S).groups()
    count = (1 << 20) // len(entry) + 1
    return head + "".join(entry.replace("saxpy", f"saxpy{i}") for i in range(count)), count


class Wanted(unittest.TestCase):
    """A config file and a baseline."""

    def write(self, name, content):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path

    def test_config(self):
        rules = {one.rule for one in ptxlint.lint(SPILLS)}
        self.assertLess({"OCC105", "THR103"}, rules)
        config = self.write(".ptxlint.yaml", "ignore: [OCC]\n")
        left = {one.rule for one in ptxlint.lint(SPILLS, config=config)}
        self.assertEqual(left, {one for one in rules if not one.startswith("OCC")})

    def test_baseline(self):
        path = self.write("known.json", BASELINE)
        with ptxlint.Module.open(SPILLS, baseline=path) as module:
            known = [one.rule for one in module.diagnostics if one.suppression == "baseline"]
        self.assertEqual(known, ["OCC105"])
        self.assertNotIn("OCC105", {one.rule for one in ptxlint.lint(SPILLS, baseline=path)})

    def test_errors(self):
        with self.assertRaises(ptxlint.ReadError):
            ptxlint.lint(SAXPY, config="/none/at/all.yaml")
        with self.assertRaisesRegex(ptxlint.BadFileError, "wrong.yaml:1:"):
            ptxlint.lint(SAXPY, config=self.write("wrong.yaml", "nothing: 1\n"))
        with self.assertRaises(ptxlint.BadFileError):
            ptxlint.lint(SAXPY, baseline=self.write("wrong.json", "{}"))


class Findings(unittest.TestCase):
    def test_typed(self):
        with ptxlint.Module("garbage", path="a.ptx") as module:
            first = module.diagnostics[0]
        self.assertEqual((first.severity, first.rule, first.path, first.line, first.column),
                         ("error", "SYN201", "a.ptx", 1, 1))
        self.assertIsNone(first.gain_percent)
        self.assertEqual(str(first), "a.ptx:1:1: error: expected a directive, found `garbage` "
                                     "[SYN201]")

    def test_all_test_data(self):
        """Fix, related, source and inlined of each kind that there is."""
        folder = os.path.join(ROOT, "testdata/ptx")
        names = sorted(name for name in os.listdir(folder) if name.endswith(".ptx"))
        found = ptxlint.lint(os.path.join(folder, name) for name in names[:24])
        self.assertTrue(any(one.help for one in found) and any(one.related for one in found))
        self.assertTrue(all(isinstance(one, ptxlint.Diagnostic) for one in found))

    def test_newer_keys(self):
        """A later library may add some to the document."""
        place = {"line": 1, "column": 1, "end_line": 1, "end_column": 2, "newer": 0}
        with ptxlint.Module("garbage") as module:
            document = dict(module.diagnostics[0].document, newer=0)
        document["fix"] = dict(place, replacement="", certain=True)
        document["related"] = [dict(place, message="here")]
        document["inlined"] = [{"path": "a.cu", "line": 1, "column": None, "newer": 0}]
        found = ptxlint._types.read_diagnostic(document)
        self.assertEqual(found.fix, ptxlint.Fix(1, 1, 1, 2, "", True))
        self.assertEqual(found.related, (ptxlint.Related("here", 1, 1, 1, 2),))
        self.assertEqual(found.inlined, (ptxlint.Source("a.cu", 1, None),))

    def test_report(self):
        with open_saxpy() as module:
            report = module.report()
        self.assertEqual(report["schema"], "ptxlint-report/1")
        self.assertEqual(report["files"][0]["kernels"][0]["name"], "saxpy")

    def test_bytes_and_surrogates(self):
        for ptx in (b"\xff\0\xfe", b"// \xff".decode("utf-8", "surrogateescape"), ""):
            with ptxlint.Module(ptx) as module:
                self.assertTrue(module.diagnostics)


class Estimates(unittest.TestCase):
    def test_estimate(self):
        with open_saxpy(estimates_only=True) as module:
            guess = module.kernel("saxpy").estimate(16384, 256, ARGUMENTS)
            self.assertEqual(module.gpus[0].sm, "sm_90")
        self.assertTrue(guess.bound_us <= guess.low_us <= guess.predicted_us <= guess.high_us)
        self.assertTrue(guess.knows_params)
        self.assertEqual((guess.occupancy.percent, guess.occupancy.limiter), (100, "warps"))
        self.assertEqual((guess.spills, guess.gpu, guess.certainty), (None, "h200", "estimate"))

    def test_unknown_is_none(self):
        """sm_90 has no clock: no time, and neither 0 nor NaN."""
        with ptxlint.Module(read(SAXPY)) as module:
            guess = module.kernels[0].estimate(16384, 256)
        self.assertEqual((guess.predicted_us, guess.low_us, guess.bound_us), (None, None, None))
        self.assertTrue(guess.why)
        for value in dataclasses.asdict(guess).values():
            self.assertFalse(isinstance(value, float) and math.isnan(value))

    def test_refused_launches(self):
        """What CUDA refuses has no time, and says why."""
        with open_saxpy(estimates_only=True) as module:
            kernel = module.kernel("saxpy")
            for grid, block, why in (
                ((1, 65536), 128, "65535 blocks in y"),
                ((1, 1, 65536), 128, "65535 blocks in y or z"),
                (1, (1, 1, 65), "64 threads in z"),
                (1, (1024, 2), "threads"),
            ):
                guess = kernel.estimate(grid, block, ARGUMENTS)
                self.assertIsNone(guess.predicted_us)
                self.assertIn(why, guess.why)
            self.assertIsNotNone(kernel.estimate((1, 65535, 1), (1, 1, 64), ARGUMENTS).predicted_us)

    def test_same_as_launches(self):
        launch = {"grid": [16384], "block": [256], "params": ARGUMENTS}
        launch = {"kernels": {"saxpy": launch}}
        for launches in (launch, json.dumps(launch), json.dumps(launch).encode()):
            with open_saxpy(launches=launches) as module:
                kernel = module.kernels[0]
                self.assertEqual(kernel.estimate(None, None),
                                 kernel.estimate((16384,), [256, 1], ARGUMENTS))

    def test_spills(self):
        guess = ptxlint.estimate_ptx(read(SAXPY), None, 16384, 256, ARGUMENTS, gpu="h200",
                                     max_registers=255)
        self.assertEqual(guess.spills, "unlikely")

    def test_no_block_fits(self):
        with open_saxpy() as module:
            guess = module.kernels[0].estimate(1, 2048)
        self.assertEqual(guess.occupancy.blocks_per_sm, 0)
        self.assertTrue(guess.occupancy.error)

    def test_arguments(self):
        with ptxlint.Module(STRUCTURE, gpus="h200") as module:
            kernel = module.kernel("take")
            self.assertEqual([(p.type, p.bytes, p.offset) for p in kernel.params],
                             [("b8", 12, 0), ("f64", 8, 16), ("u8", 1, 24)])
            kernel.estimate(1, 32, [bytes(12), 1, -1])
            kernel.estimate(1, 32, [None, 1.5, True])
            for values, error in (([bytes(3)], ValueError), ([3], TypeError),
                                  ([None, "1"], TypeError), ([None, 1, 256], ValueError),
                                  ([None, 1, 1.5], TypeError), ([None] * 4, ValueError)):
                with self.assertRaises(error, msg=values):
                    kernel.estimate(1, 32, values)


class Errors(unittest.TestCase):
    def check(self, error, text, function, *arguments, **options):
        with self.assertRaisesRegex(error, text):
            function(*arguments, **options)

    def test_module(self):
        check, ptx = self.check, read(SAXPY)
        check(TypeError, "str or bytes, not int", ptxlint.Module, 3)
        check(ptxlint.Error, "'h20'; did you mean h200", ptxlint.Module, ptx, gpus="h20")
        check(TypeError, "not int", ptxlint.Module, ptx, gpus=3)
        check(ValueError, "jobs is 0 to", ptxlint.Module, ptx, jobs=-1)
        check(MemoryError, "memory limit", ptxlint.Module, ptx, max_memory_bytes=1)
        check(ValueError, "exclude", ptxlint.Module, ptx, estimates_only=True, findings_only=True)
        check(TypeError, "dict or JSON", ptxlint.Module, ptx, launches=[3])
        check(ptxlint.BadFileError, '"gird"; did you mean "grid"', ptxlint.Module, ptx,
              launches={"kernels": {"saxpy": {"gird": [1]}}})
        check(ptxlint.BadFileError, "line 1, column 1", ptxlint.Module, ptx, launches="{")
        check(ptxlint.ReadError, "No such file", ptxlint.Module.open, "/does/not/exist.ptx")
        check(OSError, "Is a directory", ptxlint.lint, [ROOT])
        check(ValueError, "null byte", ptxlint.Module.open, "a\0b")
        check(ptxlint.Error, "which kernel", ptxlint.estimate_ptx, STRUCTURE, None, 1, 32)

    def test_kernel_of_source(self):
        names = ["_Z5scaleIfLi1EEvPT_", "_Z5scaleIfLi4EEvPT_", "_ZN2ns4copyEPf"]
        text = ".version 8.0\n.target sm_90\n.address_size 64\n" + "".join(
            f".entry {name}() {{ ret; }}\n" for name in names)
        with ptxlint.Module(text) as module:
            for wanted in ("scale<float, 4>", "scale<float,4>", "scale<float, 4>(float*)"):
                self.assertEqual(module.kernel(wanted).name, names[1])
            for wanted in ("copy", "ns::copy", names[2]):
                self.assertEqual(module.kernel(wanted).name, names[2])
            self.check(ptxlint.Error, f'2 kernels are called "scale": {names[0]}, {names[1]}',
                       module.kernel, "scale")

    def test_kernel(self):
        with open_saxpy() as module:
            kernel = module.kernels[0]
            self.check(ptxlint.Error, 'no kernel "saxpi"; did you mean "saxpy"', module.kernel,
                       "saxpi")
            self.check(TypeError, "not int", module.kernel, 0)
            self.check(ptxlint.Error, 'no kernel "sax', module.kernel, "sax*")
            for error, grid in ((ValueError, 0), (ValueError, (1, 2, 3, 4)), (ValueError, 1 << 40),
                                (TypeError, "1"), (TypeError, 1.5), (TypeError, (1, None))):
                self.check(error, "grid", kernel.estimate, grid, 32)
            for params in (1, "1", {"n": 1}):
                self.check(TypeError, "by position", kernel.estimate, 1, 32, params)
            self.check(ptxlint.Error, "among the module's GPUs, h200", kernel.estimate, 1, 32,
                       gpu="a100")
        with open_saxpy(findings_only=True) as module:
            self.check(ptxlint.Error, "no figures", module.kernels[0].estimate, 1, 32)
        with open_saxpy(estimates_only=True) as module:
            self.check(ptxlint.Error, "no report", module.report)
        with ptxlint.Module(read(SAXPY).replace("sm_90", "sm_999")) as module:
            self.check(ptxlint.Error, "give gpus", module.kernels[0].estimate, 1, 32)

    def test_closed(self):
        module = open_saxpy()
        kernel = module.kernels[0]
        module.close()
        module.close()
        self.check(ptxlint.Error, "closed", module.report)
        self.check(ptxlint.Error, "closed", kernel.estimate, 1, 32)
        self.check(ptxlint.Error, "closed", lambda: module.kernels)

    def test_slips(self):
        launches = {"kernels": {"saxpi": {"grid": [1]}, "saxpy": {"params": [1, 2, 3, 4, 5]}}}
        for function in (lambda: open_saxpy(launches=launches),
                         lambda: ptxlint.Module.open(SAXPY, launches=launches),
                         lambda: ptxlint.lint(SAXPY, launches=launches)):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                function()
            self.assertEqual([str(one.message) for one in seen],
                             ['launches: no kernel "saxpi"',
                              'launches: kernel "saxpy" has no parameter 4; it has 4'])
            self.assertEqual({one.filename for one in seen}, {__file__})

    def test_library(self):
        self.check_library("/does/not/exist.so", "PTXLINT_LIBRARY may name")
        self.check_library("libc.so.6", "is not libptxlint")

    def check_library(self, path, text):
        program = [sys.executable, "-B", "-c", "import ptxlint; ptxlint.gpus()"]
        done = subprocess.run(program, capture_output=True, text=True, check=False,
                              env=os.environ | {"PTXLINT_LIBRARY": path})
        self.assertIn("LibraryError", done.stderr)
        self.assertIn(text, done.stderr)

    @unittest.skipUnless(COMPILER, "CC names no C compiler")
    def test_other_version(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "other.so")
            for version, text in (("0.2.0", "is libptxlint 0.2.0; this package is for 0.1"),
                                  ("0.1.9", "undefined symbol: ptxlint_")):
                source = f'const char *ptxlint_version(void) {{ return "{version}"; }}'
                subprocess.run([*COMPILER, "-shared", "-fPIC", "-x", "c", "-", "-o", path],
                               input=source, text=True, check=True)
                self.check_library(path, text)


class Life(unittest.TestCase):
    def test_version(self):
        self.assertEqual(ptxlint.__version__, ptxlint._load.library().ptxlint_version().decode())

    def test_garbage(self):
        """A kernel keeps its module; what is dropped is freed."""
        kernel = open_saxpy().kernels[0]
        gc.collect()
        self.assertTrue(kernel.estimate(1, 32).gpu)
        del kernel
        gc.collect()

    def test_threads(self):
        """20 threads ask one module and make their own; the answers are those of one thread."""
        module = open_saxpy()
        kernel = module.kernel("saxpy")
        blocks = [32 * (1 + i) for i in range(20)]
        wanted = [kernel.estimate(16384, block, ARGUMENTS) for block in blocks]
        found = [None] * 20

        def work(index):
            for _ in range(5):
                found[index] = kernel.estimate(16384, blocks[index], ARGUMENTS)
                with open_saxpy(estimates_only=True) as own:
                    again = own.kernel("saxpy").estimate(16384, blocks[index], ARGUMENTS)
                    assert again == found[index]
        self.run_all([threading.Thread(target=work, args=(index,)) for index in range(20)])
        self.assertEqual(found, wanted)

    def test_close_meanwhile(self):
        """Who comes late gets an Error, and nothing crashes."""
        module = open_saxpy()
        kernel = module.kernel("saxpy")
        late = []

        def work():
            try:
                while True:
                    kernel.estimate(16384, 256, ARGUMENTS)
                    module.report()
            except ptxlint.Error as error:
                late.append(str(error))
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        module.close()
        for thread in threads:
            thread.join()
        self.assertEqual(late, ["the module is closed"] * 8)

    def test_lock_is_released(self):
        """This thread runs on while another is inside the library."""
        ptx, _ = one_megabyte()
        times = []

        def work():
            times.append(time.monotonic())
            with ptxlint.Module(ptx):
                times.append(time.monotonic())
        thread = threading.Thread(target=work)
        thread.start()
        seen = []
        while thread.is_alive():
            time.sleep(0.001)
            seen.append(time.monotonic())
        self.assertGreater(sum(times[0] < moment < times[1] for moment in seen), 10)

    def run_all(self, threads):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def test_one_megabyte(self):
        ptx, count = one_megabyte()
        with ptxlint.Module(ptx, gpus="h200", jobs=2, estimates_only=True) as module:
            self.assertEqual(len(module.kernels), count)
            self.assertTrue(module.kernels[-1].estimate(16384, 256, ARGUMENTS).predicted_us > 0)


class Page(unittest.TestCase):
    def test_examples(self):
        """Those of docs/python.md run as they stand."""
        page = read(os.path.join(ROOT, "docs/python.md"))
        examples = re.findall(r"```python\n(.*?)```", page, re.S)
        self.assertEqual(len(examples), 7)
        for example in examples:
            program = example.replace("saxpy.ptx", SAXPY).replace('"cache"', repr(CACHE))
            ast.parse(program)
            if "autotune" in program:           # needs Triton: stub_triton.py stands for it
                continue
            done = subprocess.run([sys.executable, "-B", "-W", "error", "-c", program],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
