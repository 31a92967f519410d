#!/usr/bin/env python3
"""check-sandbox.py PTXLINT -- what a run may no longer read once it reads PTX. It is held there, since nobody reads what it writes,
while its next input is replaced by a link to a file outside of the folders that it was given."""
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile

PTXLINT = os.path.abspath(sys.argv[1])
PTX = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry %s()\n{\n\tret;\n}\n"
CREATE_RULESET, VERSION_ALONE = 444, 1

if ctypes.CDLL(None, use_errno=True).syscall(CREATE_RULESET, None, 0, VERSION_ALONE) < 1:
    print("skipped: this kernel has no Landlock")
    sys.exit(77)


def read_replaced(*options):
    with tempfile.TemporaryDirectory() as folder:
        inside, outside = pathlib.Path(folder, "inside"), pathlib.Path(folder, "outside")
        inside.mkdir()
        outside.mkdir()
        (outside / "secret.ptx").write_text(PTX % "secret")
        (inside / "b.ptx").write_text(PTX % "good")
        head, kernel = PTX.split(".visible")
        (inside / "a.ptx").write_text(head + "".join(f".visible{kernel}" % f"k{i}" for i in range(200)))
        words = [PTXLINT, "report", "--no-config", "--jobs", "1", "--format", "json", *options, "a.ptx", "b.ptx"]
        with subprocess.Popen(words, cwd=inside, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            begin = run.stdout.read(1)          # it is reading PTX; what it says of a.ptx is more than a pipe holds
            (inside / "b.ptx").unlink()
            (inside / "b.ptx").symlink_to(outside / "secret.ptx")
            out, error = run.communicate(timeout=60)
        return run.returncode, "secret" in begin + out, "k199" in out, error


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got}, want {wanted}")


code, has_secret, has_first, error = read_replaced()
expect("in the sandbox", (code, has_secret, has_first, "b.ptx: Permission denied" in error), (3, False, True, True))
code, has_secret, has_first, error = read_replaced("--no-sandbox")
expect("--no-sandbox", (code, has_secret, has_first, error), (0, True, True, ""))
