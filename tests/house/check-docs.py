#!/usr/bin/env python3
"""docs/architecture.md lists the folders that there are; docs/limits.md has the limits of src/support/limits.h, all of them; the other
names in capitals with an underscore there are constants of src."""
import re

from tree import ROOT, STAGES, finish, name, read, sources, stage_of


def check_folders():
    text = read(ROOT / "docs/architecture.md")
    listing = re.search(r"^```\n(.*?)^```", text, re.S | re.M)
    if not listing:
        return ["docs/architecture.md: there is no listing of folders"]
    paths = [line.split()[0] for line in listing.group(1).splitlines() if line.strip() and not line.startswith(" ")]
    problems = [f"docs/architecture.md: {path} does not exist" for path in paths if not (ROOT / path).exists()]
    stages = [path[len("src/"):].rstrip("/") for path in paths if path.startswith("src/")]
    if stages != STAGES:
        problems.append(f"docs/architecture.md: lists the stages {' '.join(stages)}, not {' '.join(STAGES)}")
    folders = {name(p.parent) + "/" for p in sources({".c", ".h"}, "src")}
    problems += [f"{folder}: belongs to no stage" for folder in sorted(folders) if not stage_of(folder[len("src/"):])]
    tests = {f"tests/{p.name}/" for p in (ROOT / "tests").iterdir() if p.is_dir() and any(p.iterdir())}
    problems += [f"docs/architecture.md: {folder} is missing" for folder in sorted(tests - set(paths))]
    return problems


def check_limits():
    header = read(ROOT / "src/support/limits.h")
    real = re.findall(r"^\s*(LIMIT_\w+) = ([^,]+),", header, re.M)
    rows = re.findall(r"^\| `(LIMIT_\w+)` \| `([^`]+)` \|", read(ROOT / "docs/limits.md"), re.M)
    return [] if real == rows else [f"docs/limits.md: {row[0]} = {row[1]}: not the same here and in limits.h, or out of order"
                                    for row in sorted(set(real) ^ set(rows)) or rows]


def check_constants():
    known = {word for p in sources({".c", ".h", ".re", ".y"}, "src") for word in re.findall(r"\b[A-Z][A-Z0-9_]{3,}\b", read(p))}
    named = re.findall(r"`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`", read(ROOT / "docs/limits.md"))
    return [f"docs/limits.md: nothing is called {word}" for word in named if word not in known]


finish(check_folders() + check_limits() + check_constants())
