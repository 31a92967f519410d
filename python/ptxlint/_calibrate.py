"""Figures of a GPU, fitted to measured times."""
import contextlib
import ctypes
import dataclasses
import os
from typing import Callable, Dict, Optional, Sequence, Union

from . import _abi
from ._errors import STOPPED, check
from ._gpus import GpuName, handle_of
from ._load import library
from ._module import Module
from ._own_gpu import OwnGpu
from ._types import text
from ._verify import PathLike, _read_measurements


@dataclasses.dataclass(frozen=True)
class Calibrated:
    """A figure that predictions rest on."""

    verdict: str
    """fitted; no rows, not distinguished, no gain: it stays as it was"""
    same_as: Optional[str]
    """the fitted figure that rows do not distinguish it from"""
    was: float
    value: float
    low: float
    """of the 90 % interval"""
    high: float


@dataclasses.dataclass(frozen=True)
class Calibration:
    """What came of it. Errors: by how many percent predictions are off in the mean."""

    constants: Dict[str, Calibrated]
    rows: int
    kernels: int
    foreign: int
    """rows of no kernel of the inputs, of several, or of another GPU"""
    unknown: int
    impossible: int
    beyond: int
    steps: int
    has_converged: bool
    error_percent: float
    left_out_error_percent: float
    """of rows left out, by what the others fit"""
    fitted_error_percent: float
    reason: Optional[str]
    """why nothing is fitted"""
    gpu: Optional[OwnGpu]
    """with the figures that were fitted; None: none were"""

    @property
    def fitted(self) -> Dict[str, Calibrated]:
        return {key: one for key, one in self.constants.items() if one.verdict == "fitted"}


def _read_constants(handle: ctypes.c_void_p) -> Dict[str, Calibrated]:
    found: Dict[str, Calibrated] = {}
    one = _abi.Calibrated(size=ctypes.sizeof(_abi.Calibrated))
    while library().ptxlint_calibration_at(handle, len(found), ctypes.byref(one)):
        name = library().ptxlint_calibrate_verdict_name(one.verdict).decode()
        found[one.key.decode()] = Calibrated(name, text(one.same_as), one.was,
                                             getattr(one, "is"), one.low, one.high)
    return found


def _read_calibration(handle: ctypes.c_void_p) -> Calibration:
    info = _abi.CalibrationInfo(size=ctypes.sizeof(_abi.CalibrationInfo))
    library().ptxlint_calibration_get_info(handle, ctypes.byref(info))
    gpu = None
    if info.gpu:
        out = ctypes.c_void_p()
        name = library().ptxlint_gpu_get_info(info.gpu).contents.name
        check(library(), library().ptxlint_gpu_copy(
            info.gpu, name, None, ctypes.cast(ctypes.byref(out), _abi._HANDLES)))
        gpu = OwnGpu(out)
    return Calibration(_read_constants(handle), info.rows, info.kernels, info.foreign,
                       info.unknown, info.impossible, info.beyond, info.steps,
                       bool(info.has_converged), info.error_percent, info.left_out_error_percent,
                       info.fitted_error_percent, text(info.reason), gpu)


def calibrate(measured: PathLike, ptx: Union[PathLike, Sequence[PathLike]], *, gpu: GpuName,
              kernel: Optional[str] = None, clock_mhz: float = 0, column: Optional[str] = None,
              launches: Optional[PathLike] = None, max_rows: int = 0,
              progress: Optional[Callable[[int, int], object]] = None) -> Calibration:
    """Fits figures of a GPU to a file of measured times: docs/your-gpu.md.

    kernel: a glob. max_rows: that are looked at, evenly over the file; 0: 2,000. progress: called
    with how many predictions of rows are made, and how many are foreseen; what it raises ends
    it. Others as of verify().
    """
    paths = [ptx] if isinstance(ptx, (str, os.PathLike)) else list(ptx)
    if not 0 <= clock_mhz < 1e5:
        raise ValueError(f"clock_mhz is a number of MHz, not {clock_mhz}")
    if isinstance(max_rows, bool) or not isinstance(max_rows, int) or not 0 <= max_rows < 1 << 32:
        raise ValueError(f"max_rows is a whole number from 0 up, not {max_rows}")
    raised = []

    def show(_: object, done: int, count: int) -> None:
        try:
            if progress and not raised:
                progress(done, count)
        except BaseException as error:          # no way through C
            raised.append(error)
    options = _abi.CalibrateOptions()
    library().ptxlint_calibrate_options_init(ctypes.byref(options))
    options.gpu = handle_of(gpu)
    options.kernel_glob = kernel.encode() if kernel else None
    options.clock_mhz, options.max_rows = clock_mhz, max_rows
    if progress:
        options.progress = _abi.Progress(show)
        options.is_stopped = _abi.Stop(lambda _: bool(raised))
    measurements, out = _read_measurements(measured, column), ctypes.c_void_p()
    try:
        with contextlib.ExitStack() as stack:
            handles = [stack.enter_context(stack.enter_context(
                Module.open(path, gpus=gpu, launches=launches, estimates_only=True))._use())
                for path in paths]
            modules = (ctypes.c_void_p * max(len(handles), 1))(*(one.value for one in handles))
            status = library().ptxlint_calibrate(
                modules, len(handles), measurements, ctypes.byref(options),
                ctypes.cast(ctypes.byref(out), _abi._HANDLES))
            if status == STOPPED and raised:
                raise raised[0]
            check(library(), status)
            return _read_calibration(out)
    finally:
        library().ptxlint_calibration_free(out)
        library().ptxlint_measurements_free(measurements)
