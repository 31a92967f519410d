"""Which of a kernel's variants are worth their benchmark, by their predicted times."""
import logging
from dataclasses import dataclass, field
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import Error
from ._gpus import Gpu, GpuName, gpus
from ._module import Kernel, Module
from ._params import Param
from ._types import Estimate

log = logging.getLogger("ptxlint.triton")

_DESCRIPTOR_BYTES = 128             # of a tensor map, as a parameter has it
_WARP_SIZE = 32


@dataclass(frozen=True)
class Candidate:
    """A variant that is compiled to PTX, and its launch."""

    config: Any
    """whatever the caller knows it by"""
    ptx: str = field(repr=False)
    metadata: Mapping[str, Any] = field(repr=False)
    """of Triton: name, num_warps, num_ctas, shared, global_scratch_size, ..."""
    grid: Optional[Tuple[int, ...]]
    """in programs; None: not known"""
    arguments: Optional[Sequence[Any]] = None
    """values of the parameters in order, without those that are constants; of them None is a
    pointer; None: not known"""


@dataclass(frozen=True)
class Decision:
    """What became of a config, and why."""

    config: Any
    is_kept: bool
    why: str
    estimate: Optional[Estimate] = field(default=None, repr=False)

    @property
    def predicted_us(self) -> Optional[float]:
        return self.estimate.predicted_us if self.estimate else None

    def __str__(self) -> str:
        return f"{'kept' if self.is_kept else 'pruned'}: {self.config}: {self.why}"


@dataclass(frozen=True)
class Limits:
    """How many are kept: those within both limits, and k_min of them whatever the limits."""

    top_k: Union[int, float, None] = None
    """so many; as a float up to 1.0 a share of the configs"""
    ratio: Optional[float] = None
    """those whose predicted time is up to so many times the best's"""
    k_min: int = 1

    def __post_init__(self) -> None:
        if self.top_k is not None and not self.top_k > 0:
            raise ValueError(f"top_k is above 0, not {self.top_k}")
        if isinstance(self.top_k, float) and self.top_k > 1:
            raise ValueError(f"top_k is an integer, or a share up to 1.0, not {self.top_k}")
        if self.ratio is not None and not self.ratio >= 1:
            raise ValueError(f"ratio is 1 or more, not {self.ratio}")
        if self.k_min < 1:
            raise ValueError(f"k_min is 1 or more, not {self.k_min}")

    def at_most(self, count: int) -> int:
        """Of so many configs."""
        if self.top_k is None:
            return count
        most = int(count * self.top_k) if isinstance(self.top_k, float) else self.top_k
        return max(most, self.k_min)


# ---- the launch ---------------------------------------------------------------------------------

def _fits(param: Param, value: Any) -> bool:
    size = param.bytes or 0
    if value is None:
        return size in (8, _DESCRIPTOR_BYTES)
    if isinstance(value, float):
        return param.type in ("f16", "f32", "f64")
    return param.type[0] != "f" and param.type[1:] == str(8 * size) \
        and -(1 << (8 * size - 1)) <= value < 1 << 8 * size


def match_arguments(params: Sequence[Param], values: Sequence[Any]) -> Optional[List[Any]]:
    """Values for all parameters; Triton adds pointers to scratch memory after the kernel's own.

    None: they are not those of this kernel.
    """
    scratch = params[len(values):]
    if len(values) > len(params) or any(one.bytes != 8 for one in scratch):
        return None
    if not all(_fits(param, value) for param, value in zip(params, values)):
        return None
    return list(values) + [None] * len(scratch)


def _launch_grid(candidate: Candidate) -> Tuple[int, ...]:
    """In blocks: Triton counts clusters."""
    if candidate.grid is None:
        raise Error("its grid is not known")
    first, *others = candidate.grid
    return (first * int(candidate.metadata.get("num_ctas") or 1), *others)


def _launch_block(candidate: Candidate) -> Optional[int]:
    """None: .reqntid says it, with the warps of warp specialisation."""
    if ".reqntid" in candidate.ptx:
        return None
    return int(candidate.metadata["num_warps"]) * _WARP_SIZE


