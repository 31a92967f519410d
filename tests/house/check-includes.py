#!/usr/bin/env python3
"""The pipeline is the folder order: a stage includes headers of its own folder and of those above it (docs/architecture.md).

A folder has 40 files at the most. The report, what compares reports, and the program are narrower: they know a module through the public header alone, and the program
nothing else.
"""
import re

from tree import ROOT, STAGES, finish, name, read, sources, stage_of

PUBLIC = "ptxlint/ptxlint.h"
FILES_MAX = 40
GENERATED = {"ptx_grammar.h": "lexer", "expr_grammar.h": "rules/lang"}      # token numbers: Lemon writes them, the scanner hands them out
SEES = {stage: set(STAGES[:i + 1]) for i, stage in enumerate(STAGES)}
SEES["report"] = {"support", "report"}
SEES["compare"] = {"support", "rules/lang", "report", "compare"}
SEES["mcp"] = {"mcp"}
SEES["lsp"] = {"lsp"}
SEES["measure"] = {"measure"}
SEES["cli"] = {"mcp", "lsp", "measure", "cli"}
# inline functions of a line, that need nothing: every stage sees them
INLINE = {"support/choice.h", "support/grow.h", "support/minmax.h"}
SEES_PUBLIC = {"report", "compare", "findings", "model", "input", "input/container", "api", "mcp", "lsp", "measure", "cli"}


def check(path):
    stage = stage_of(path.relative_to(ROOT / "src").as_posix())
    if not stage:
        return [f"{name(path)}: its folder is not a stage; add it to tests/house/tree.py and docs/architecture.md"]
    problems = []
    for number, line in enumerate(read(path).splitlines(), 1):
        include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not include:
            continue
        header = include.group(1)
        where = f"{name(path)}:{number}: \"{header}\""
        if header in INLINE:
            continue
        if header == PUBLIC:
            if stage not in SEES_PUBLIC:
                problems.append(f"{where}: the public interface is for {', '.join(sorted(SEES_PUBLIC))}")
            continue
        owner = GENERATED.get(header) or stage_of(header)
        if not owner:
            problems.append(f"{where}: write the path from src/")
        elif owner not in SEES[stage]:
            problems.append(f"{where}: src/{stage}/ does not see src/{owner}/")
        elif header not in GENERATED and not (ROOT / "src" / header).is_file():
            problems.append(f"{where}: there is no such file")
    return problems


def check_build():
    """meson.build names every source, each stage after those above it."""
    problems = []
    text = re.sub(r"#.*", "", read(ROOT / "meson.build"))
    listed = re.findall(r"'src/([\w/-]+\.c)'", text)
    ranks = [STAGES.index(stage_of(path)) for path in listed if stage_of(path)]
    for i in range(1, len(ranks)):
        if ranks[i] < ranks[i - 1]:
            problems.append(f"meson.build: src/{listed[i]} stands after src/{listed[i - 1]}, a later stage")
    for path in sources({".c"}, "src"):
        if path.relative_to(ROOT / "src").as_posix() not in listed:
            problems.append(f"meson.build: {name(path)} is not listed")
    return problems


def check_folders():
    """A folder is seen at a glance."""
    counts = {d: sum(p.is_file() for p in d.iterdir()) for d in (ROOT / "src").rglob("*") if d.is_dir() and d.name != "__pycache__"}
    return [f"{name(d)}/: {n} files; {FILES_MAX} are the most: give a subject a folder" for d, n in sorted(counts.items()) if n > FILES_MAX]


finish([p for path in sources({".c", ".h", ".re", ".y"}, "src") for p in check(path)] + check_build() + check_folders())
