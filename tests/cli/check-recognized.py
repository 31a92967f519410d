#!/usr/bin/env python3
"""check-recognized.py PTXLINT ROOT [--write] - classes of `recognize`, judged by hand by the CUDA
source or the PTX: each row of tests/data/recognized.tsv is what its line computes. And the tables of
docs/recognize.md count the rows of testdata/measured, and how many of each class were judged; and set registers of parts beside ptxas's."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[2])
PAGE = ROOT / "docs/recognize.md"
ROWS = "| class | rows | judged | wrong |\n| --- | --- | --- | --- |\n"
PARTS = "| kernel | registers | ptxas | parts | ptxas | loops, ptxas |\n| --- | --- | --- | --- | --- | --- |\n"


def recognize(files):
    run = subprocess.run([os.path.abspath(sys.argv[1]), "recognize", "--format", "json", *files], cwd=ROOT, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"exit {run.returncode}: {run.stderr}")
    return json.loads(run.stdout)


def read_rows(files):
    return [(module["path"], kernel["name"], row["line"], row["class"])
            for module in recognize(files) for kernel in module["kernels"] for row in kernel["recognized"]]


def show_band(figures):
    return f"{figures['registers']} ({figures['registers_low']}-{figures['registers_high']})"


def read_parts(said):
    """The table of kernels that could be several, and how many of their parts ptxas gives registers of the band."""
    table, inside, count = "", 0, 0
    kernels = {kernel["name"]: kernel["fission"] for kernel in recognize(["testdata/fission"])[0]["kernels"]}
    for name, whole, parts, loops in said:
        got = kernels[name]
        counts = list(map(int, parts.split()))
        if not got or not got["advised"] or len(got["parts"]) != len(counts):
            sys.exit(f"testdata/fission: {name}: no advice, or not {len(counts)} parts: {got}")
        inside += sum(part["registers_low"] <= n <= part["registers_high"] for part, n in zip(got["parts"], counts))
        count += len(counts)
        table += f"| {name} | {show_band(got)} | {whole} | {', '.join(map(show_band, got['parts']))} | {', '.join(map(str, counts))} | {loops} |\n"
    return table, inside, count


def put_table(page, head, table):
    """Instead of the rows that stand behind the head."""
    at = page.index(head) + len(head)
    return page[:at] + table + page[page.index("\n\n", at - 1) + 1:]


def put_counts(page, pattern, *numbers):
    """Instead of the numbers in the one text that fits."""
    found = re.search(pattern, page)
    if not found:
        sys.exit(f"docs/recognize.md: nothing fits {pattern}")
    text, at = found.group(), iter(map(str, numbers))
    return page.replace(text, re.sub(r"\d+", lambda _: next(at), text))


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
said = [line.rstrip("\n").split("\t") for line in open(ROOT / "tests/data/fission.tsv", encoding="utf-8")]
table, inside, count = read_parts(said)
wanted = put_table(put_table(page, ROWS, make_table(rows, judged, wrong)), PARTS, table)
wanted = put_counts(wanted, r"\d+ rows, some of `testdata/ptx`", len(judged))
wanted = put_counts(wanted, r"of \d+ parts ptxas gives \d+ as many registers", count, inside)
if "--write" in sys.argv:
    PAGE.write_text(wanted, encoding="utf-8")
elif page != wanted:
    print("docs/recognize.md: a table or a count is not that of today: run this with --write")
sys.exit(bool(wrong) or ("--write" not in sys.argv and page != wanted))
