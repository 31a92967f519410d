#!/usr/bin/env python3
"""fit_registers.py BUILD [ROWS] > src/analysis/registers/trees.txt -- fits the model of registers to tools/registers/rows.csv.xz.
fit_registers.py --collect BUILD DIR... > tools/registers/rows.csv.xz -- writes the rows again, with the features that BUILD computes.
fit_registers.py --compare BUILD -- fits again and compares with src/analysis/registers/trees.txt.

BUILD has pressure_features and fit_registers (`ninja -C BUILD pressure_features fit_registers`). Figures go to stderr.

A row is a kernel for a target: set, group, file, SM, registers, features. All rows of a group (a template, a file of a library, a family of
configs) stay together in the validation; sets whose names begin with "apart" are judged only. Each DIR has PTX and measured.jsonl, a line a
kernel and target with file, kernel, sm and regs: what tools/make_registers.py and tools/label_registers.py write, or PTX of libraries with the
registers of the machine code beside it. tools/registers/rows.toml says which commands wrote them.
"""
import collections
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile

HEADER = """# trees.txt - regression trees from what features.def names to the registers that ptxas 13.0 gives a thread.
#
# Made by tools/fit_registers.py from tools/registers/rows.csv.xz; docs/registers.md has the figures.
#
#   scale W ...       of targets with W warps an SM: where each count of registers, from 0, ends on the scale
#   cuts FEATURE ...  the values that trees compare a feature with, ascending; features are numbered from 0
#   tree ...          in preorder: F:C asks whether feature F is above its cut C, then comes what is where it is not, then what is where it is;
#                     a number is a leaf: so many 64ths further on the scale than GUESS
#   band ...          one more, whose leaves are LOW,HIGH: the band around the sum, on the scale
"""
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS = os.path.join(ROOT, "tools/registers/rows.csv.xz")
TREES = os.path.join(ROOT, "src/analysis/registers/trees.txt")
FORMAT = dict(format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, preset=9 | lzma.PRESET_EXTREME)


def place(file, kernel):
    """(set, group) of a kernel: by the names of files and kernels that the tools give."""
    if "--" in file:
        return file.split("--")[:2]
    if file.startswith("lib"):
        return "library", ".".join(file.split(".")[:2])
    of_cuda = re.match(r"_Z\d+([a-z_0-9]+?)_\d+_\d", kernel)
    if of_cuda:
        return "template", of_cuda[1]
    of_tile = re.match(r"(tile_[a-z]+)_\d+_\d", kernel)
    return ("tiles", of_tile[1]) if of_tile else ("template", file.split(".")[0])


def features(build, folder, file, sms):
    run = subprocess.run([f"{build}/pressure_features", f"{folder}/{file}", *sms], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def collect(build, folders):
    """The rows as text, sorted; what is the same in all but its kernel's name stands once."""
    head, lines = None, set()
    for folder in folders:
        want = collections.defaultdict(dict)
        for line in open(f"{folder}/measured.jsonl", encoding="utf-8"):
            row = json.loads(line)
            want[row["file"]][row["kernel"], str(row["sm"])] = row["regs"]
        for file, regs in sorted(want.items()):
            head, *got = features(build, folder, file, sorted({sm for _, sm in regs}))
            for line in got:
                _, kernel, sm, _, _, _, *values = line.split(" ")
                if (kernel, sm) in regs:
                    kind, group = place(file, kernel)
                    lines.add(",".join([kind, group, re.sub(r"\.ptx$", "", file), sm, str(regs[kernel, sm]), *values]))
    return ",".join(["set", "group", "file", "sm", "regs", *head.split(" ")[6:]]) + "\n" + "\n".join(sorted(lines)) + "\n"


def fit(build, rows):
    with tempfile.NamedTemporaryFile("wb", suffix=".csv") as table:
        table.write(lzma.open(rows).read())
        table.flush()
        run = subprocess.run([f"{build}/fit_registers", table.name], stdout=subprocess.PIPE, text=True, check=True)
    return HEADER + run.stdout


if __name__ == "__main__":
    modes = [a for a in sys.argv[1:] if a.startswith("--")]
    build, *rest = [a for a in sys.argv[1:] if not a.startswith("--")]
    if "--collect" in modes:
        sys.stdout.buffer.write(lzma.compress(collect(build, rest).encode(), **FORMAT))
    elif "--compare" in modes:
        same = fit(build, ROWS) == open(TREES, encoding="utf-8").read()
        print("the same trees" if same else "trees.txt is not what the rows give")
        sys.exit(not same)
    else:
        sys.stdout.write(fit(build, rest[0] if rest else ROWS))
