#!/usr/bin/env python3
"""check-recognized.py PTXLINT ROOT [--write] - classes of `recognize`, judged by hand by the CUDA
source or the PTX: each row of tests/data/recognized.tsv is what its line computes. And the table of
docs/recognize.md counts the rows of testdata/measured, and how many of each class were judged."""
import collections
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[2])
PAGE = ROOT / "docs/recognize.md"
BEGIN, END = "| class | rows | judged | wrong |\n| --- | --- | --- | --- |\n", "\n## Limits"


def read_rows(files):
    run = subprocess.run([os.path.abspath(sys.argv[1]), "recognize", "--format", "json", *files], cwd=ROOT, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"exit {run.returncode}: {run.stderr}")
    return [(module["path"], kernel["name"], row["line"], row["class"])
            for module in json.loads(run.stdout) for kernel in module["kernels"] for row in kernel["recognized"]]


def make_table(rows, judged, wrong):
    counts = collections.Counter(row[3] or "not recognized" for row in rows if row[0].startswith("testdata/measured"))
    read = collections.Counter(row[3] for row in judged)
    missed = collections.Counter(row[3] for row in wrong)
    names = sorted(counts, key=lambda name: (name == "not recognized", -counts[name], name))
    return "".join(f"| {name} | {counts[name]} | {read[name]} | {missed[name]} |\n" for name in names)


judged = [tuple(line.rstrip("\n").split("\t")) for line in open(ROOT / "tests/data/recognized.tsv", encoding="utf-8")]
judged = [("testdata/" + file, kernel, int(line), name) for file, kernel, line, name in judged]
others = sorted({row[0] for row in judged if not row[0].startswith("testdata/measured")})
rows = read_rows(["testdata/measured", *others])
wrong = [row for row in judged if row not in set(rows)]
for row in wrong:
    print("not as judged: {}: {}, line {}: {}".format(*row))
page = PAGE.read_text(encoding="utf-8")
at = page.index(BEGIN) + len(BEGIN)
wanted = page[:at] + make_table(rows, judged, wrong) + page[page.index(END):]
if "--write" in sys.argv:
    PAGE.write_text(wanted, encoding="utf-8")
elif page != wanted:
    print("docs/recognize.md: its table is not that of today: run this with --write")
sys.exit(bool(wrong) or ("--write" not in sys.argv and page != wanted))
