"""Triton's interfaces, as far as the pruner uses them; it compiles by reading PTX from a cache.

install() puts it into sys.modules. Which names and calls there are follows Triton 3.6
(autotuner.py, jit.py, compiler.py, knobs.py); with_knob=False follows 3.3.
"""
import contextlib
import inspect
import json
import os
import sys
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.path.join(ROOT, "testdata/triton")


class Config:
    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, pre_hook=None):
        self.kwargs, self.num_warps, self.num_stages = kwargs, num_warps, num_stages
        self.num_ctas, self.pre_hook = num_ctas, pre_hook

    def all_kwargs(self):
        return {**self.kwargs, "num_warps": self.num_warps, "num_ctas": self.num_ctas,
                "num_stages": self.num_stages}

    def __str__(self):
        return f"{self.kwargs}, num_warps: {self.num_warps}"


class Compiled:
    def __init__(self, asm, metadata):
        self.asm, self.metadata = asm, metadata


class Interface:
    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


class Jit(Interface):
    """A config's FOLDER says where its PTX is; counts how often each stage ran."""

    def __init__(self, fn, triton):
        self.fn, self.triton = fn, triton
        self.signature = inspect.signature(fn)
        self.arg_names = list(self.signature.parameters)
        self.params = [types.SimpleNamespace(name=name, is_constexpr=name.isupper(),
                                             do_not_specialize=False)
                       for name in self.arg_names]
        self.cache = {}
        self.ran = []
        self.launched = []

    cache_key = "key"

    def run(self, *args, grid, warmup, **kwargs):
        options = {name: kwargs.pop(name) for name in ("num_warps", "num_ctas", "num_stages")}
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        folder = bound.arguments["FOLDER"]
        if folder not in self.cache:
            self.cache[folder] = self.compile(folder, options)
        if not warmup:
            self.launched.append((folder, grid(bound.arguments) if callable(grid) else grid))
        return self.cache[folder]

    def compile(self, folder, options):
        if folder == "broken":
            raise RuntimeError("the compiler failed")
        path = os.path.join(CACHE, folder, self.fn.__name__)
        with open(path + ".json", encoding="utf-8") as file:
            found = json.load(file)
        metadata = {"hash": found.pop("hash"), **options}

        def ptx(_, filled):
            self.ran.append((folder, "ptx"))
            filled.update(found)
            with open(path + ".ptx", encoding="utf-8") as file:
                return file.read()

        def cubin(source, _):
            self.ran.append((folder, "cubin"))
            return source.encode()
        stages = {"ptx": ptx, "cubin": cubin}
        self.triton.add_stages(stages, options)
        module, asm = None, {}
        for name, stage in stages.items():
            module = asm[name] = stage(module, metadata)
        return Compiled(asm, metadata)


class Heuristics(Interface):
    def __init__(self, fn, values):
        self.fn, self.values, self.arg_names = fn, values, fn.arg_names

    def run(self, *args, **kwargs):
        for name, heuristic in self.values.items():
            kwargs[name] = heuristic({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.run(*args, **kwargs)


class Autotuner(Interface):
    """The first of those that are left is the best."""

    def __init__(self, fn, configs, prune_configs_by):
        self.fn, self.configs, self.arg_names = fn, configs, fn.arg_names
        self.early_config_prune = (prune_configs_by or {}).get("early_config_prune")
        self.perf_model = (prune_configs_by or {}).get("perf_model")
        self.top_k = (prune_configs_by or {}).get("top_k", 1.0)

    def run(self, *args, **kwargs):
        nargs = dict(zip(self.arg_names, args))
        left = self.configs
        if self.early_config_prune:
            left = self.early_config_prune(left, nargs, **kwargs)
        if self.perf_model:
            times = {one: self.perf_model(**nargs, **kwargs, **one.all_kwargs()) for one in left}
            left = sorted(times, key=times.get)[:self.top_k]
        self.timed = list(dict.fromkeys(left))      # as Triton keeps times
        self.last_timed = left[-1]
        for config in left:
            with contextlib.suppress(RuntimeError):
                self.fn.run(*args, **kwargs, **config.all_kwargs())


class Tensor:
    """As torch has it: neither a number nor a tuple."""
    dtype, shape = "float16", (2048, 2048)


class Triton(types.ModuleType):
    def __init__(self, with_knob):
        super().__init__("triton")
        self.Config, self.hook_calls = Config, 0
        self.knobs = types.ModuleType("triton.knobs")
        self.knobs.runtime = types.SimpleNamespace()
        self.nvidia = types.ModuleType("triton.backends.nvidia.compiler")
        self.nvidia.CUDABackend = type("CUDABackend", (), {"add_stages": lambda *args: None})
        if with_knob:
            self.knobs.runtime.add_stages_inspection_hook = None

    def jit(self, fn):
        return Jit(fn, self)

    def heuristics(self, values):
        return lambda fn: Heuristics(fn, values)

    def autotune(self, configs, key, prune_configs_by=None):
        return lambda fn: Autotuner(fn, configs, prune_configs_by)

    def compile(self, source, target, options):
        assert target == "target"
        return source.fn.compile(source.folder, options)

    def add_stages(self, stages, options):
        backend = self.nvidia.CUDABackend()
        backend.add_stages(stages, options)
        hook = getattr(self.knobs.runtime, "add_stages_inspection_hook", None)
        if hook:
            assert hook() == ("", "")
            hook(backend, stages, options, "triton", 90)


@contextlib.contextmanager
def installed(with_knob=True):
    triton = Triton(with_knob)
    modules = {"triton": triton, "triton.knobs": triton.knobs, "triton.backends": None,
               "triton.backends.nvidia": None, "triton.backends.nvidia.compiler": triton.nvidia}
    earlier = {name: sys.modules.get(name) for name in modules}
    sys.modules.update({name: module for name, module in modules.items() if module})
    try:
        yield triton
    finally:
        for name, module in earlier.items():
            sys.modules.pop(name, None)
            if module:
                sys.modules[name] = module
