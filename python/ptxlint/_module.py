"""Modules: PTX that is read and analysed, its findings, figures and kernels."""
import contextlib
import ctypes
import json
import os
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from . import _abi
from ._errors import Error, check
from ._gpus import Gpu, GpuName, describe, find_all, name_of
from ._launches import Launches, LaunchesLike, suggest_kernel
from ._load import library
from ._params import Arguments, Param, Shape, put_shape, to_list, whole
from ._settings import Settings, SettingsFile
from ._types import Diagnostic, Estimate, integer, read_diagnostic, read_estimate, text

Path = Union[str, bytes, "os.PathLike[str]"]
Gpus = Union[GpuName, Iterable[GpuName]]


@dataclass(frozen=True)
class Kernel:
    """A kernel of a module. It keeps its module from being freed by the garbage collector."""

    name: str
    line: int
    params: Tuple[Param, ...]
    max_live_registers: Optional[int]
    """32-bit registers live at once at most, as PTX names them"""
    module: "Module" = field(repr=False, compare=False)
    address: int = field(repr=False, compare=False)
    """of its name in the library: another kernel may have the same"""

    def estimate(self, grid: Shape, block: Shape, params: Sequence[Any] = (), *,
                 dynamic_shared: Optional[int] = None, max_registers: Optional[int] = None,
                 gpu: Optional[GpuName] = None, steps: int = 0) -> Estimate:
        """What a launch would do. Quick enough to be asked before one, by any number of threads.

        grid, block: an integer, or one to three of them; None: as the module's launches have it.
        params: by position: a number, the bytes of a structure, None for a pointer.
        max_registers: as .maxnreg. gpu: one of the module's; None: its first.
        steps: 0: one block is evaluated; else as many as so many instructions of warps do for.
        """
        trial = _abi.Trial()
        library().ptxlint_trial_init(ctypes.byref(trial))
        put_shape("grid", grid, trial.grid)
        put_shape("block", block, trial.block)
        if dynamic_shared is not None:
            trial.dynamic_shared_bytes = whole("dynamic_shared", dynamic_shared, 0)
        if max_registers is not None:
            trial.max_registers = whole("max_registers", max_registers, 1)
        trial.steps = whole("steps", steps, 0)
        arguments = Arguments(self.name, self.params, to_list(params))
        arguments.put(trial)
        return self.module._estimate(self, trial, gpu)


def _make_options(path: Optional[Path], gpus: Gpus, jobs: int,
                  max_memory_bytes: int) -> _abi.Options:
    options = _abi.Options()
    library().ptxlint_options_init(ctypes.byref(options))
    if path is not None:
        options.path = _encode_path(path)
    if not isinstance(gpus, (str, Gpu)) and hasattr(gpus, "__iter__"):
        gpus = list(gpus)               # type: ignore[arg-type]
    handles = find_all(gpus)
    options.kept = gpus                 # those of one's own must outlive the module
    options.gpus = (ctypes.c_void_p * max(len(handles), 1))(*handles)
    options.gpu_count = len(handles)
    options.jobs = whole("jobs", jobs, 0)
    if not 0 <= max_memory_bytes < 1 << 63:
        raise ValueError(f"max_memory_bytes is 0 or more, not {max_memory_bytes}")
    options.max_memory_bytes = max_memory_bytes
    return options


def _encode_path(path: Path) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("embedded null byte")
    return encoded


def _to_text(ptx: Union[str, bytes]) -> bytes:
    if isinstance(ptx, str):
        return ptx.encode("utf-8", "surrogateescape")
    if isinstance(ptx, (bytes, bytearray, memoryview)):
        return bytes(ptx)
    raise TypeError(f"PTX is str or bytes, not {type(ptx).__name__}")


