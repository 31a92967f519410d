"""GPUs by name, or one's own."""
import difflib
from dataclasses import dataclass
from typing import Iterable, List, Optional, Union

from ._errors import Error
from ._load import library
from ._own_gpu import OwnGpu


@dataclass(frozen=True)
class Gpu:
    """A product, or an architecture."""

    name: str
    """"h200"; "sm_90" of an architecture"""
    product: Optional[str]
    """"NVIDIA H200 SXM"; None of an architecture"""
    architecture: str
    sm: str


GpuName = Union[str, Gpu, OwnGpu]


def describe(handle: int) -> Gpu:
    """What a ptxlint_gpu is."""
    info = library().ptxlint_gpu_get_info(handle).contents
    return Gpu(info.name.decode(), info.product.decode() or None, info.architecture.decode(),
               info.sm.decode())


def gpus() -> List[Gpu]:
    """All that the library knows: products by name, then architectures."""
    found: List[Gpu] = []
    while True:
        handle = library().ptxlint_gpu_at(len(found))
        if not handle:
            return found
        found.append(describe(handle))


def name_of(gpu: GpuName) -> str:
    """TypeError: neither a name nor a Gpu."""
    if isinstance(gpu, (Gpu, OwnGpu)):
        return gpu.name
    if isinstance(gpu, str):
        return gpu
    raise TypeError(f"a GPU is a name or a ptxlint.Gpu, not {type(gpu).__name__}")


def handle_of(gpu: GpuName) -> int:
    """To look at it alone."""
    return int(gpu._handle.value or 0) if isinstance(gpu, OwnGpu) else find(gpu)


def find(gpu: GpuName) -> int:
    """Its handle, for a module. Error: there is no GPU of that name."""
    if isinstance(gpu, OwnGpu):
        return gpu._take()
    name = name_of(gpu)
    handle = None if "\0" in name else library().ptxlint_gpu_find(name.encode(errors="replace"))
    if handle:
        return int(handle)
    near = difflib.get_close_matches(name, [known.name for known in gpus()], 1)
    hint = f"; did you mean {near[0]}?" if near else ";"
    raise Error(f"unknown GPU {name!r}{hint} ptxlint.gpus() lists them all")


def find_all(asked: Union[GpuName, Iterable[GpuName]]) -> List[int]:
    """A single one may stand for a list of one."""
    if isinstance(asked, (str, Gpu, OwnGpu)) or not hasattr(asked, "__iter__"):
        return [find(asked)]  # type: ignore[arg-type]
    return [find(gpu) for gpu in asked]
