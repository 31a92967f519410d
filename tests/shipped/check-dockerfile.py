#!/usr/bin/env python3
"""check-dockerfile.py PTXLINT MEASURE... -- the image of the Dockerfile: each library that a program was linked with comes with the base or a
package that the last stage installs, and it runs as a user without rights, in a folder to be mounted. dpkg says what belongs to which package;
no image is made."""
import pathlib
import re
import sys

from kit import PTXLINT, ROOT, expect, finish, need, run, skip

need("dpkg", "ldd")
if 'VERSION_CODENAME=bookworm' not in pathlib.Path("/etc/os-release").read_text(encoding="utf-8"):
    skip("packages may have other names than in Debian 12")
text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
last = text[text.rindex("FROM "):]
installed = {name for names in re.findall(r"apt-get install -y --no-install-recommends ([^&]*)&&", last) for name in names.split()}
expect("the user", re.findall(r"^USER (.*)", last, re.M), ["nobody"])
expect("what runs", re.findall(r"^(?:WORKDIR|ENTRYPOINT) (.*)", last, re.M), ["/src", '["ptxlint"]'])
expect("a base that is named by its release", set(re.findall(r"^FROM (\S+)", text, re.M)), {"debian:12-slim"})
programs = [PTXLINT, *sys.argv[2:]]
linked = {name for program in programs for name in re.findall(r"^\s*(\S+) => ", run("ldd", program).stdout, re.M)}
expect("libraries", "libc.so.6" in linked, True)
expect("programs", re.findall(r"^COPY --from=build \S+/(\S+) ", last, re.M), ["ptxlint", "ptxlint-measure"])
of_library = {name: {line.split(":")[0] for line in run("dpkg", "-S", f"*/{name}").stdout.splitlines()} for name in linked}
missing = {name: sorted(packages) for name, packages in of_library.items() if not packages & (installed | {"libc6"})}
expect("libraries without a package", missing, {})
finish()
