"""What the package returns. None: not known, or there is no such thing."""
import math
from dataclasses import dataclass, field, fields
from typing import Any, Dict, List, Optional, Tuple

from . import _abi


@dataclass(frozen=True)
class Source:
    """A CUDA line that .loc names."""

    path: str
    line: Optional[int]
    column: Optional[int]


@dataclass(frozen=True)
class Related:
    """Another place that belongs to a finding; a remark without a place has None for all four."""

    message: str
    line: Optional[int]
    column: Optional[int]
    end_line: Optional[int]
    end_column: Optional[int]


@dataclass(frozen=True)
class Fix:
    """The edit that repairs a finding: what goes, and what comes there."""

    line: int
    column: int
    end_line: int
    end_column: int
    replacement: str
    certain: bool
    """False: a guess, to be looked at before it is applied"""


@dataclass(frozen=True)
class Diagnostic:
    """A finding: docs/report.md, "Diagnostics", has each field."""

    rule: str
    name: str
    group: str
    severity: str
    """"error", "warning" or "note\""""
    message: str
    path: str
    line: int
    column: int
    """in bytes from 1, as end_column, which is exclusive"""
    end_line: int
    end_column: int
    kernel: Optional[str]
    statement: str
    certainty: str
    """"exact", "bound", "estimate" or "unknown\""""
    label: Optional[str]
    help: Optional[str]
    fix: Optional[Fix]
    related: Tuple[Related, ...]
    source: Optional[Source]
    inlined: Tuple[Source, ...]
    repeats: int
    gain_percent: Optional[float]
    gain_of: Optional[str]
    suppression: Optional[str]
    """"inline", "config" or "baseline" of a finding that is suppressed"""
    document: Dict[str, Any] = field(repr=False, compare=False)
    """the finding as JSON has it, with keys that are newer than this package"""

    def __str__(self) -> str:
        return (f"{self.path}:{self.line}:{self.column}: {self.severity}: {self.message} "
                f"[{self.rule}]")


def _pick(kind: Any, found: Any) -> Any:
    """Keys may be added within a version of the document: those are skipped. None stays."""
    return found and kind(**{one.name: found[one.name] for one in fields(kind)})


def read_diagnostic(found: Dict[str, Any]) -> Diagnostic:
    """From an element of `diagnostics` of the JSON document."""
    values = {one.name: found[one.name] for one in fields(Diagnostic) if one.name != "document"}
    values["fix"] = _pick(Fix, found["fix"])
    values["related"] = tuple(_pick(Related, one) for one in found["related"])
    values["source"] = _pick(Source, found["source"])
    values["inlined"] = tuple(_pick(Source, one) for one in found["inlined"])
    values["suppression"] = found["suppression"] and found["suppression"]["kind"]
    return Diagnostic(**values, document=found)


@dataclass(frozen=True)
class Occupancy:
    """Blocks that an SM holds at once, and what limits them."""

    blocks_per_sm: Optional[int]
    warps_per_sm: Optional[int]
    percent: Optional[float]
    """of the SM's warps"""
    limiter: Optional[str]
    """"warps", "registers", "shared", "blocks" or "barriers\""""
    limiters: Tuple[str, ...]
    """all that tie"""
    limits: Dict[str, Optional[int]]
    """blocks that each of these allows; what sets no limit is absent"""
    registers_per_block: Optional[int]
    """as the hardware allocates them"""
    shared_per_block: Optional[int]
    error: Optional[str]
    """why no block fits"""