class Module:
    """One PTX file, read and analysed; const from then on.

    with Module(ptx) as module: frees it at the end, as close() does. Several threads may use one
    at once: none of them holds Python's lock while the library works.
    """

    def __init__(self, ptx: Union[str, bytes], *, path: Optional[Path] = None, gpus: Gpus = (),
                 launches: LaunchesLike = None, jobs: int = 0, estimates_only: bool = False,
                 findings_only: bool = False, max_memory_bytes: int = 0,
                 config: SettingsFile = None, baseline: SettingsFile = None):
        """Analyses PTX text; what is wrong in it are diagnostics, no errors.

        path: shown in diagnostics. gpus: names, what figures are for; none: what .target says.
        launches: a launch file (docs/report.md) as dict or JSON text.
        jobs: threads that share the functions; 0: one.
        estimates_only: only kernel.estimate() and errors of syntax. findings_only: no figures.
        max_memory_bytes: of each of a few arenas; 0: by the length of the text.
        config: path of a .ptxlint.yaml: what it says of findings. baseline: path of one: what is
        known has that as its suppression.
        """
        self._begin(estimates_only, findings_only, Settings(config, baseline))
        options = _make_options(path, gpus, jobs, max_memory_bytes)
        given = _to_text(ptx)

        def make(out: Any) -> int:
            return int(library().ptxlint_module_new(given, len(given), ctypes.byref(options), out))
        self._make(make, options, launches, "" if path is None else os.fsdecode(path)).warn(2)

    @classmethod
    def open(cls, path: Path, *, gpus: Gpus = (), launches: LaunchesLike = None, jobs: int = 0,
             estimates_only: bool = False, findings_only: bool = False,
             max_memory_bytes: int = 0, config: SettingsFile = None,
             baseline: SettingsFile = None) -> "Module":
        """The same from a file. ReadError: it cannot be read."""
        options = _make_options(None, gpus, jobs, max_memory_bytes)
        settings = Settings(config, baseline)
        module, seen = cls._open(path, options, launches, settings, estimates_only, findings_only)
        seen.warn(2)
        return module

    @classmethod
    def _open(cls, path: Path, options: _abi.Options, launches: LaunchesLike, settings: Settings,
              estimates_only: bool = False,
              findings_only: bool = False) -> Tuple["Module", Launches]:
        """Without warnings: the launches may be for other files too."""
        module = cls.__new__(cls)
        module._begin(estimates_only, findings_only, settings)
        name = _encode_path(path)

        def make(out: Any) -> int:
            return int(library().ptxlint_module_open(name, ctypes.byref(options), out))
        return module, module._make(make, options, launches, os.fsdecode(path))

    def _begin(self, estimates_only: bool, findings_only: bool, settings: Settings) -> None:
        self._settings = settings
        if estimates_only and findings_only:
            raise ValueError("estimates_only and findings_only exclude each other")
        self._estimates_only, self._findings_only = bool(estimates_only), bool(findings_only)
        self._lock = threading.Lock()
        self._users = 0
        self._is_closed = False
        self._handle = ctypes.c_void_p()
        self._launches: Optional[Launches] = None
        self._kernels: Optional[List[Kernel]] = None

    def _make(self, make: Callable[[Any], int], options: _abi.Options, launches: LaunchesLike,
              path: str) -> Launches:
        self._gpus = options.kept
        self._launches = Launches(launches)
        options.launches = self._launches.handle
        options.config, options.baseline = self._settings.config, self._settings.baseline
        options.estimates_only = self._estimates_only
        options.findings_only = self._findings_only
        check(library(), make(ctypes.byref(self._handle)), path=path)
        self._launches.add(self._handle)
        return self._launches

    # ---- life

    def close(self) -> None:
        """Frees the module, once; while another thread uses it, when that is done."""
        with self._lock:
            self._is_closed = True
            self._free_unused()

    def _free_unused(self) -> None:
        if self._users:
            return
        handle, self._handle = self._handle, ctypes.c_void_p()
        if handle:
            library().ptxlint_module_free(handle)
        self._settings.free()
        if self._launches:
            self._launches.free()
            self._launches = None

    @contextlib.contextmanager
    def _use(self) -> Iterator[ctypes.c_void_p]:
        with self._lock:
            if self._is_closed:
                raise Error("the module is closed")
            self._users += 1
        try:
            yield self._handle
        finally:
            with self._lock:
                self._users -= 1
                if self._is_closed:
                    self._free_unused()

    def __enter__(self) -> "Module":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_kernels"):
            self._is_closed = True
            self._free_unused()

    # ---- what is in it

    @property
    def gpus(self) -> List[Gpu]:
        """What figures are for: those asked for, or the target's; empty: no file describes it."""
        with self._use() as handle:
            info = library().ptxlint_module_get_info(handle).contents
            return [describe(info.gpus[index]) for index in range(info.gpu_count)]

    @property
    def kernels(self) -> List[Kernel]:
        """.entry functions with a body, in order."""
        with self._use() as handle:
            if self._kernels is None:
                self._kernels = self._read_kernels(handle)
            return list(self._kernels)

    def _read_kernels(self, handle: ctypes.c_void_p) -> List[Kernel]:
        count = ctypes.c_size_t()
        at = library().ptxlint_module_kernels(handle, ctypes.byref(count))
        found: List[Kernel] = []
        for _ in range(count.value):
            kernel = _abi.Kernel.from_address(at)
            if kernel.is_entry:
                found.append(self._read_kernel(handle, kernel, at))
            at += kernel.size
        return found

    def _read_kernel(self, handle: ctypes.c_void_p, kernel: _abi.Kernel, at: int) -> Kernel:
        params = []
        for index in range(kernel.param_count):
            size = _abi.Param.from_address(kernel.params).size
            one = _abi.Param.from_address(kernel.params + index * size)
            params.append(Param(text(one.name) or "", one.type.decode(), integer(one.bytes),
                                integer(one.offset), one.align))
        place = library().ptxlint_module_place(handle, kernel.span.begin)
        address = ctypes.c_void_p.from_address(at + _abi.Kernel.name.offset).value or 0
        return Kernel(text(kernel.name) or "", place.line, tuple(params),
                      integer(kernel.pressure.max_live), self, address)

    def kernel(self, name: str) -> Kernel:
        """The first of that name; else the one that the source calls so: `scale`, `ns::scale`,
        `scale<float, 4>`, or by its signature. Error: there is none, or several."""
        kernels = self.kernels
        for one in kernels:
            if one.name == name:
                return one
        if not isinstance(name, str):
            raise TypeError(f"a kernel's name is str, not {type(name).__name__}")
        found = self._called(kernels, name)
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(one.name for one in found[:8])
            raise Error(f'{len(found)} kernels are called "{name}": {names}')
        with self._use() as handle:
            near = suggest_kernel(handle, name) if kernels else None
        hint = f'; did you mean "{near}"?' if near else ""
        raise Error(f'no kernel "{name}"{hint}' if kernels else "the module has no kernel")

    @staticmethod
    def _called(kernels: List[Kernel], name: str) -> List[Kernel]:
        """Those that the source calls so. A name is no pattern here; a signature has stars."""
        if any(letter in name for letter in ("?[\n\0" if "(" in name else "*?[\n\0")):
            return []
        fits, wanted = library().ptxlint_name_fits, name.encode("utf-8", "surrogatepass")
        return [one for one in kernels if fits(wanted, one.name.encode("utf-8", "replace"))]

    def _estimate(self, kernel: Kernel, trial: _abi.Trial, gpu: Optional[GpuName]) -> Estimate:
        if self._findings_only:
            raise Error("the module was made with findings_only: it has no figures")
        names = [one.name for one in self.gpus]
        if not names:
            raise Error("no GPU file describes the module's target: give gpus")
        name = names[0] if gpu is None else name_of(gpu)
        if name not in names:
            raise Error(f"{name!r} is not among the module's GPUs, {', '.join(names)}")
        out = _abi.Estimated()
        out.size = ctypes.sizeof(out)
        with self._use() as handle:
            check(library(), library().ptxlint_estimate(
                handle, kernel.address, names.index(name), ctypes.byref(trial),
                ctypes.byref(out)), f"{kernel.name}: cannot be estimated")
            return read_estimate(kernel.name, name, out)

    # ---- documents

    def _write(self, function: Callable[..., int]) -> Dict[str, Any]:
        pieces: List[bytes] = []

        def put(_: Any, piece: Any, length: int) -> int:
            try:
                pieces.append(ctypes.string_at(piece, length))
                return 0
            except MemoryError:
                return 1
        options = _abi.WriteOptions()
        library().ptxlint_write_options_init(ctypes.byref(options))
        options.format = _abi.JSON
        with self._use() as handle:
            modules = (ctypes.c_void_p * 1)(handle)
            check(library(), function(modules, 1, ctypes.byref(options), _abi.Write(put), None))
        document: Dict[str, Any] = json.loads(b"".join(pieces))
        return document

    @property
    def diagnostics(self) -> List[Diagnostic]:
        """Findings, worst first, suppressed ones too: those have a suppression."""
        found = self._write(library().ptxlint_write_diagnostics)["diagnostics"]
        return [read_diagnostic(one) for one in found]

    def report(self) -> Dict[str, Any]:
        """The document ptxlint-report/1: docs/report.md."""
        if self._estimates_only or self._findings_only:
            made = "estimates_only" if self._estimates_only else "findings_only"
            raise Error(f"the module was made with {made}: it has no report")
        return self._write(library().ptxlint_write_report)


