"""What Triton and TorchInductor leave behind: PTX beside metadata."""
import base64
import json
import os
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import Error
from ._prune import Candidate

Folder = Union[str, "os.PathLike[str]"]
_GRIDS = {"Grid1D": "x", "Grid2D": "xy", "Grid3D": "xyz"}


def read_cache(folder: Folder, kernel: Optional[str] = None, *,
               grid: Optional[Sequence[int]] = None,
               arguments: Optional[Sequence[Any]] = None) -> List[Candidate]:
    """The compilations under a folder of Triton's cache, by path: config is the path of the PTX.

    kernel: of this name only. grid, arguments: as of Candidate.
    """
    shape = None if grid is None else tuple(grid)
    found: List[Candidate] = []
    for path, metadata in sorted(_walk(folder), key=lambda one: one[0]):
        if kernel is None or metadata.get("name") == kernel:
            with open(path, encoding="utf-8") as file:
                found.append(Candidate(path, file.read(), metadata, shape, arguments))
    return found


def _walk(folder: Folder) -> Iterator[Tuple[str, Dict[str, Any]]]:
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name[:-len(".json")] + ".ptx")
            if not name.endswith(".json") or not os.path.isfile(path):
                continue
            with open(os.path.join(parent, name), encoding="utf-8") as file:
                metadata = json.load(file)
            if isinstance(metadata, dict) and "num_warps" in metadata:
                yield path, metadata


def read_inductor(autotuner: Any, arguments: Mapping[str, Any],
                  folder: Optional[Folder] = None) -> List[Candidate]:
    """The configs of a Triton kernel that TorchInductor has generated and compiled.

    autotuner: the CachingAutotuner that the kernel's name is bound to, after precompile().
    arguments: of a launch by name, at least the sizes (xnumel, ...). The decisions that
    prune_candidates() makes of these carry the configs. folder: Triton's cache, where kernels of
    the static launcher have their PTX; None: TRITON_CACHE_DIR, or ~/.triton/cache.
    """
    results = getattr(autotuner, "compile_results", None) or getattr(autotuner, "launchers", None)
    if not results:
        raise Error("the kernel is not compiled yet: call precompile() first")
    signature = autotuner.triton_meta["signature"]
    grid_type = autotuner.inductor_meta.get("grid_type")
    constants = {**autotuner.triton_meta.get("constants", {})}
    found: List[Candidate] = []
    for result in results:
        kernel = getattr(result, "kernel", None) or result.bin
        ptx, metadata = _read_kernel(kernel, folder)
        values = [None if kind.startswith("*") else arguments.get(name)
                  for name, kind in signature.items()
                  if kind != "constexpr" and name not in constants]
        blocks = result.config.kwargs
        found.append(Candidate(result.config, ptx, metadata,
                               inductor_grid(grid_type, arguments, blocks), values))
    return found


def _read_kernel(kernel: Any, folder: Optional[Folder]) -> Tuple[str, Mapping[str, Any]]:
    """Triton's own kernel has its PTX; one of the static launcher knows the name of its folder."""
    if hasattr(kernel, "asm"):
        return read_compiled(kernel)
    cache = folder or os.environ.get("TRITON_CACHE_DIR") or os.path.expanduser("~/.triton/cache")
    name = base64.b32encode(bytes.fromhex(kernel.hash)).decode().rstrip("=")
    found = read_cache(os.path.join(cache, name))
    if not found:
        raise Error(f"{os.fsdecode(cache)} has no PTX of {kernel.name}: give Triton's cache as "
                    "folder, or set torch._inductor.config.use_static_cuda_launcher to False")
    return found[0].ptx, found[0].metadata


def read_compiled(kernel: Any) -> Tuple[str, Mapping[str, Any]]:
    """PTX and metadata of Triton's CompiledKernel."""
    metadata = kernel.metadata
    fields = metadata._asdict() if hasattr(metadata, "_asdict") else dict(metadata)
    return str(kernel.asm["ptx"]), fields


def inductor_grid(grid_type: Optional[str], arguments: Mapping[str, Any],
                  blocks: Mapping[str, int]) -> Optional[Tuple[int, ...]]:
    """None: a kind of grid, or a size, that is not known."""
    sizes: List[int] = []
    for axis in _GRIDS.get(grid_type or "", ""):
        numel = arguments.get(f"{axis}numel")
        if numel is None:
            return None
        sizes.append(-(-int(numel) // int(blocks.get(f"{axis.upper()}BLOCK", 1))))
    return tuple(sizes) or None
