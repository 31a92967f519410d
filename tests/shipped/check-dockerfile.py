#!/usr/bin/env python3
"""check-dockerfile.py PTXLINT -- the image of the Dockerfile: each library that the program was linked with comes with a package that the last
stage installs, and it runs as a user without rights, in a folder to be mounted. dpkg says what belongs to which package; no image is made."""
import pathlib
import re

from kit import PTXLINT, ROOT, expect, finish, need, run, skip

need("dpkg", "ldd")
if 'VERSION_CODENAME=bookworm' not in pathlib.Path("/etc/os-release").read_text(encoding="utf-8"):
    skip("packages may have other names than in Debian 12")
text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
last = text[text.rindex("FROM "):]
installed = set(re.search(r"apt-get install -y --no-install-recommends ([^&]*)&&", last).group(1).split())
expect("the user", re.findall(r"^USER (.*)", last, re.M), ["nobody"])
expect("what runs", re.findall(r"^(?:WORKDIR|ENTRYPOINT) (.*)", last, re.M), ["/src", '["ptxlint"]'])
expect("a base that is named by its release", set(re.findall(r"^FROM (\S+)", text, re.M)), {"debian:12-slim"})
linked = re.findall(r"^\s*(\S+) => ", run("ldd", PTXLINT).stdout, re.M)
expect("libraries", "libc.so.6" in linked, True)
of_library = {name: {line.split(":")[0] for line in run("dpkg", "-S", f"*/{name}").stdout.splitlines()} for name in linked}
missing = {name: sorted(packages) for name, packages in of_library.items() if not packages & (installed | {"libc6"})}
expect("libraries without a package", missing, {})
finish()
