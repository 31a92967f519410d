#!/usr/bin/env python3
"""docs/architecture.md, docs/passes.md and CONTRIBUTING.md are true as far as names go: every file, folder, function and
test that they name exists. docs/architecture.md has two pages: at most 140 lines. Its list of
folders is that of the stages, in their order, each once. Memory that runs out is caught in one place.

A name stands in backticks: a path (`src/ir/`, `tests/house/check-words.py`), a file of src (`evaluate.c`), a function
(`ptx_lex`, `ptxlint_estimate`), or in CONTRIBUTING.md's lists of tests, a test of meson.
"""
import re

from tree import ROOT, STAGES, finish, read, sources

PAGES = ["docs/architecture.md", "docs/passes.md", "CONTRIBUTING.md"]
LINES_AT_MOST = 140

code = "\n".join(read(path) for path in sources({".c", ".h", ".re", ".y", ".def"}, "src", "include"))
words = set(re.findall(r"\b\w+\b", re.sub(r"/\*.*?\*/", "", code, flags=re.S)))
names = {path.name for folder in ("src", "tools", "rules") for path in (ROOT / folder).rglob("*") if path.is_file()}
tests = "\n".join(read(path) for path in (ROOT / "tests").rglob("meson.build"))


def exists(name):
    """None: not a name that can be looked for."""
    if re.search(r"\b(?:NAME|GROUP|CODE)\b", name):
        return None
    if re.fullmatch(r"(?:src|tests|tools|docs|rules|include|testdata)/[\w./*-]+", name):
        return bool(list(ROOT.glob(name.rstrip("/"))))
    if re.fullmatch(r"ptx(?:lint)?_\w+", name):
        return name in words
    if re.fullmatch(r"[\w*]+\.(?:c|h|re|y|def|txt|py)", name):
        return any(re.fullmatch(name.replace(".", r"\.").replace("*", r"\w*"), one) for one in names)
    return None


def is_test(name):
    """Listed by name, or made of a prefix in a foreach."""
    parts = name.split("-")
    return any(f"'{form}'" in tests for form in (name, parts[-1], "-".join(parts[1:]), parts[0] + "-"))


def check(page):
    text = re.sub(r"^```.*?^```", "", read(ROOT / page), flags=re.S | re.M)
    named = set(re.findall(r"`([^`\n]+)`", text))
    problems = [f"{page}: `{name}` does not exist" for name in sorted(named) if exists(name) is False]
    for line in re.findall(r"[Tt]ests: ((?:`[\w-]+`[,. \n]*(?:and )?)+)", text) if page == "CONTRIBUTING.md" else []:
        problems += [f"{page}: there is no test `{name}`" for name in re.findall(r"`([\w-]+)`", line) if not is_test(name)]
    return problems


problems = [problem for page in PAGES for problem in check(page)]
lines = read(ROOT / "docs/architecture.md").count("\n")
if lines > LINES_AT_MOST:
    problems.append(f"docs/architecture.md: {lines} lines, of at most {LINES_AT_MOST}")
listed = re.findall(r"^(\w[\w/]*/) ", read(ROOT / "docs/architecture.md"), flags=re.M)
problems += [f"docs/architecture.md: {folder} is listed twice" for folder in sorted(set(listed)) if listed.count(folder) > 1]
stages = [folder[4:-1] for folder in listed if folder.startswith("src/")]
if stages != STAGES:
    problems.append(f"docs/architecture.md: stages {stages} are not those of tests/house/tree.py, {STAGES}")
# libiberty's output has no end of its own, which demangle.c leaves in the same way
CATCH = {"src/support/guard.c", "src/support/demangle.c"}
for path in sources({".c", ".h", ".re", ".y"}, "src"):
    if re.search(r"\bsetjmp\s*\(", read(path)) and str(path.relative_to(ROOT)) not in CATCH:
        problems.append(f"{path.relative_to(ROOT)}: setjmp: memory that runs out is caught by ptx_run_guarded")
finish(problems)
