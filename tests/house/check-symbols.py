#!/usr/bin/env python3
"""check-symbols.py LIBRARY.so -- what the shared library gives to the linker, and what it can write to.

It exports the functions of the public header and nothing else. It has no writable variable, so that modules can be read
in parallel; tables of pointers lie in .data.rel.ro, which the loader makes read-only.
"""
import re
import subprocess
import sys

from tree import ROOT, finish, read

SKIPPED = 77
# The C runtime's own, one a shared object.
RUNTIME = {"__dso_handle", "__TMC_END__", "completed.0", "_edata", "_end", "__bss_start", ".data", ".bss"}
# Lemon's trace, in a build with assertions only: NULL but for a call of ParseTrace, which nothing makes.
LEMON_TRACE = {"yyTraceFILE", "yyTracePrompt"}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def check_exports(library):
    exported = {line.split()[0].split("@")[0] for line in run("nm", "-D", "--defined-only", "--format=posix", library)}
    exported = {symbol for symbol in exported if not symbol.startswith("PTXLINT_")}        # the version node
    header = re.sub(r"/\*.*?\*/", "", read(ROOT / "include/ptxlint/ptxlint.h"), flags=re.S)
    declared = set(re.findall(r"^PTXLINT_API [^;(]*?\b(\w+)\(", header, re.M))
    return ([f"{symbol} is exported, and not in ptxlint.h" for symbol in sorted(exported - declared)]
            + [f"{symbol} is in ptxlint.h, and not exported" for symbol in sorted(declared - exported)])


def check_writable(library):
    problems = []
    for line in run("objdump", "-t", library):
        fields = re.match(r"[0-9a-f]+ .{7} (\.t?(?:data|bss)(?:\.\S+)?)\t([0-9a-f]+)\s+(?:\.hidden )?(\S+)", line)
        if not fields or fields.group(1).startswith(".data.rel.ro"):
            continue
        symbol = re.sub(r"\.lto_priv\.\d+$|\.\d+\.lto_priv\.\d+$", "", fields.group(3))
        if symbol not in RUNTIME and symbol not in LEMON_TRACE:
            problems.append(f"{symbol} ({int(fields.group(2), 16)} bytes in {fields.group(1)}) is a variable that can be written to")
    return problems


library = sys.argv[1]
if any("__asan_" in line or "__ubsan_" in line or "__sanitizer_" in line for line in run("nm", "-D", library)):
    print("skipped: a sanitizer adds symbols of its own")
    sys.exit(SKIPPED)
finish(check_exports(library) + check_writable(library))
