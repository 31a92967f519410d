"""The pruner under an imitation of Triton, which CI does not have; caches as Triton leaves them."""
import os
import shutil
import tempfile
import types
import unittest

import stub_triton

import ptxlint
import ptxlint.triton

FOLDERS = ["5DGKU7X2", "CZ5OJXDV", "QA3IOVGC"]
POINTERS = [None, None, None]
SIZES = [2048] * 6
GRID = (1024, 1, 1)
LOG = "ptxlint.triton"


def gemm(a, b, c, m, n, k, stride_a, stride_b, stride_c, FOLDER):
    """Its PTX is in the cache."""


def candidates(**changes):
    given = {"grid": GRID, "arguments": POINTERS + SIZES, **changes}
    return ptxlint.triton.read_cache(stub_triton.CACHE, "gemm", **given)


class Caches(unittest.TestCase):
    def test_read(self):
        found = ptxlint.triton.read_cache(stub_triton.CACHE)
        self.assertEqual([one.metadata["name"] for one in found], ["gemm"] * 3 + ["scale_add"])
        self.assertTrue(all(".visible .entry" in one.ptx for one in found))

    def test_limits(self):
        cases = (({}, 3), ({"top_k": 1}, 1), ({"top_k": 1, "k_min": 2}, 2), ({"top_k": 0.7}, 2),
                 ({"ratio": 1.0}, 1), ({"ratio": 1.0, "k_min": 3}, 3), ({"ratio": 100.0}, 3),
                 ({"ratio": 100.0, "top_k": 2}, 2))
        for limits, count in cases:
            made = ptxlint.triton.prune_candidates(candidates(), gpu="h200", **limits)
            self.assertEqual(sum(one.is_kept for one in made), count, limits)
            best = min(made, key=lambda one: one.predicted_us)
            self.assertTrue(best.is_kept)
            self.assertIn("1.00 times the best, 1 of 3", str(best))

    def test_wrong_limits(self):
        for limits in ({"top_k": 0}, {"top_k": 1.5}, {"ratio": 0.5}, {"k_min": 0}):
            with self.assertRaises(ValueError):
                ptxlint.triton.Pruner(**limits)

    def test_unknown_is_kept(self):
        """No grid, arguments of another kernel, no PTX: none of these is slow."""
        good = candidates()
        bad = [candidates(grid=None)[0], candidates(arguments=POINTERS)[0],
               candidates(arguments=[1.5] + POINTERS[1:] + SIZES)[0],
               ptxlint.triton.Candidate("x", "garbage", {}, GRID)]
        made = ptxlint.triton.prune_candidates(bad + good, gpu="h200", top_k=1)
        self.assertEqual([one.is_kept for one in made[:4]], [True] * 4)
        self.assertEqual(sum(one.is_kept for one in made[4:]), 1)
        self.assertIn("its grid is not known", made[0].why)
        self.assertIn("the arguments are not those of gemm", made[1].why)

    def test_launch_that_fails(self):
        """More shared memory than an SM has: Triton would time it at infinity."""
        good = candidates()
        large = ptxlint.triton.Candidate("large", good[0].ptx,
                                         {**good[0].metadata, "shared": 300000}, GRID)
        made = ptxlint.triton.prune_candidates([large] + good, gpu="h200", top_k=4)
        self.assertEqual([one.is_kept for one in made], [False, True, True, True])
        self.assertIn("cannot be launched", made[0].why)
        alone = ptxlint.triton.prune_candidates([large], gpu="h200", top_k=4)
        self.assertTrue(alone[0].is_kept)

    def test_clusters_count_blocks(self):
        one = candidates(grid=(512, 1, 1))[0]
        two = ptxlint.triton.Candidate(one.config, one.ptx, {**one.metadata, "num_ctas": 2},
                                       one.grid, one.arguments)
        made = ptxlint.triton.prune_candidates([one, two], gpu="h200")
        self.assertAlmostEqual(made[1].estimate.waves, 2 * made[0].estimate.waves)


