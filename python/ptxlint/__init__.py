"""Static analysis of NVIDIA PTX: findings, reports, and estimates before a launch.

    import ptxlint

    for finding in ptxlint.lint("saxpy.ptx"):
        print(finding)

    with ptxlint.Module.open("saxpy.ptx", gpus="h200") as module:
        print(module.kernel("saxpy").estimate(16384, 256).predicted_us)

docs/python.md has more. A figure that is not known is None: never 0, never NaN.
"""
from ._errors import (BadFileError, Error, LaunchWarning, LibraryError, NoMemoryError, ReadError,
                      TooLargeError)
from ._gpus import Gpu, gpus
from ._load import VERSION as __version__
from ._module import Kernel, Module, estimate_ptx, lint
from ._own_gpu import OwnGpu, figure_kind
from ._params import Param
from ._types import Diagnostic, Estimate, Fix, Occupancy, Related, Source
from ._verify import Verified, verify

__all__ = [
    "BadFileError", "Diagnostic", "Error", "Estimate", "Fix", "Gpu", "Kernel", "LaunchWarning",
    "LibraryError", "Module", "NoMemoryError", "Occupancy", "OwnGpu", "Param", "ReadError", "Related",
    "Source", "TooLargeError", "Verified", "__version__", "estimate_ptx", "figure_kind",
    "gpus", "lint", "verify",
]
