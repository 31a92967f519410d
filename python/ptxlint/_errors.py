"""What can go wrong, but for wrong types and values of arguments: TypeError and ValueError."""
import ctypes
import os


class Error(Exception):
    """Base of all errors of this package; the text is the library's where the library gives one."""


class LibraryError(Error):
    """libptxlint is not there, or is of another version than this package."""


class NoMemoryError(Error, MemoryError):
    """The system has no more memory, or max_memory_bytes is reached."""


class TooLargeError(Error):
    """The PTX is longer than a module can be: 1 GiB."""


class BadFileError(Error):
    """A launch, config or baseline file is not in its format; the text says where and why."""


class ReadError(Error, OSError):
    """A file cannot be read: errno, strerror and filename as of any OSError."""


class LaunchWarning(UserWarning):
    """Launches name a kernel, parameter or loop that no kernel has."""


OK, NO_MEMORY, TOO_LARGE, IO, BAD_ARGUMENT, BAD_FILE, WRITE, STOPPED = range(8)
_CLASSES = {NO_MEMORY: NoMemoryError, TOO_LARGE: TooLargeError, BAD_FILE: BadFileError}


def check(library: ctypes.CDLL, status: int, text: str = "", path: str = "") -> None:
    """Raises what a ptxlint_status means; text is what the library says beyond it."""
    if status == OK:
        return
    if status == IO:
        number = ctypes.get_errno()
        raise ReadError(number, os.strerror(number), path)
    general = library.ptxlint_status_text(status).decode()
    raise _CLASSES.get(status, Error)(text or (f"{path}: {general}" if path else general))
