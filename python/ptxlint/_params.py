"""Arguments of a launch, as cuLaunchKernel takes them: bytes by position."""
import ctypes
import operator
import struct
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Union

from . import _abi

Shape = Union[int, Sequence[int], None]
_FLOATS = {"f16": "<e", "f32": "<f", "f64": "<d"}


@dataclass(frozen=True)
class Param:
    """A parameter of a kernel."""

    name: str
    type: str
    """of an element: "u64", "f32"; "b8" of a structure"""
    bytes: Optional[int]
    offset: Optional[int]
    align: int


def _not_text(value: Any) -> Any:
    """float() would read "1"."""
    if isinstance(value, str):
        raise TypeError
    return value


def _to_bytes(param: Param, value: Any) -> bytes:
    size = param.bytes or 0
    if isinstance(value, (bytes, bytearray, memoryview)):
        raw = bytes(value)
        if len(raw) != size:
            raise ValueError(f"{param.name}: {size} bytes, not {len(raw)}")
        return raw
    code = _FLOATS.get(param.type)
    if code and struct.calcsize(code) == size:
        try:
            return struct.pack(code, float(_not_text(value)))
        except OverflowError:
            raise ValueError(f"{param.name}: {value} does not fit .{param.type}") from None
        except (TypeError, ValueError):
            raise TypeError(f"{param.name} is .{param.type}: a number, not "
                            f"{type(value).__name__}") from None
    if param.type[1:] != str(8 * size):
        raise TypeError(f"{param.name} is a structure: give its {size} bytes, or None")
    try:
        whole = operator.index(value)
    except TypeError:
        raise TypeError(f"{param.name} is .{param.type}: an integer, not "
                        f"{type(value).__name__}") from None
    if not -(1 << (8 * size - 1)) <= whole < 1 << 8 * size:
        raise ValueError(f"{param.name}: {whole} does not fit .{param.type}")
    return (whole & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def to_list(params: Any) -> List[Any]:
    """TypeError: these are no values by position."""
    if isinstance(params, (str, bytes, Mapping)) or not hasattr(params, "__iter__"):
        raise TypeError(f"params is a list of values by position, not {type(params).__name__}")
    return list(params)


class Arguments:
    """Holds the bytes that a trial points to."""

    def __init__(self, kernel: str, params: Sequence[Param], values: Sequence[Any]):
        if len(values) > len(params):
            raise ValueError(f"{kernel} has {len(params)} parameters, {len(values)} were given")
        self._buffers: List[Any] = []
        self._pointers = (ctypes.c_void_p * max(len(values), 1))()
        for index, (param, value) in enumerate(zip(params, values)):
            if value is None:
                continue
            raw = _to_bytes(param, value)
            self._buffers.append(ctypes.create_string_buffer(raw, len(raw) or 1))
            self._pointers[index] = ctypes.addressof(self._buffers[-1])
        self.count = len(values)

    def put(self, trial: _abi.Trial) -> None:
        """Without arguments those of the module's launches hold."""
        if self.count:
            trial.params = ctypes.cast(self._pointers, ctypes.POINTER(ctypes.c_void_p))
            trial.param_count = self.count


def whole(name: str, value: Any, least: int) -> int:
    """An integer that a C type of 32 bits takes. TypeError, ValueError: it is not."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is an integer, not {type(value).__name__}") from None
    if not least <= number < 1 << 31:
        raise ValueError(f"{name} is {least} to {(1 << 31) - 1}, not {number}")
    return number


def put_shape(name: str, shape: Shape, out: Any) -> None:
    """One to three sizes; None: as the launches have it."""
    if shape is None:
        return
    if isinstance(shape, (str, bytes)) or not hasattr(shape, "__index__") \
            and not hasattr(shape, "__iter__"):
        raise TypeError(f"{name} is an integer or one to three of them, not "
                        f"{type(shape).__name__}")
    sizes: Sequence[Any] = [shape] if hasattr(shape, "__index__") else list(shape)
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"{name} has one to three sizes, not {len(sizes)}")
    for index, size in enumerate(list(sizes) + [1] * (3 - len(sizes))):
        out[index] = whole(name, size, 1)
