#!/usr/bin/env python3
"""check-pkg-config.py MESON BUILD CC EXAMPLE.c INPUT WANTED -- what `meson install` leaves is enough for a client.

Installs into an empty folder, builds EXAMPLE.c with the flags that pkg-config gives, against the shared and against
the static library, and runs both. The public header needs no define, and the flags have none.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
meson, build, cc, example, given, wanted = sys.argv[1:7]


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def flags(root, *options):
    files = list(root.rglob("ptxlint.pc"))
    where = os.environ | {"PKG_CONFIG_PATH": str(files[0].parent), "PKG_CONFIG_SYSROOT_DIR": str(root)}
    return run("pkg-config", "--cflags", "--libs", *options, "ptxlint", env=where).split()


def client(root, kind, *options):
    """What is wrong with a client of that kind."""
    libraries = next(root.rglob("libptxlint.a")).parent
    with_flags = flags(root, *options)
    program = root / f"client-{kind}"
    if any(flag.startswith("-D") for flag in with_flags):
        return [f"{kind}: pkg-config gives a define: {' '.join(with_flags)}"]
    run(cc, "-std=c11", example, "-o", str(program), *with_flags)
    printed = run(str(program), given, env=os.environ | {"LD_LIBRARY_PATH": str(libraries)})
    return [] if printed == wanted + "\n" else [f"{kind}: prints {printed!r}, not {wanted!r}"]


if not shutil.which("pkg-config"):
    print("skipped: there is no pkg-config")
    sys.exit(SKIPPED)
with tempfile.TemporaryDirectory() as folder:
    run(meson, "install", "-C", build, "--no-rebuild", "--quiet", "--tags", "devel,runtime", "--destdir", folder)
    root = pathlib.Path(folder)
    problems = client(root, "shared")
    for shared in root.rglob("libptxlint.so*"):
        shared.unlink()
    problems += client(root, "static", "--static")
print("\n".join(problems))
sys.exit(1 if problems else 0)
