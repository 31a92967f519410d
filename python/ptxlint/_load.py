"""Which libptxlint is loaded: $PTXLINT_LIBRARY, else the one in the package, else the system's."""
import ctypes
import os
from typing import Optional

from . import _abi
from ._errors import LibraryError

VERSION = "0.1.0"
# docs/library.md, "Versions": before 1.0 each minor release may change the ABI
SONAME = "libptxlint.so.0.1"
_FOLDER = os.path.dirname(os.path.abspath(__file__))
_loaded: Optional[ctypes.CDLL] = None


def _choose() -> str:
    asked = os.environ.get("PTXLINT_LIBRARY")
    if asked:
        return asked
    inside = os.path.join(_FOLDER, SONAME)
    return inside if os.path.exists(inside) else SONAME


def _load() -> ctypes.CDLL:
    path = _choose()
    try:
        found = ctypes.CDLL(path, use_errno=True)
        found.ptxlint_version.restype = ctypes.c_char_p
        version = found.ptxlint_version().decode()
    except OSError as error:
        raise LibraryError(f"{error}; PTXLINT_LIBRARY may name libptxlint") from error
    except AttributeError as error:
        raise LibraryError(f"{path} is not libptxlint") from error
    if version.split(".")[:2] != VERSION.split(".")[:2]:
        raise LibraryError(f"{path} is libptxlint {version}; this package is for {VERSION}")
    try:
        _abi.declare(found)
    except AttributeError as error:
        raise LibraryError(f"{path}: {error}") from error
    return found


def library() -> ctypes.CDLL:
    """Loaded when first asked for; two threads that ask at once get the same one."""
    global _loaded
    if _loaded is None:
        _loaded = _load()
    return _loaded