class Inductor(unittest.TestCase):
    def test_grids(self):
        grid = ptxlint._triton_cache.inductor_grid
        blocks = {"XBLOCK": 512, "YBLOCK": 8}
        self.assertEqual(grid("Grid1D", {"xnumel": 1025}, blocks), (3,))
        self.assertEqual(grid("Grid2D", {"xnumel": 512, "ynumel": 9}, blocks), (1, 2))
        self.assertIsNone(grid("Grid2D", {"xnumel": 512}, blocks))
        self.assertIsNone(grid("MixOrderReductionGrid", {"xnumel": 512}, blocks))

    def test_candidates(self):
        cached = ptxlint.triton.read_cache(stub_triton.CACHE, "scale_add")[0]
        kernel = types.SimpleNamespace(asm={"ptx": cached.ptx}, metadata=cached.metadata,
                                       src=types.SimpleNamespace(constants={}))
        configs = [stub_triton.Config({"XBLOCK": block}) for block in (512, 1024)]
        autotuner = types.SimpleNamespace(
            compile_results=[types.SimpleNamespace(kernel=kernel, config=one) for one in configs],
            triton_meta={"signature": {"in_ptr0": "*fp32", "xnumel": "i32",
                                       "XBLOCK": "constexpr"}},
            inductor_meta={"grid_type": "Grid1D"})
        found = ptxlint.triton.read_inductor(autotuner, {"xnumel": 4096})
        self.assertEqual([one.grid for one in found], [(8,), (4,)])
        self.assertEqual([one.arguments for one in found], [[None, 4096]] * 2)
        self.assertEqual([one.config for one in found], configs)
        static = types.SimpleNamespace(hash="00" * 32, name="scale_add")
        autotuner.compile_results[0].kernel = static
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(ptxlint.Error, "use_static_cuda_launcher"):
                ptxlint.triton.read_inductor(autotuner, {"xnumel": 4096}, folder)
            shutil.copytree(os.path.join(stub_triton.CACHE, "Z3IM3EAE"),
                            os.path.join(folder, "A" * 52))
            again = ptxlint.triton.read_inductor(autotuner, {"xnumel": 4096}, folder)
        self.assertEqual([one.ptx for one in again], [one.ptx for one in found])
        with self.assertRaisesRegex(ptxlint.Error, "precompile"):
            ptxlint.triton.read_inductor(types.SimpleNamespace(compile_results=[]), {})


