"""Which findings are wanted: a .ptxlint.yaml, and a baseline of those that are known."""
import ctypes
import os
from typing import Any, Union

from ._errors import Error, ReadError, check
from ._load import library
from ._types import text

SettingsFile = Union[str, bytes, "os.PathLike[str]", None]
_ERROR_BYTES = 1024


def _read(path: Any) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise ReadError(error.errno, error.strerror, os.fsdecode(path)) from None


class Settings:
    """Owns the library's handles; without files they stay empty."""

    def __init__(self, config: SettingsFile = None, baseline: SettingsFile = None):
        self.config, self.baseline = ctypes.c_void_p(), ctypes.c_void_p()
        try:
            if config is not None:
                self._read_config(config)
            if baseline is not None:
                self._read_baseline(baseline)
        except BaseException:
            self.free()
            raise

    def _read_config(self, path: SettingsFile) -> None:
        check(library(), library().ptxlint_config_new(None, ctypes.byref(self.config)))
        _fill(library().ptxlint_config_read, self.config, path)
        if library().ptxlint_config_value(self.config, b"rules", 0):
            raise Error(f"{os.fsdecode(path or '')}: rules of one's own need the program")

    def _read_baseline(self, path: SettingsFile) -> None:
        check(library(), library().ptxlint_baseline_new(ctypes.byref(self.baseline)))
        _fill(library().ptxlint_baseline_read, self.baseline, path)

    def free(self) -> None:
        """May be called again; no module may use them any more."""
        config, self.config = self.config, ctypes.c_void_p()
        baseline, self.baseline = self.baseline, ctypes.c_void_p()
        library().ptxlint_config_free(config)
        library().ptxlint_baseline_free(baseline)


def _fill(read: Any, handle: ctypes.c_void_p, path: Any) -> None:
    given = _read(path)
    error = ctypes.create_string_buffer(_ERROR_BYTES)
    status = read(handle, os.fsencode(path), given, len(given), error, _ERROR_BYTES)
    check(library(), status, text(error.value) or "")
