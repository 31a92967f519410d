"""How kernels are launched: a launch file as dict or text, and which of its names are slips."""
import ctypes
import json
import warnings
from typing import Any, List, Mapping, Optional, Union

from . import _abi
from ._errors import LaunchWarning, check
from ._load import library
from ._types import text

LaunchesLike = Union[Mapping[str, Any], str, bytes, None]
_ERROR_BYTES = 1024


def _to_json(launches: LaunchesLike) -> bytes:
    if isinstance(launches, bytes):
        return launches
    if isinstance(launches, str):
        return launches.encode("utf-8", "surrogateescape")
    if isinstance(launches, Mapping):
        return json.dumps(launches, allow_nan=False).encode()
    raise TypeError(f"launches is a dict or JSON text, not {type(launches).__name__}")


class Launches:
    """Owns the library's handles; without launches they stay empty."""

    def __init__(self, launches: LaunchesLike):
        self.handle = ctypes.c_void_p()
        self._coverage = ctypes.c_void_p()
        if launches is None:
            return
        given = _to_json(launches)
        error = ctypes.create_string_buffer(_ERROR_BYTES)
        status = library().ptxlint_launches_new(given, len(given), ctypes.byref(self.handle),
                                                error, _ERROR_BYTES)
        check(library(), status, f"launches: {text(error.value)}" if error.value else "")
        status = library().ptxlint_coverage_new(self.handle, ctypes.byref(self._coverage))
        if status:
            self.free()
        check(library(), status)

    def free(self) -> None:
        """May be called again."""
        handle, self.handle = self.handle, ctypes.c_void_p()
        coverage, self._coverage = self._coverage, ctypes.c_void_p()
        library().ptxlint_coverage_free(coverage)
        library().ptxlint_launches_free(handle)

    def add(self, module: ctypes.c_void_p) -> None:
        """Names of this module's kernels are no slips."""
        if self._coverage:
            check(library(), library().ptxlint_coverage_add(self._coverage, module, None))

    def slips(self) -> List[str]:
        """What no kernel of the modules that were added has."""
        found: List[str] = []
        seen = _abi.Covered()
        index = 0
        while self._coverage and library().ptxlint_coverage_at(self._coverage, index,
                                                               ctypes.byref(seen)):
            if not seen.matches:
                found.append(self._say(seen, index))
            index += 1
        return found

    def _say(self, seen: _abi.Covered, index: int) -> str:
        kernel, name = text(seen.kernel), text(seen.name)
        near = text(library().ptxlint_coverage_suggest(self._coverage, index))
        if seen.part == _abi.PART_KERNEL:
            return f'no kernel "{name}"' + (f'; did you mean "{near}"?' if near else "")
        if seen.part == _abi.PART_TRIP:
            hint = f"; the nearest is at line {seen.near_line}" if seen.near_line else ""
            place = f"no loop at line {seen.line}" if seen.line else f'no loop "{name}"'
            return f'kernel "{kernel}" has {place}{hint}'
        if seen.misfit:
            return (f'kernel "{kernel}": the value of parameter {name} does not fit its type, '
                    f".{text(seen.misfit)} ({seen.misfit_bytes} bytes)")
        return f'kernel "{kernel}" has no parameter {name}; it has {seen.param_count or "none"}'

    def warn(self, level: int) -> None:
        """A LaunchWarning for each slip, at the caller `level` frames up."""
        for slip in self.slips():
            warnings.warn(f"launches: {slip}", LaunchWarning, stacklevel=level + 1)


def suggest_kernel(module: ctypes.c_void_p, name: str) -> Optional[str]:
    """The kernel of the module that is nearest to a misspelt name."""
    coverage = ctypes.c_void_p()
    check(library(), library().ptxlint_coverage_new(None, ctypes.byref(coverage)))
    try:
        check(library(), library().ptxlint_coverage_add(coverage, module, None))
        wanted = name.encode("utf-8", "replace")
        return text(library().ptxlint_coverage_suggest_kernel(coverage, wanted))
    finally:
        library().ptxlint_coverage_free(coverage)
