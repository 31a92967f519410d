"""Measured times held against what a GPU can do."""
import ctypes
import dataclasses
import os
from typing import Iterator, List, Optional, Sequence, Tuple, Union

from . import _abi
from ._errors import check
from ._load import library
from ._module import Gpus, Module
from ._types import number, text

PathLike = Union[str, "os.PathLike[str]"]
VERDICTS = ("unknown", "impossible", "faster", "as predicted", "slower")


@dataclasses.dataclass(frozen=True)
class Verified:
    """A row of a file of measured times, and what can be said of it on one GPU."""

    row: int
    """of the file, from 1"""
    kernel: Optional[str]
    path: Optional[str]
    """of the PTX; None: no input has such a kernel, or several may be it"""
    gpu: Optional[str]
    verdict: str
    """impossible (certain), faster, as predicted, slower, unknown"""
    measured_us: Optional[float]
    least_us: Optional[float]
    """no such launch is faster, at the highest clock"""
    least_by: Optional[str]
    least_warm_us: Optional[float]
    low_us: Optional[float]
    predicted_us: Optional[float]
    high_us: Optional[float]
    slowdown: Optional[float]
    """measured over predicted"""
    limiter: Optional[str]
    reason: str


def _read_measurements(path: PathLike, column: Optional[str]) -> ctypes.c_void_p:
    with open(path, "rb") as file:
        data = file.read()
    error, out = ctypes.create_string_buffer(512), ctypes.c_void_p()
    status = library().ptxlint_measurements_new(
        data, len(data), column.encode() if column else None,
        ctypes.cast(ctypes.byref(out), _abi._HANDLES), error, len(error))
    what = f"{os.fspath(path)}: {error.value.decode('utf-8', 'replace')}" if error.value else ""
    check(library(), status, what, os.fspath(path))
    return out


def _find(measurements: ctypes.c_void_p, index: int,
          modules: Sequence[Tuple[str, Module]]) -> List[Tuple[str, Module, "_abi.Kernel"]]:
    """The kernels that a row may be of."""
    found = []
    for path, module in modules:
        with module._use() as handle:
            for kernel in _kernels(handle):
                if kernel.is_entry and library().ptxlint_measurement_is_of(
                        measurements, index, handle, ctypes.byref(kernel)):
                    found.append((path, module, kernel))
    return found


def _kernels(handle: ctypes.c_void_p) -> Iterator["_abi.Kernel"]:
    count = ctypes.c_size_t()
    at = library().ptxlint_module_kernels(handle, ctypes.byref(count))
    for _ in range(count.value):
        kernel = _abi.Kernel.from_address(at)
        yield kernel
        at += kernel.size


def _hold(measurements: ctypes.c_void_p, index: int, path: str, module: Module,
          kernel: "_abi.Kernel", options: "_abi.VerifyOptions") -> Iterator[Verified]:
    name = text(kernel.name) or ""
    for position, gpu in enumerate(module.gpus):
        out = _abi.Verified(size=ctypes.sizeof(_abi.Verified))
        options.gpu = position
        with module._use() as handle:
            status = library().ptxlint_verify(handle, kernel.name, measurements, index,
                                              ctypes.byref(options), ctypes.byref(out))
        check(library(), status, path=name)
        yield Verified(
            row=index + 1, kernel=name, path=path, gpu=gpu.name, verdict=VERDICTS[out.verdict],
            measured_us=number(out.measured_us), least_us=number(out.least_us),
            least_by=text(out.least_by), least_warm_us=number(out.least_warm_us),
            low_us=number(out.time.low_us), predicted_us=number(out.time.predicted_us),
            high_us=number(out.time.high_us), slowdown=number(out.slowdown),
            limiter=text(out.time.limiter), reason=text(out.reason) or "")


def _unknown(row: "_abi.Measurement", index: int, count: int) -> Verified:
    why = ("several kernels of the inputs fit; a column `file` tells which" if count
           else "no input has such a kernel")
    return Verified(index + 1, text(row.kernel), None, None, "unknown", number(row.us), None, None,
                    None, None, None, None, None, None, f"Nothing can be said: {why}.")


def verify(measured: PathLike, ptx: Union[PathLike, Sequence[PathLike]], *, gpus: Gpus = (),
           warm: bool = False, clock_mhz: float = 0, column: Optional[str] = None,
           launches: Optional[PathLike] = None) -> List[Verified]:
    """A verdict for each row of a file of measured times: docs/verify.md.

    ptx: files whose kernels were measured. warm: caches may hold what a launch reads. clock_mhz: of
    the SMs at most; 0: the GPU's highest. column: that has the time. launches: a launch file, for
    what the rows do not say.
    """
    paths = [ptx] if isinstance(ptx, (str, os.PathLike)) else list(ptx)
    if not 0 <= clock_mhz < 1e5:
        raise ValueError(f"clock_mhz is a number of MHz, not {clock_mhz}")
    options = _abi.VerifyOptions()
    library().ptxlint_verify_options_init(ctypes.byref(options))
    options.is_warm, options.clock_mhz = warm, clock_mhz
    measurements = _read_measurements(measured, column)
    modules: List[Tuple[str, Module]] = []
    found: List[Verified] = []
    try:
        for path in paths:
            name = os.fspath(path)
            modules.append((name, Module.open(name, gpus=gpus, launches=launches,
                                              estimates_only=True)))
        row = _abi.Measurement(size=ctypes.sizeof(_abi.Measurement))
        index = 0
        while library().ptxlint_measurement_at(measurements, index, ctypes.byref(row)):
            fit = _find(measurements, index, modules)
            if len(fit) == 1:
                found += _hold(measurements, index, *fit[0], options)
            else:
                found.append(_unknown(row, index, len(fit)))
            index += 1
    finally:
        library().ptxlint_measurements_free(measurements)
        for _, module in modules:
            module.close()
    return found