@dataclass(frozen=True)
class Estimate:
    """What a launch would do: docs/time.md has the model. Times are microseconds."""

    kernel: str
    gpu: str
    predicted_us: Optional[float]
    """the best single guess; nine in ten such launches fall between low_us and high_us"""
    low_us: Optional[float]
    high_us: Optional[float]
    bound_us: Optional[float]
    """no launch is faster"""
    bound_by: Optional[str]
    limiter: Optional[str]
    """what takes longest: "dram", "issue", ..."""
    why: Optional[str]
    """why nothing is predicted"""
    certainty: Optional[str]
    parts: Dict[str, Optional[float]]
    """microseconds by part of the machine"""
    occupancy: Occupancy
    waves: Optional[float]
    spills: Optional[str]
    """with max_registers: "unlikely", "possible" or "likely\""""
    dram_bytes: Optional[float]
    warp_instructions: Optional[float]
    thread_accesses: Optional[float]
    sectors_per_request: Optional[float]
    ideal_sectors_per_request: Optional[float]
    wavefronts_per_request: Optional[float]
    ideal_wavefronts_per_request: Optional[float]
    knows_params: bool
    """no integer among the parameters was assumed"""
    compute_percent: Optional[float]
    memory_percent: Optional[float]
    issue_percent: Optional[float]
    relieved_us: Optional[float]
    """predicted, did the limiter take nothing"""
    next: Optional[str]
    """the limiter then"""
    advice: Optional[str]
    registers: Optional[int]
    """per thread, without max_registers; nine in ten kernels lie from low to high"""
    registers_low: Optional[int]
    registers_high: Optional[int]


def text(value: Optional[bytes]) -> Optional[str]:
    """What is not UTF-8 becomes U+FFFD, as in the documents."""
    return None if value is None else value.decode("utf-8", "replace")


def number(value: float) -> Optional[float]:
    """NaN is not known."""
    return None if math.isnan(value) else value


def integer(value: int) -> Optional[int]:
    """PTXLINT_UNKNOWN is not known."""
    return None if value == _abi.UNKNOWN else value


def word(words: Tuple[Optional[str], ...], value: int) -> Optional[str]:
    """Of an enum; None where it is newer than this package."""
    return words[value] if value < len(words) else None


def read_occupancy(found: _abi.Occupancy) -> Occupancy:
    """From what the library has filled."""
    names: List[str] = [one.decode() for one in found.limiters[:found.limiter_count]]
    limits = zip(_abi.LIMITERS, found.limits)
    limiter = text(found.limiter)
    return Occupancy(
        integer(found.blocks_per_sm), integer(found.warps_per_sm), number(found.percent),
        None if limiter == "unknown" else limiter, tuple(names),
        {key: integer(value) for key, value in limits if value != _abi.NO_LIMIT},
        integer(found.registers_allocated_per_block), integer(found.shared_allocated_per_block),
        text(found.error))


def read_estimate(kernel: str, gpu: str, found: _abi.Estimated) -> Estimate:
    """From what the library has filled."""
    time, bottleneck = found.time, found.bottleneck
    parts = time.parts[:time.part_count]
    return Estimate(
        kernel=kernel, gpu=gpu, predicted_us=number(time.predicted_us),
        low_us=number(time.low_us), high_us=number(time.high_us),
        bound_us=number(time.bound_us), bound_by=text(time.bound_by), limiter=text(time.limiter),
        why=text(time.why), certainty=word(_abi.CERTAINTIES, time.certainty),
        parts={part.part.decode(): number(part.us) for part in parts},
        occupancy=read_occupancy(found.occupancy), waves=number(found.waves),
        spills=word(_abi.SPILLS, found.spills), dram_bytes=number(time.dram_bytes),
        warp_instructions=number(found.warp_instructions),
        thread_accesses=number(found.thread_accesses),
        sectors_per_request=number(found.sectors_per_request),
        ideal_sectors_per_request=number(found.ideal_sectors_per_request),
        wavefronts_per_request=number(found.wavefronts_per_request),
        ideal_wavefronts_per_request=number(found.ideal_wavefronts_per_request),
        knows_params=bool(found.knows_params),
        compute_percent=number(bottleneck.compute_percent),
        memory_percent=number(bottleneck.memory_percent),
        issue_percent=number(bottleneck.issue_percent),
        relieved_us=number(bottleneck.relieved_us), next=text(bottleneck.next),
        advice=text(bottleneck.advice), registers=integer(found.registers),
        registers_low=integer(found.registers_low), registers_high=integer(found.registers_high))
