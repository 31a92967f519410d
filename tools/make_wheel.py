#!/usr/bin/env python3
"""make_wheel.py BUILT FOLDER -- writes the wheel to FOLDER, of the package in python/ and of the program and the library in BUILT.

Debian's libjansson.a is not position independent: what the two need beyond glibc is copied beside them, where they look by $ORIGIN, with
its licence. For the machine that the two are built for, not that of the build. Use tools/wheel.sh.
"""
import base64
import hashlib
import pathlib
import re
import struct
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python/ptxlint"
GLIBC = 36                          # 2.36
SYSTEM = re.compile(r"ld-linux|lib(?:c|m|pthread|dl|rt)\.so")
MACHINES = {62: "x86_64", 183: "aarch64"}       # e_machine
METADATA = """Metadata-Version: 2.1
Name: ptxlint
Version: {}
Summary: Static analysis of NVIDIA PTX
License: MIT
Requires-Python: >=3.9
Classifier: Operating System :: POSIX :: Linux
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

"""


def machine(path):
    """What the binary runs on: its name in a tag, and where Debian has that machine's libraries."""
    kind, = struct.unpack_from("<H", path.read_bytes(), 18)
    if kind not in MACHINES:
        sys.exit(f"{path}: the wheel is for x86-64 and aarch64, not for ELF machine {kind}")
    return MACHINES[kind], [f"/usr/lib/{MACHINES[kind]}-linux-gnu", f"/lib/{MACHINES[kind]}-linux-gnu"]


def needed(path, found):
    """Adds the files that a binary has the system load, and what those do, but for glibc's."""
    lines = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", lines):
        if SYSTEM.search(name) or name in found:
            continue
        places = [pathlib.Path(folder, name) for folder in [path.parent, *machine(path)[1]]]
        place = next((one for one in places if one.exists()), None) or sys.exit(f"{path}: there is no {name}")
        found[name] = place
        needed(place, found)
    return found


def licence(path):
    """What Debian has of a library's licence, and the name of its package."""
    owner = subprocess.run(["dpkg", "-S", path.resolve().name], check=True, capture_output=True, text=True).stdout
    package = owner.split(":")[0].split(",")[0]
    return package, pathlib.Path("/usr/share/doc", package, "copyright").read_bytes()


def check_glibc(name, content):
    newest = max(map(int, re.findall(rb"GLIBC_2\.(\d+)", content)), default=0)
    if newest > GLIBC:
        sys.exit(f"{name}: needs glibc 2.{newest}; the wheel is for 2.{GLIBC}: build it on Debian 12")


def collect(built, version):
    """What lies in the wheel, by name."""
    info = f"ptxlint-{version}.dist-info"
    files = {f"ptxlint/{p.name}": p.read_bytes() for p in PACKAGE.iterdir() if p.is_file()}
    binaries = {"ptxlint": built / "ptxlint", "libptxlint.so.0.1": built / "libptxlint.so.0.1"}
    copied = {}
    for path in binaries.values():
        needed(path, copied)
    copied = {name: path for name, path in copied.items() if name not in binaries}
    for name, path in (binaries | copied).items():
        files[f"ptxlint/{name}"] = path.read_bytes()
        check_glibc(name, files[f"ptxlint/{name}"])
    for path in copied.values():
        package, text = licence(path)
        files[f"{info}/licenses/{package}"] = text
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    page = (ROOT / "docs/python.md").read_bytes()
    files[f"{info}/METADATA"] = METADATA.format(version).encode() + page
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: ptxlint\nRoot-Is-Purelib: false\nTag: {tag(built)}\n".encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nptxlint = ptxlint._program:main\n"
    record = [f"{name},sha256={digest(content)},{len(content)}\n" for name, content in files.items()]
    files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()
    return files


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def tag(built):
    return f"py3-none-manylinux_2_{GLIBC}_{machine(built / 'ptxlint')[0]}"


def main(built, folder):
    version = re.search(r'^VERSION = "(.*)"', (PACKAGE / "_load.py").read_text(encoding="utf-8"), re.M).group(1)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"ptxlint-{version}-{tag(built)}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in collect(built, version).items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))        # the same tree gives the same bytes
            entry.external_attr = (0o100755 if name == "ptxlint/ptxlint" else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    print(path)


main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]))
