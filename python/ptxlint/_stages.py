"""Triton's compiler, stopped where it has PTX, and carried on from there.

Triton runs its stages one after the other: ttir, ttgir, llir, ptx, cubin. A thread that probes gets
PTX and metadata, by an exception out of the last; what the stages have made is remembered by
the hash of the compilation, so that a config which is kept needs ptxas only.
"""
import contextlib
import importlib
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

_LAST = "cubin"


class Stopped(Exception):
    """There is PTX."""

    def __init__(self, ptx: str, metadata: Dict[str, Any]):
        super().__init__("stopped before ptxas")
        self.ptx, self.metadata = ptx, metadata


class Stages:
    """While it is hooked in, threads may probe; all others compile as ever."""

    def __init__(self) -> None:
        self._thread = threading.local()
        self._made: Dict[str, Dict[str, Tuple[str, Dict[str, Any]]]] = {}

    @contextlib.contextmanager
    def probing(self) -> Iterator[None]:
        """This thread's compilations end with Stopped."""
        self._thread.probes = True
        try:
            yield
        finally:
            self._thread.probes = False

    def wrap(self, stages: Dict[str, Any]) -> None:
        """Of one compilation."""
        if _LAST not in stages:
            return
        for name in list(stages):
            stages[name] = self._wrap_last(stages[name]) if name == _LAST \
                else self._remember(name, stages[name])

    def _wrap_last(self, run: Callable[[Any, Dict[str, Any]], Any]) -> Any:
        def last(source: Any, metadata: Dict[str, Any]) -> Any:
            if getattr(self._thread, "probes", False):
                raise Stopped(str(source), dict(metadata))
            return run(source, metadata)
        return last

    def _remember(self, name: str, run: Callable[[Any, Dict[str, Any]], Any]) -> Any:
        def stage(source: Any, metadata: Dict[str, Any]) -> Any:
            made = self._made.get(str(metadata.get("hash")), {})
            if "ptx" in made and name in made:
                text, added = made[name]
                metadata.update(added)
                return text
            before = dict(metadata)
            result = run(source, metadata)
            if getattr(self._thread, "probes", False) and "hash" in metadata:
                added = {key: value for key, value in metadata.items()
                         if key not in before or before[key] is not value}
                self._made.setdefault(metadata["hash"], {})[name] = (str(result), added)
            return result
        return stage

    def forget(self) -> None:
        self._made.clear()


@contextlib.contextmanager
def hooked(stages: Stages) -> Iterator[bool]:
    """Has Triton show its stages. False: this version of it has no place for that."""
    undo = _hook_knob(stages) or _hook_backend(stages)
    try:
        yield undo is not None
    finally:
        if undo:
            undo()


def _hook_knob(stages: Stages) -> Optional[Callable[[], None]]:
    """Triton 3.5 and later: called without arguments for a part of the cache's key."""
    try:
        knobs = importlib.import_module("triton.knobs")
        earlier = knobs.runtime.add_stages_inspection_hook
    except (ImportError, AttributeError):
        return None

    def hook(*args: Any, **named: Any) -> Any:
        if not args and not named:
            return earlier() if earlier else ("", "")
        result = earlier(*args, **named) if earlier else None
        stages.wrap(named["stages"] if "stages" in named else _find_stages(args))
        return result

    def undo() -> None:
        knobs.runtime.add_stages_inspection_hook = earlier
    knobs.runtime.add_stages_inspection_hook = hook
    return undo


def _find_stages(args: Tuple[Any, ...]) -> Dict[str, Any]:
    found: List[Any] = [one for one in args if isinstance(one, dict) and _LAST in one]
    return found[0] if found else {}


def _hook_backend(stages: Stages) -> Optional[Callable[[], None]]:
    """Triton 3.0 to 3.4."""
    try:
        backend = importlib.import_module("triton.backends.nvidia.compiler").CUDABackend
        earlier = backend.add_stages
    except (ImportError, AttributeError):
        return None

    def add_stages(self: Any, found: Dict[str, Any], *args: Any, **named: Any) -> Any:
        result = earlier(self, found, *args, **named)
        stages.wrap(found)
        return result

    def undo() -> None:
        backend.add_stages = earlier
    backend.add_stages = add_stages
    return undo
