"""GPUs that are not compiled in: copies whose figures are set, files of one's own."""
import ctypes
import math
import os
from typing import List, Optional, Union

from . import _abi
from ._errors import Error, check
from ._load import library

PathLike = Union[str, "os.PathLike[str]"]
KINDS = (None, "bound", "sustained")


class OwnGpu:
    """A GPU whose figures can be set, until a module has it: wherever a GPU is asked for.

    own = ptxlint.OwnGpu.copy("h200", "mine"); own.set("launch_ns", 2200, "measured by us")
    """

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle
        self._is_taken = False

    @classmethod
    def copy(cls, gpu: Union[str, "OwnGpu"], name: str, *,
             product: Optional[str] = None) -> "OwnGpu":
        """A copy of a GPU under another name. product: None: as it is there."""
        from ._gpus import handle_of
        out = ctypes.c_void_p()
        status = library().ptxlint_gpu_copy(
            handle_of(gpu), _text("name", name), None if product is None
            else _text("product", product), ctypes.cast(ctypes.byref(out), _abi._HANDLES))
        check(library(), status)
        return cls(out)

    @classmethod
    def of(cls, gpu: Union[str, "OwnGpu"], settings: str) -> "OwnGpu":
        """A copy as a launch or the compiler sets it, as of --gpu c2050:shared=16k: "shared=16k",
        "dlcm=cg". Error: it cannot be set so."""
        from ._gpus import handle_of
        error, out = ctypes.create_string_buffer(256), ctypes.c_void_p()
        status = library().ptxlint_gpu_with(
            handle_of(gpu), _text("settings", settings),
            ctypes.cast(ctypes.byref(out), _abi._HANDLES), error, len(error))
        check(library(), status, error.value.decode("utf-8", "replace"))
        return cls(out)

    @classmethod
    def read(cls, path: PathLike) -> "OwnGpu":
        """A GPU file, as of --gpu FILE; its name is the file's without .yaml. BadFileError says
        what is wrong."""
        with open(path, "rb") as file:
            data = file.read()
        error, out = ctypes.create_string_buffer(512), ctypes.c_void_p()
        name = os.path.basename(os.fspath(path))
        name = name[:-5] if name.endswith(".yaml") else name
        status = library().ptxlint_gpu_new(
            name.encode(errors="replace"), data, len(data),
            ctypes.cast(ctypes.byref(out), _abi._HANDLES), error, len(error))
        what = error.value.decode("utf-8", "replace")
        check(library(), status, f"{os.fspath(path)}: {what}" if what else "", os.fspath(path))
        return cls(out)

    @property
    def name(self) -> str:
        return str(library().ptxlint_gpu_get_info(self._handle).contents.name.decode())

    def value(self, key: str) -> Optional[float]:
        """Of a figure; None: it is not known. Error: there is no such figure."""
        figure_kind(key)
        found = float(library().ptxlint_gpu_value(self._handle, key.encode()))
        return None if math.isnan(found) else found

    def set(self, key: str, value: float, source: str) -> None:
        """Sets a figure. source: who says so. Error: no GPU has that; it stays as it was."""
        if self._is_taken:
            raise Error(f"a module has {self.name}: set figures of a copy of it")
        error = ctypes.create_string_buffer(256)
        status = library().ptxlint_gpu_set(self._handle, _text("key", key), value,
                                           _text("source", source), error, len(error))
        check(library(), status, error.value.decode("utf-8", "replace"))

    def yaml(self) -> str:
        """A GPU file that --gpu FILE and read() take."""
        pieces: List[bytes] = []

        def take(_: object, data: "ctypes._Pointer[ctypes.c_char]", length: int) -> int:
            pieces.append(ctypes.string_at(data, length))
            return 0
        check(library(), library().ptxlint_gpu_write(self._handle, _abi.Write(take), None))
        return b"".join(pieces).decode()

    def _take(self) -> int:
        """Its handle, for a module."""
        self._is_taken = True
        return int(self._handle.value or 0)

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), ctypes.c_void_p()
        if handle:
            library().ptxlint_gpu_free(handle)


def figure_kind(key: str) -> str:
    """bound: what the hardware has, or does at the most. sustained: what it was measured to take:
    predictions rest on it, bounds do not. Error: there is no such figure."""
    kind = KINDS[library().ptxlint_gpu_figure_kind(_text("key", key))]
    if kind is None:
        raise Error(f"there is no figure {key!r}; ptxlint gpu NAME lists them all")
    return kind


def _text(what: str, given: str) -> bytes:
    if not isinstance(given, str):
        raise TypeError(f"{what} is a text, not {type(given).__name__}")
    if "\0" in given:
        raise ValueError("embedded null byte")
    return given.encode("utf-8", "surrogateescape")
