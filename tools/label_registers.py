#!/usr/bin/env python3
"""label_registers.py DIR SPACES CACHES [TRUTH...] -- PTX of compilers into DIR, with the registers that ptxas takes for it.
label_registers.py --drawn DIR COMPILERS -- the same of what tools/compiler_ptx.py wrote: up to 1,500 kernels, drawn with seed 26, of each folder
of COMPILERS, for their own target.

Writes what tools/make_registers.py does: DIR/SET--FAMILY--NAME.ptx and DIR/measured.jsonl. SPACES has configs of autotuners (spaces.jsonl, ptx/),
CACHES what Triton, Inductor and XLA left behind (triton/, inductor/, xla/), each TRUTH is a folder of PTX of the compiler that it is named after;
kernels of the latter are held apart. PTX of Triton that sm_80 has the instructions for is compiled for two more targets, drawn at random.
"""
import glob
import json
import os
import random
import re
import subprocess
import sys

from make_registers import registers

LATER = (80, 86, 100, 120)


def sources(spaces, caches, truth):
    """(set, family, path)"""
    family = {}
    for line in open(f"{spaces}/spaces.jsonl", encoding="utf-8"):
        row = json.loads(line)
        family[row["ptx"]] = row["kernel"] if row["space"] == "q2" else re.sub("_small|_sq|_full64", "", row["space"])
    for ptx, name in sorted(family.items()):
        yield "triton" if name.startswith("tri_") else "cuda", name, f"{spaces}/{ptx}"
    for compiler in ("triton", "inductor", "xla"):
        for path in sorted(glob.glob(f"{caches}/{compiler}/**/*.ptx", recursive=True)):
            name = os.path.basename(path)[:-4]
            yield compiler, {"gemm": "tri_mm16", "row_softmax": "tri_softmaxr"}.get(name, name), path
    for folder in truth:
        for path in sorted(glob.glob(f"{folder}/*.ptx")):
            yield "apart-" + os.path.basename(folder)[:8], os.path.basename(path)[:-4], path


def label(directory, number, kind, family, path):
    text = open(path, encoding="utf-8").read()
    target = re.search(r"(?m)^\.target\s+(sm_\d+a?)", text)[1]
    own = re.sub(r"\D", "", target)
    name = f"{directory}/{kind}--{family}--{number:04}"
    jobs = [(f"{name}.ptx", text, own, target)]
    if target == "sm_90a":
        older = re.sub(r"(?m)^\.target\s+sm_90a", ".target sm_80", text)
        jobs += [(f"{name}.sm_80.ptx", older, sm, f"sm_{sm}") for sm in random.Random(number).sample(LATER, 2)]
    elif target == "sm_90":
        jobs += [(f"{name}.ptx", text, sm, f"sm_{sm}") for sm in (100, 120)]
    for file, written, sm, arch in jobs:
        with open(file, "w", encoding="utf-8") as out:
            out.write(written)
        for row in registers(file, sm, arch):
            yield dict(file=os.path.basename(file), **row)


def label_drawn(directory, compilers):
    for kind in sorted(os.listdir(compilers)):
        names = sorted(os.listdir(f"{compilers}/{kind}"))
        random.Random(26).shuffle(names)
        for path in (f"{compilers}/{kind}/{name}" for name in names[:1500]):
            text = open(path, encoding="utf-8").read()
            arch = re.search(r"(?m)^\.target\s+(sm_\d+a?)", text)[1]
            key = path.rsplit("-", 1)[1][:-4]
            file = f"{kind}--{kind}{int(key[:2], 16) % 24}--{key}.ptx"
            with open(f"{directory}/{file}", "w", encoding="utf-8") as out:
                out.write(text)
            for row in registers(f"{directory}/{file}", re.sub(r"\D", "", arch), arch):
                yield dict(file=file, **row)


def write_rows(directory, rows):
    os.makedirs(directory, exist_ok=True)
    with open(f"{directory}/measured.jsonl", "w", encoding="utf-8") as measured:
        for row in rows:
            measured.write(json.dumps(row) + "\n")
            measured.flush()


if __name__ == "__main__":
    if sys.argv[1] == "--drawn":
        write_rows(sys.argv[2], label_drawn(*sys.argv[2:]))
        sys.exit()
    out, *where = sys.argv[1:]
    write_rows(out, (row for n, source in enumerate(sources(where[0], where[1], where[2:])) for row in label(out, n, *source)))
