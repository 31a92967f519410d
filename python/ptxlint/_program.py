"""The command `ptxlint` of a wheel: the program that lies in the package."""
import os
import sys


def main() -> None:
    """Becomes the program, with the arguments of this process."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ptxlint")
    try:
        os.execv(program, ["ptxlint", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"ptxlint: {program}: {error.strerror}")
