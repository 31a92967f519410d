#!/usr/bin/env python3
"""check-hardening.py PROGRAM... -- what -Dhardening=true promises of each: a place that is drawn anew, tables that are read-only, no page both
written and run, guarded stacks, checked copies, and marked targets of jumps where the machine has them. For a program that is linked
statically and stripped, what can be seen of it."""
import re
import subprocess
import sys

# Functions that have arrays or buffers of their own; of a program without the option there is none, or what libc.a has.
LEAST_GUARDS = 300


def said(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def problems_of(path):
    header, segments, dynamic = said("readelf", "-hW", path), said("readelf", "-lW", path), said("readelf", "-dW", path)
    symbols, code = said("readelf", "--dyn-syms", "-W", path), said("objdump", "-d", "--no-show-raw-insn", path)
    is_x86, is_static = "X86-64" in header, "NEEDED" not in dynamic
    guards = len(re.findall(r"%fs:0x28,|__stack_chk_fail@plt>$", code, re.M)) if is_x86 else LEAST_GUARDS
    wanted = {
        "position independent": re.search(r"Type: +DYN", header) and re.search(r"FLAGS_1.*\bPIE\b", dynamic),
        "RELRO": "GNU_RELRO" in segments,
        "BIND_NOW": re.search(r"FLAGS_1.*\bNOW\b", dynamic),
        "a stack that does not run": re.search(r"GNU_STACK.* RW +0x", segments),
        "no page that is written and runs": not re.search(r"LOAD.* RWE ", segments),
        "no relocations in code": "TEXTREL" not in dynamic,
        f"guarded stacks ({guards})": guards >= LEAST_GUARDS,
        "the guard of the library": is_static or "__stack_chk_fail" in symbols,
        "checked copies": is_static or re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")),
        "marked targets of jumps": not is_x86 or code.count("endbr64") > LEAST_GUARDS,
    }
    return [f"{path}: not seen: {what}" for what, is_there in wanted.items() if not is_there]


problems = [problem for path in sys.argv[1:] for problem in problems_of(path)]
for problem in problems:
    print(problem)
sys.exit(bool(problems) or len(sys.argv) < 2)
