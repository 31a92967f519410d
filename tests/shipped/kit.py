"""What the checks of this folder share."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PTXLINT = pathlib.Path(sys.argv[1]).resolve()
NPM = ROOT / "tools/npm/node_modules"
PTX = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n\tbogus.u32 1, 2;\n}\n"

problems = []
os.environ["LC_ALL"] = "C.UTF-8"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            skip(f"{program} is not installed")


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)


def expect(what, got, wanted):
    if got != wanted:
        problems.append(f"{what}: {got!r}, not {wanted!r}")


def finish():
    for problem in problems[:40]:
        print(problem)
    sys.exit(1 if problems else 0)