def lint(paths: Union[Path, Iterable[Path]], *, gpus: Gpus = (), launches: LaunchesLike = None,
         jobs: int = 0, config: SettingsFile = None,
         baseline: SettingsFile = None) -> List[Diagnostic]:
    """Findings of files, in their order; those that are suppressed are left out.

    launches: for all files; a LaunchWarning names what no kernel of any file has.
    config, baseline: as of a Module; for all files.
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = [paths]
    found: List[Diagnostic] = []
    seen = Launches(launches)
    try:
        for path in paths:
            opened, _ = Module._open(path, _make_options(None, gpus, jobs, 0), launches,
                                     Settings(config, baseline), findings_only=True)
            with opened as module:
                found += [one for one in module.diagnostics if one.suppression is None]
                with module._use() as handle:
                    seen.add(handle)
        seen.warn(2)
    finally:
        seen.free()
    return found


def estimate_ptx(ptx: Union[str, bytes], kernel: Optional[str], grid: Shape, block: Shape,
                 params: Sequence[Any] = (), *, gpu: Optional[GpuName] = None,
                 dynamic_shared: Optional[int] = None, max_registers: Optional[int] = None,
                 steps: int = 0) -> Estimate:
    """PTX in, an Estimate out: Module(ptx, estimates_only=True) and kernel.estimate().

    kernel: None where there is one only. gpu: None: what .target says.
    """
    with Module(ptx, gpus=() if gpu is None else gpu, estimates_only=True) as module:
        kernels = module.kernels
        if kernel is None and len(kernels) > 1:
            names = ", ".join(one.name for one in kernels)
            raise Error(f"which kernel? There are {names}")
        one = kernels[0] if kernel is None and kernels else module.kernel(kernel or "")
        return one.estimate(grid, block, params, dynamic_shared=dynamic_shared,
                            max_registers=max_registers, steps=steps)