class Autotuner(unittest.TestCase):
    def tune(self, triton, kernel, folders=FOLDERS, **options):
        configs = [triton.Config({"FOLDER": folder}) for folder in folders]
        tuned = ptxlint.triton.autotune(configs, ["m"], gpu="h200", **options)(kernel)
        tensors = [stub_triton.Tensor() for _ in POINTERS]
        tuned[lambda meta: (len(meta["FOLDER"]) * 128,)](*tensors, *SIZES)
        return tuned

    def check_stages(self, with_knob):
        """ptxas for what is kept alone; the stages before it once."""
        with stub_triton.installed(with_knob) as triton:
            kernel = triton.jit(gemm)
            tuned = self.tune(triton, kernel, top_k=1)
            hook = getattr(triton.knobs.runtime, "add_stages_inspection_hook", None)
        self.assertIsNone(hook)
        kept = [one.kwargs["FOLDER"] for one in tuned.timed]
        self.assertEqual(len(kept), 1)
        self.assertEqual(sorted(kernel.ran),
                         sorted([(one, "ptx") for one in FOLDERS] + [(kept[0], "cubin")]))
        self.assertEqual(kernel.launched, [(kept[0], (1024,))])
        self.assertEqual(kernel.cache[kept[0]].metadata["name"], "gemm")

    def test_knob(self):
        self.check_stages(True)

    def test_backend(self):
        self.check_stages(False)

    def test_compile_ptx(self):
        with stub_triton.installed() as triton:
            kernel = triton.jit(gemm)
            source = types.SimpleNamespace(fn=kernel, folder=FOLDERS[0])
            ptx, metadata = ptxlint.triton.compile_ptx(source, "target", {"num_warps": 8})
        self.assertEqual(kernel.ran, [(FOLDERS[0], "ptx")])
        self.assertEqual((metadata["name"], metadata["num_warps"]), ("gemm", 8))
        self.assertIn(".visible .entry gemm", ptx)

    def test_earlier_hook(self):
        with stub_triton.installed() as triton:
            seen = []

            def earlier(*args):
                seen.append(len(args))
                return "", ""
            triton.knobs.runtime.add_stages_inspection_hook = earlier
            self.tune(triton, triton.jit(gemm), top_k=1)
            self.assertIs(triton.knobs.runtime.add_stages_inspection_hook, earlier)
        self.assertEqual(set(seen), {0, 5})

    def test_heuristics_and_pre_hook(self):
        with stub_triton.installed() as triton:
            kernel = triton.jit(gemm)
            seen = []
            derived = triton.heuristics({"stride_c": lambda args: args["m"]})(kernel)
            configs = [triton.Config({"FOLDER": one}, pre_hook=seen.append) for one in FOLDERS]
            tuned = ptxlint.triton.autotune(configs, ["m"], gpu="h200", top_k=2)(derived)
            tuned[GRID](*POINTERS_OF_TENSORS, *SIZES[:-1])
        self.assertEqual(len(tuned.timed), 2)
        self.assertTrue(all(one["m"] == 2048 for one in seen))

    def test_earlier_prune(self):
        """What the user's own function leaves is pruned further."""
        with stub_triton.installed() as triton:
            kernel = triton.jit(gemm)
            pruner = ptxlint.triton.Pruner(top_k=1, gpu="h200")
            configs = [triton.Config({"FOLDER": one}) for one in FOLDERS]
            own = {"early_config_prune": lambda configs, named, **options: configs[1:]}
            tuned = pruner.attach(triton.autotune(configs, ["m"], own)(kernel))
            tuned[GRID](*POINTERS_OF_TENSORS, *SIZES)
        self.assertEqual([one.config for one in pruner.decisions], configs[1:])

    def test_perf_model(self):
        with stub_triton.installed() as triton:
            kernel = triton.jit(gemm)
            pruner = ptxlint.triton.Pruner(kernel, gpu="h200")
            configs = [triton.Config({"FOLDER": one}) for one in FOLDERS]
            own = {"perf_model": pruner.perf_model, "top_k": 1}
            tuned = triton.autotune(configs, ["m"], own)(kernel)
            tuned[GRID](*POINTERS_OF_TENSORS, *SIZES)
            self.assertEqual(len(tuned.timed), 1)
            with self.assertLogs(LOG, "WARNING"):
                self.assertEqual(pruner.perf_model(m=1), 0.0)

    def test_failures_keep_configs(self):
        with stub_triton.installed() as triton:
            tuned = self.tune(triton, triton.jit(gemm), ["broken", *FOLDERS], top_k=1)
            self.assertEqual(tuned.timed[0].kwargs["FOLDER"], "broken")
            self.assertEqual(len(tuned.timed), 2)
            self.assertIs(tuned.last_timed, tuned.timed[0])     # once more, on a warm GPU
            with self.assertLogs(LOG, "WARNING") as logged:
                kept = ptxlint.triton.Pruner().early_config_prune([1, 2, 3, 4], {})
            self.assertEqual(kept, [1, 2, 3, 4])
            self.assertIn("attach() or bind()", logged.output[0])

    def test_log(self):
        with stub_triton.installed() as triton, self.assertLogs(LOG, "INFO") as logged:
            self.tune(triton, triton.jit(gemm), ratio=1.0)
        self.assertEqual(sum("pruned: " in line for line in logged.output), 2)


POINTERS_OF_TENSORS = [stub_triton.Tensor() for _ in POINTERS]


class Values(unittest.TestCase):
    """Arguments as PTX has its parameters."""

    def test_flatten(self):
        descriptor = types.SimpleNamespace(shape=[64, 32], strides=[32, 1], block_shape=[16, 16])
        cases = ((3, [3]), (2.5, [2.5]), (True, [1]), (stub_triton.Tensor(), [None]),
                 ((3, None, (1.0,)), [3, 1.0]), (descriptor, [None, 64, 32, 32, 1]))
        for value, found in cases:
            self.assertEqual(ptxlint.triton._flatten(value), found)

    def test_constants_are_left_out(self):
        def kernel(x, n, one, nothing, scale=0.5, BLOCK=64):
            """Not called."""
        jit = stub_triton.Triton(True).jit(kernel)
        values = {"x": stub_triton.Tensor(), "n": 7, "one": 1, "nothing": None}
        derived = ptxlint.triton._add_derived(jit, values)
        self.assertEqual(ptxlint.triton._runtime_values(jit, derived), [None, 7, 0.5])

    def test_product(self):
        for device, name in (("NVIDIA H200", "h200"), ("NVIDIA H100 80GB HBM3", "h100"),
                             ("GeForce 256", None), (None, None)):
            found = ptxlint.triton.find_product(device)
            self.assertEqual(found and found.name, name)


if __name__ == "__main__":
    unittest.main()
