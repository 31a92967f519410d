#!/usr/bin/env python3
"""check-readme.py PTXLINT EXAMPLE [--update] -- what README.md, docs/isa.md and docs/messages.md show is what the program prints.

A console block is a line `$ ./build/ptxlint ...` and its output; the C block is example.c. --update writes them anew.
"""
import os
import re
import shlex
import subprocess
import sys

from tree import ROOT, finish, read

PAGES = ["README.md", "docs/isa.md", "docs/messages.md"]
ptxlint, example = map(os.path.abspath, sys.argv[1:3])


def output_of(line):
    """What a command line of a page prints."""
    program, *arguments = shlex.split(line)
    program = {"./build/ptxlint": ptxlint, "./example": example}[program]
    plain = os.environ | {"NO_COLOR": "1"}
    return subprocess.run([program, *arguments], cwd=ROOT, env=plain, capture_output=True, text=True, check=False).stdout


def console(block):
    line = block.group(1)
    return f"```console\n$ {line}\n{output_of(line)}```\n"


def check(page):
    """Problems of one page, or none behind --update."""
    old = read(ROOT / page)
    new = re.sub(r"^```console\n\$ (\./(?:build/ptxlint|example)\b.*)\n(?:.*\n)*?```\n", console, old, flags=re.M)
    source = read(ROOT / "tests/house/example.c")
    new = re.sub(r"^```c\n(?:.*\n)*?```\n", lambda _: f"```c\n{source}```\n", new, flags=re.M)
    if "--update" in sys.argv:
        (ROOT / page).write_text(new, encoding="utf-8")
    elif old != new:
        return [f"{page}:{number}: not what is printed: {a}" for number, (a, b) in
                enumerate(zip(old.splitlines(), new.splitlines()), 1) if a != b][:5] or [f"{page}: not what is printed"]
    return []


problems = [problem for page in PAGES for problem in check(page)]
if "--update" not in sys.argv:
    finish(problems)
