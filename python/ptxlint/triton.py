"""Triton's autotuner without the configs that cannot win: docs/python.md, "Triton".

    import ptxlint.triton

    @ptxlint.triton.autotune(configs=CONFIGS, key=["m", "n", "k"], top_k=6)
    @triton.jit
    def matmul(...): ...

Every config is compiled to PTX, on several threads. Those whose predicted time is too long get
neither ptxas nor a benchmark. Whatever fails, the config is kept, and the log says why.
"""
import importlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import Error
from ._gpus import GpuName
from ._prune import (Candidate, Decision, Limits, Outcome, decide, estimate_all, find_product, log,
                     prune_candidates)
from ._stages import Stages, Stopped, hooked
from ._triton_cache import read_cache, read_compiled, read_inductor

__all__ = ["Candidate", "Decision", "Pruner", "autotune", "compile_ptx", "prune_candidates",
           "read_cache", "read_inductor"]

_OF_LAUNCH = ("grid", "warmup")
_lock = threading.RLock()           # of the hook: one pruner at a time


def autotune(configs: Sequence[Any], key: Sequence[str], *,
             top_k: Union[int, float, None] = None, ratio: Optional[float] = None, k_min: int = 1,
             gpu: Optional[GpuName] = None, pruner: Optional["Pruner"] = None,
             **options: Any) -> Callable[[Any], Any]:
    """triton.autotune with a Pruner. options: of triton.autotune."""
    triton = importlib.import_module("triton")
    one = pruner or Pruner(top_k=top_k, ratio=ratio, k_min=k_min, gpu=gpu)
    decorate = triton.autotune(configs=list(configs), key=list(key), **options)

    def attach(function: Any) -> Any:
        return one.attach(decorate(function))
    return attach


def compile_ptx(source: Any, target: Any,
                options: Optional[Mapping[str, Any]] = None) -> Tuple[str, Mapping[str, Any]]:
    """PTX and metadata of a triton.compiler.ASTSource, without ptxas and without a GPU.

    target: as GPUTarget("cuda", 90, 32). options: num_warps, num_stages, ...
    """
    triton = importlib.import_module("triton")
    stages = Stages()
    with _lock, hooked(stages):
        try:
            with stages.probing():
                kernel = triton.compile(source, target=target, options=dict(options or {}))
            return read_compiled(kernel)
        except Stopped as stopped:
            return stopped.ptx, stopped.metadata


class Pruner:
    """Chooses configs: as early_config_prune, or perf_model, of triton.autotune.

    Triton does not tell these for which kernel they are asked: attach() or bind() does. Of a
    failure the caller sees a warning in the log "ptxlint.triton", and all configs are kept.
    """

    def __init__(self, function: Any = None, *, top_k: Union[int, float, None] = None,
                 ratio: Optional[float] = None, k_min: int = 1, gpu: Optional[GpuName] = None,
                 threads: int = 0):
        """top_k: at most so many, or a share as a float; ratio: up to so many times the best time.

        Without either: top_k=0.25 with k_min of at least 2. gpu: None: the current device, else
        what PTX's .target says. threads: that compile; 0: by the processors.
        """
        self._limits = Limits(top_k, ratio, k_min)
        if top_k is None and ratio is None:
            self._limits = Limits(0.25, None, max(k_min, 2))
        self._function = function
        self._gpu = gpu
        self._threads = threads or min(8, os.cpu_count() or 1)
        self.decisions: List[Decision] = []
        """of the last call, in the order of the configs"""

    def bind(self, function: Any) -> "Pruner":
        """For this kernel: what @triton.jit or @triton.heuristics returned."""
        self._function = function
        return self

    def attach(self, autotuner: Any) -> Any:
        """Puts itself into what @triton.autotune returned, and returns that.

        An early_config_prune that it had comes first.
        """
        self.bind(autotuner.fn)
        earlier = getattr(autotuner, "early_config_prune", None)

        def prune(configs: Sequence[Any], named_args: Mapping[str, Any], **options: Any) -> Any:
            left = earlier(configs, named_args, **options) if earlier else configs
            return self.early_config_prune(left, named_args, **options)
        autotuner.early_config_prune = prune
        return autotuner

    # ---- what Triton calls

    def early_config_prune(self, configs: Sequence[Any], named_args: Mapping[str, Any],
                           **options: Any) -> List[Any]:
        """The configs that are worth a benchmark. Raises nothing.

        The first of several stands at the end once more: Triton times it on a GPU that is not
        warm yet, up to a tenth too fast, and keeps the later time.
        """
        configs = list(configs)
        self.decisions = []
        try:
            self.decisions = self._prune(configs, dict(named_args or {}), options)
        except Exception as error:
            log.warning("all %d configs are kept: %s: %s", len(configs), type(error).__name__,
                        error)
            return configs
        for one in self.decisions:
            log.info("%s", one)
        kept = [one.config for one in self.decisions if one.is_kept]
        if len(kept) > 1:
            kept.append(kept[0])
        return kept or configs

    __call__ = early_config_prune

    def perf_model(self, **arguments: Any) -> float:
        """The predicted time in microseconds; 0, which Triton keeps, where none is known."""
        try:
            with _lock:
                stages = Stages()
                with hooked(stages):
                    candidate = _probe(stages, self._need_function(), None, arguments, {})
            outcome = estimate_all([candidate], self._find_gpu())[0]
            if isinstance(outcome, BaseException):
                raise outcome
            if outcome.predicted_us is not None:
                return outcome.predicted_us
            log.info("no time is predicted: %s", outcome.why)
        except Exception as error:
            log.warning("no time is predicted: %s: %s", type(error).__name__, error)
        return 0.0

    # ---- how

    def _need_function(self) -> Any:
        if self._function is None:
            raise Error("the pruner has no kernel: use attach() or bind()")
        return self._function

    def _find_gpu(self) -> Optional[GpuName]:
        return self._gpu if self._gpu is not None else find_product(_device_name())

    def _prune(self, configs: List[Any], named: Dict[str, Any],
               options: Dict[str, Any]) -> List[Decision]:
        function = self._need_function()
        if len(configs) <= self._limits.k_min:
            return [Decision(one, True, "no more than k_min") for one in configs]
        stages = Stages()
        with _lock, hooked(stages):
            # What a kernel depends on is found once, before threads ask for it.
            getattr(_innermost(function), "cache_key", None)
            gpu = self._find_gpu()

            def probe(config: Any) -> Outcome:
                return estimate_all([_try_probe(stages, function, config, named, options)], gpu)[0]
            decisions = decide(configs, self._map(probe, configs), self._limits)
            kept = [one.config for one in decisions if one.is_kept]
            self._map(lambda config: _try_finish(function, config, named, options), kept)
        return decisions

    def _map(self, do: Callable[[Any], Any], configs: Sequence[Any]) -> List[Any]:
        """A hook before the launch may change an argument that all configs share: one thread."""
        if self._threads == 1 or any(getattr(one, "pre_hook", None) for one in configs):
            return [do(one) for one in configs]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(do, configs))


