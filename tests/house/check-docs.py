#!/usr/bin/env python3
"""check-docs.py [--write] -- docs/architecture.md lists the folders that there are; docs/limits.md has the limits of src/support/limits.h, all
of them; the other names in capitals with an underscore there are constants of src; and every bound of src is there, by a row of its own or in
the table at its end, which --write makes anew."""
import re
import sys

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


# A constant whose name says that it bounds something: MAX_STEPS, CONFIG_FILE_BYTES_MAX.
WORD = r"((?:[A-Z][A-Z0-9]*_)*(?:MAX|MOST)(?:_[A-Z0-9_]+)?)"
BOUND = re.compile(rf"(?:#define {WORD} +(?!\\)|\b{WORD} *= *(?!=))")
TABLE_HEAD = "\n## All other bounds\n"


def find_bounds():
    """(folder, file, name) of each, in order."""
    for path in sorted(sources({".c", ".h"}, "src")):
        for match in BOUND.finditer(read(path)):
            yield name(path.parent), path.name, match.group(1) or match.group(2)


def make_table(text):
    """The table of the bounds that no other row of docs/limits.md names."""
    rows = [(file, word) for row in text.split("\n") for file in re.findall(r"`([\w./]+\.[ch]|\w+/)`", row) for word in re.findall(r"`([A-Z_0-9]+)`", row)]
    known, folders = set(rows), {}
    for folder, file, word in find_bounds():
        if (file, word) not in known and (folder.rsplit("/", 1)[-1] + "/", word) not in known:
            folders.setdefault(folder, {}).setdefault(file, []).append(word)
    lines = [f"| {folder} | {'; '.join(f'`{file}`: ' + ', '.join(f'`{word}`' for word in words) for file, words in files.items())} |"
             for folder, files in folders.items()]
    return "\n".join(lines) + "\n"


def check_bounds():
    path = ROOT / "docs/limits.md"
    above, _, below = read(path).partition(TABLE_HEAD)
    words, _, table = below.partition("| --- | --- |\n")
    wanted = make_table(above)
    if "--write" in sys.argv:
        path.write_text(above + TABLE_HEAD + words + "| --- | --- |\n" + wanted)
    elif table != wanted:
        old, new = table.split("\n"), wanted.split("\n")
        return [f"docs/limits.md: other bounds than in src (check-docs.py --write): {row[:120]}" for row in sorted(set(old) ^ set(new))][:6]
    return []


def check_contents():
    """The header's list of its headings has them all, in their order."""
    header = read(ROOT / "include/ptxlint/ptxlint.h")
    headings = re.findall(r"^/\* ---- (.*?) -+ \*/$", header, re.M)
    listed = header[header.index("In order, by headings"):header.index("A first program needs")]
    rows = [line[19:] for line in listed.splitlines()[2:] if line.strip(" *")]
    has_all = re.findall(r"[^,\s]+", " ".join(rows)) == " ".join(headings).split()
    return [] if has_all else ["ptxlint.h: its list of headings is not that of the headings"]


finish(check_folders() + check_limits() + check_constants() + check_bounds() + check_contents())
