#!/usr/bin/env python3
"""check-rule-docs.py PTXLINT [--update] -- docs/rules/, docs/facts.md and docs/isa-new.md are what the program says of its rules, with no
page left over; samples of output in other pages are what it prints.

--update (tools/docs.sh) writes them anew.
"""
import json
import os
import re
import shlex
import subprocess
import sys

from tree import ROOT, finish, name, read

ptxlint = os.path.abspath(sys.argv[1])
PAGES = ROOT / "docs/rules"
NEW_HEAD = """# What is new in PTX 9.1 to 9.4

Forms of instructions by the version that has them first, as `ptxlint isa --since 9.1 --format markdown` prints them; `ptxlint isa OPCODE`
says what a group of modifiers (`.f8x2`) stands for. PTX 9.1 is of CUDA 13.1 (driver r590), 9.2 of 13.2 (r595), 9.3 of 13.3 (r610), 9.4 of
13.4 (r615). Operands that are `...` are not known: the form is taken with any. A target with `f` means its family, one with `a` itself alone.

"""


def output_of(*arguments, **more):
    plain = {key: value for key, value in os.environ.items() if key != "COLUMNS"} | {"NO_COLOR": "1"} | more
    alone = [] if arguments[0] == "isa" else ["--no-config"]       # isa reads no config
    done = subprocess.run([ptxlint, *arguments, *alone], cwd=ROOT, env=plain, capture_output=True, text=True, check=False)
    if done.returncode:
        finish([f"ptxlint {' '.join(arguments)}: exit {done.returncode}: {done.stderr.strip()}"])
    return done.stdout


def with_samples(path):
    """The page with what commands print: <!-- [NAME=VALUE] ptxlint ARGUMENTS --> and the block behind it."""
    def sample(found):
        words = shlex.split(found.group(1))
        settings = dict(word.split("=", 1) for word in words[:words.index("ptxlint")])
        return f"<!-- {found.group(1)} -->\n```text\n{output_of(*words[words.index('ptxlint') + 1:], **settings)}```\n"
    return re.sub(r"<!-- ((?:\w+=\w+ )*ptxlint .*?) -->\n```text\n.*?```\n", sample, read(path), flags=re.S)


def wanted():
    """Path and text of each page."""
    codes = [rule["code"] for rule in json.loads(output_of("rules", "--format", "json"))["rules"]]
    pages = {PAGES / f"{code}.md": output_of("explain", "--format", "markdown", code) for code in codes}
    pages[PAGES / "README.md"] = output_of("rules", "--format", "markdown")
    pages[ROOT / "docs/isa-new.md"] = NEW_HEAD + output_of("isa", "--since", "9.1", "--format", "markdown")
    pages[ROOT / "docs/facts.md"] = output_of("rules", "--facts", "--format", "markdown")
    pages[ROOT / "docs/report.md"] = with_samples(ROOT / "docs/report.md")
    return pages


def update(pages):
    PAGES.mkdir(exist_ok=True)
    for left_over in set(PAGES.glob("*.md")) - set(pages):
        left_over.unlink()
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")


def problems(pages):
    found = [f"{name(path)}: there is no such rule" for path in sorted(set(PAGES.glob("*.md")) - set(pages))]
    for path, text in sorted(pages.items()):
        if not path.exists():
            found.append(f"{name(path)}: is missing")
        elif read(path) != text:
            found.append(f"{name(path)}: is not what ptxlint says")
    return found + ["tools/docs.sh writes them anew"] if found else []


if "--update" in sys.argv:
    update(wanted())
else:
    finish(problems(wanted()))