def _device_name() -> Optional[str]:
    """Of the current one; None: there is none."""
    try:
        torch = importlib.import_module("torch")
        return str(torch.cuda.get_device_name()) if torch.cuda.is_available() else None
    except Exception:
        return None


def _innermost(function: Any) -> Any:
    """@triton.jit's, within heuristics."""
    while hasattr(function, "fn") and not hasattr(function, "params"):
        function = function.fn
    return function


# ---- one config ---------------------------------------------------------------------------------

def _gather(function: Any, config: Any, named: Mapping[str, Any],
            options: Mapping[str, Any]) -> Dict[str, Any]:
    """All arguments by name, as the autotuner calls the kernel."""
    found = {**named, **options}
    if config is not None:
        found.update(config.all_kwargs())
    return {key: value for key, value in found.items() if key not in _OF_LAUNCH}


def _add_derived(function: Any, arguments: Mapping[str, Any]) -> Dict[str, Any]:
    """With what heuristics and defaults say: a grid may ask for these too."""
    found = dict(arguments)
    while hasattr(function, "fn") and not hasattr(function, "params"):
        for name, heuristic in getattr(function, "values", {}).items():
            found[name] = heuristic(found)
        function = function.fn
    signature = getattr(function, "signature", None)
    for name, one in signature.parameters.items() if signature else ():
        if name not in found and one.default is not one.empty:
            found[name] = one.default
    return found


def _compile(function: Any, arguments: Mapping[str, Any]) -> Any:
    return function.run(grid=None, warmup=True, **arguments)


def _prepare(config: Any, arguments: Mapping[str, Any]) -> None:
    """As before each launch: it may give a tensor descriptor its block."""
    hook = getattr(config, "pre_hook", None)
    if hook:
        hook(dict(arguments))


def _probe(stages: Stages, function: Any, config: Any, named: Mapping[str, Any],
           options: Mapping[str, Any]) -> Candidate:
    arguments = _gather(function, config, named, options)
    _prepare(config, arguments)
    try:
        with stages.probing():
            kernel = _compile(function, arguments)
        ptx, metadata = read_compiled(kernel)      # it was in a cache
    except Stopped as stopped:
        ptx, metadata = stopped.ptx, stopped.metadata
    derived = _add_derived(function, arguments)
    grid = {**named, **options}.get("grid")
    return Candidate(config, ptx, metadata, _read_grid(grid, derived),
                     _runtime_values(_innermost(function), derived))


def _try_probe(stages: Stages, function: Any, config: Any, named: Mapping[str, Any],
               options: Mapping[str, Any]) -> Union[Candidate, BaseException]:
    try:
        return _probe(stages, function, config, named, options)
    except Exception as error:
        return error


def _try_finish(function: Any, config: Any, named: Mapping[str, Any],
                options: Mapping[str, Any]) -> None:
    """ptxas, on this thread; what fails here fails again where Triton expects it."""
    arguments = _gather(function, config, named, options)
    try:
        _prepare(config, arguments)
        _compile(function, arguments)
    except Exception as error:
        log.info("%s: %s: %s", config, type(error).__name__, error)


def _read_grid(grid: Any, arguments: Dict[str, Any]) -> Optional[Tuple[int, ...]]:
    sizes = grid(arguments) if callable(grid) else grid
    if sizes is None:
        return None
    return tuple(int(one) for one in (sizes if hasattr(sizes, "__iter__") else (sizes,)))


def _runtime_values(function: Any, arguments: Mapping[str, Any]) -> List[Any]:
    """Of the parameters that PTX has: those that are no constants, in order."""
    found: List[Any] = []
    for param in function.params:
        value = arguments.get(param.name)
        is_one = isinstance(value, int) and not isinstance(value, bool) and value == 1
        if param.is_constexpr or value is None \
                or (is_one and not getattr(param, "do_not_specialize", False)):
            continue
        found += _flatten(value)
    return found


def _flatten(value: Any) -> List[Any]:
    """None is a pointer. A tensor descriptor is its map, then shape and strides."""
    if isinstance(value, bool):
        return [int(value)]
    if isinstance(value, (int, float)):
        return [value]
    if isinstance(value, tuple):
        return [part for one in value if one is not None for part in _flatten(one)]
    if hasattr(value, "block_shape") and hasattr(value, "strides"):
        return [None, *map(int, value.shape), *map(int, value.strides)]
    return [None]
