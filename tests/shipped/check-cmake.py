#!/usr/bin/env python3
"""check-cmake.py PTXLINT -- a project of four kernels with a mistake each, built and checked by its own target: the four are found at
their CUDA lines, and nothing else is said. Then the same files by the recipes for make, Ninja and pre-commit."""
import json
import os
import pathlib
import re
import shutil
import tempfile

from kit import PTXLINT, ROOT, expect, finish, need, run

need("cmake", "ninja", "make", "nvcc")
project = ROOT / "tests/shipped/cmake"
names = sorted(path.name for path in project.glob("*.cu"))
rules = {"column.cu": "MEM201", "doubles.cu": "THR101", "reduce.cu": "COR124", "transpose.cu": "MEM203"}
planted = {(rules[name], f"{name}:{number}") for name in names
           for number, line in enumerate((project / name).read_text().splitlines(), 1) if line.endswith("// planted")}


def found(text):
    """Rules and CUDA lines of findings in text."""
    return set(re.findall(r"^\w+\[(\w+)\]: .*\n *--> ([\w.]+:\d+):", text, re.M))


with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    made = run("cmake", "-G", "Ninja", "-S", project, "-B", home / "build", f"-DPTXLINT_CMAKE={ROOT / 'contrib/cmake'}",
               f"-DPTXLINT_EXECUTABLE={PTXLINT}")
    expect(f"configuring: {made.stdout}{made.stderr}", made.returncode, 0)
    built = run("cmake", "--build", home / "build", "--target", "ptxlint-check")
    lines = built.stdout.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("warning[")), 0)
    text = "\n".join(line for line in lines[first:] if not line.startswith("ninja: "))
    expect(f"exit code: {built.stdout}", built.returncode, 1)
    expect("what is found", found(text), planted)
    expect("its end", text.splitlines()[-1:], ["4 warnings in 4 of 4 kernels"])
    expect("lines of text", len(text.splitlines()) <= 40, True)
    results = json.loads((home / "build/found.sarif").read_text())["runs"][0]["results"]
    expect("SARIF", {(r["ruleId"], r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) for r in results},
           {(rule, place.split(":")[0]) for rule, place in planted})

    # the recipes, on one file
    work = home / "work"
    work.mkdir()
    shutil.copy(project / "transpose.cu", work)
    environment = os.environ | {"PATH": f"{PTXLINT.parent}:{os.environ['PATH']}", "NVCCFLAGS": "-arch=compute_90 -DTILE=32"}
    (work / "Makefile").write_text(f"PTXLINT_SOURCES := transpose.cu\nNVCCFLAGS := -DTILE=32\ninclude {ROOT}/contrib/make/ptxlint.mk\n")
    (work / "build.ninja").write_text(f"include {ROOT}/contrib/ninja/ptxlint.ninja\nnvccflags = -DTILE=32\n"
                                      "build t.ptx: ptx transpose.cu\nbuild checked: ptxlint t.ptx\n")
    for words in (["make", "ptxlint"], ["ninja", "checked"], [ROOT / "contrib/pre-commit/ptxlint-cuda.sh", "--quiet", "transpose.cu"]):
        got = run(*words, cwd=work, env=environment)
        expect(f"{words[0]}: {got.stdout}{got.stderr}", (got.returncode != 0, found(got.stdout)), (True, {("MEM203", "transpose.cu:8")}))
    got = run(ROOT / "contrib/pre-commit/ptxlint-cuda.sh", "transpose.cu", cwd=work, env=environment | {"NVCC": "no-such-nvcc"})
    expect("without nvcc", (got.returncode, got.stdout), (0, "ptxlint-cuda: skipped, since nvcc is not installed\n"))
finish()