def _pick_kernel(module: Module, name: Optional[str]) -> Kernel:
    kernels = module.kernels
    return kernels[0] if len(kernels) == 1 else module.kernel(name or "")


def estimate_candidate(candidate: Candidate, gpu: Optional[GpuName] = None) -> Estimate:
    """Error, ValueError: it cannot be estimated."""
    wanted = () if gpu is None else gpu
    with Module(candidate.ptx, gpus=wanted, estimates_only=True) as module:
        kernel = _pick_kernel(module, candidate.metadata.get("name"))
        given = candidate.arguments
        values = [] if given is None else match_arguments(kernel.params, given)
        if values is None:
            raise Error(f"the arguments are not those of {kernel.name}")
        return kernel.estimate(_launch_grid(candidate), _launch_block(candidate), values,
                               dynamic_shared=int(candidate.metadata.get("shared") or 0))


def find_product(device: Optional[str]) -> Optional[Gpu]:
    """By the name that the driver has, as "NVIDIA H100 80GB HBM3"; None: none that is known."""
    words = (device or "").lower().replace("-", " ").split()
    return next((one for one in gpus() if one.product and one.name in words), None)


# ---- the choice ---------------------------------------------------------------------------------

Outcome = Union[Estimate, BaseException]


def _no_time(outcome: Outcome) -> str:
    if isinstance(outcome, BaseException):
        return f"{type(outcome).__name__}: {outcome}"
    return outcome.why or "no time is predicted"


def _is_too_large(outcome: Outcome) -> bool:
    """No block fits an SM: its launch would fail."""
    return isinstance(outcome, Estimate) and outcome.occupancy.error is not None


def decide(configs: Sequence[Any], outcomes: Sequence[Outcome], limits: Limits) -> List[Decision]:
    """In the order of the configs. What has no predicted time is kept: unknown is not slow."""
    timed = sorted((outcome.predicted_us, index) for index, outcome in enumerate(outcomes)
                   if isinstance(outcome, Estimate) and outcome.predicted_us is not None)
    most = limits.at_most(len(configs))
    chosen: List[Optional[Decision]] = [None] * len(configs)
    for place, (time, index) in enumerate(timed):
        best = timed[0][0]
        slower = time / best if best else 1.0
        is_near = limits.ratio is None or slower <= limits.ratio
        is_kept = place < limits.k_min or (place < most and is_near)
        why = f"{time:.4g} us predicted, {slower:.2f} times the best, {place + 1} of {len(timed)}"
        outcome = outcomes[index]
        chosen[index] = Decision(configs[index], is_kept, why,
                                 outcome if isinstance(outcome, Estimate) else None)
    for index, outcome in enumerate(outcomes):
        if chosen[index] is None:
            chosen[index] = _decide_untimed(configs[index], outcome, len(timed) >= limits.k_min)
    return [one for one in chosen if one is not None]


def _decide_untimed(config: Any, outcome: Outcome, has_others: bool) -> Decision:
    estimate = outcome if isinstance(outcome, Estimate) else None
    if estimate and _is_too_large(outcome) and has_others:
        return Decision(config, False, f"cannot be launched: {estimate.occupancy.error}", estimate)
    return Decision(config, True, f"not predicted: {_no_time(outcome)}", estimate)


def estimate_all(candidates: Sequence[Union[Candidate, BaseException]],
                 gpu: Optional[GpuName]) -> List[Outcome]:
    """An exception in place of what cannot be estimated."""
    found: List[Outcome] = []
    for one in candidates:
        if isinstance(one, BaseException):
            found.append(one)
            continue
        try:
            found.append(estimate_candidate(one, gpu))
        except Exception as error:      # whatever it is: the config is kept
            found.append(error)
    return found


def prune_candidates(candidates: Sequence[Candidate], *, gpu: Optional[GpuName] = None,
                     top_k: Union[int, float, None] = None, ratio: Optional[float] = None,
                     k_min: int = 1) -> List[Decision]:
    """A Decision for each, in their order. Needs no Triton: PTX and metadata may be from a cache.

    gpu: None: what .target says. The limits: as those of triton.Pruner.
    """
    configs = [one.config for one in candidates]
    return decide(configs, estimate_all(candidates, gpu), Limits(top_k, ratio, k_min))
