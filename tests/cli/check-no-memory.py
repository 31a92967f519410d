#!/usr/bin/env python3
"""check-no-memory.py PTXLINT NO_MEMORY.so DATA [--all] -- each command with an allocation that fails, alone or with all later ones: exit
code 4 and a message, or the same output as ever; and files are whole, or as they were. A few points of each command; --all tries every one."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PTXLINT, PRELOAD, DATA = (os.path.abspath(word) for word in sys.argv[1:4])
POINTS = 10**9 if "--all" in sys.argv else 7
COMMANDS = """check --no-sandbox --no-config a.ptx
check --no-sandbox --config c.yaml a.ptx
check --no-sandbox --no-config --format sarif=o.sarif a.ptx
check --no-sandbox --no-config --format json --format github=o.gh --format markdown=o.md --format csv=o.csv --format junit=o.xml a.ptx
check --no-sandbox --no-config --format gitlab=o.gl --format rdjson=o.rd --format checkstyle=o.cs a.ptx
check --no-sandbox --no-config --launch l.json --gpu h200,h100 a.ptx
check --no-sandbox --no-config --jobs 4 a.ptx b.ptx
check --no-sandbox --no-config --cache cache a.ptx
check --no-sandbox --no-config --shard 1/2 --format json a.ptx b.ptx
report --no-sandbox --no-config a.ptx
report --no-sandbox --no-config --format json=o.json a.ptx
report --no-sandbox --no-config --format csv a.ptx
report --no-sandbox --no-config --block 256 --grid 1024 a.ptx
report --no-sandbox --no-config --format html=o.html --block 256 --grid 64 --gpu h200 a.ptx
report --no-sandbox --no-config --format markdown a.ptx
annotate --no-sandbox --no-config --block 256 --grid 64 --gpu h200 a.ptx
annotate --no-sandbox --no-config --format json a.ptx
graph --no-config --format svg --kernel reduce_shuffle a.ptx
graph --no-config --format json a.ptx
recognize --no-config --format json a.ptx
explain MEM201
rules
rules --format json
gpu
gpu h200
--help
help check
isa ld
isa --list
tune --no-config a.ptx
occupancy --gpu g80 --registers 8-12 --block 256
optspace --no-config --block 256 --grid 100 a.ptx b.ptx
rank --no-config --block 256 --grid 100 a.ptx b.ptx
verify --no-config --gpu h200 --measured t.jsonl a.ptx
calibrate --no-config --gpu h200 --measured t.jsonl a.ptx
diff --no-config a.ptx b.ptx
diff --no-config --format json a.ptx b.ptx
baseline --no-sandbox --no-config --baseline o.base write a.ptx
budget --no-sandbox --no-config init a.ptx
check --no-config --fix --diff a.ptx
config show a.ptx
schema report
completions bash
manual
launch init a.ptx
merge s.json"""


def run(words, **more):
    return subprocess.run([PTXLINT, *words], env=os.environ | {"LD_PRELOAD": PRELOAD} | more, capture_output=True, timeout=120)


def outputs(words):
    return [word.split("=")[-1] for word in words if "o." in word and word.split("=")[-1].startswith("o.")]


def contents(names):
    return {name: pathlib.Path(name).read_bytes() if os.path.exists(name) else None for name in names}


def points_of(count):
    step = max(1, count // POINTS)
    return range(1 + step // 2, count + 1, step) if step > 1 else range(1, count + 1)


def trouble(words, whole, written, environment):
    """What is wrong with a run that had too little memory; or nothing."""
    for name in written:
        pathlib.Path(name).write_bytes(b"old\n")
    got = run(words, **environment)
    now = contents(written)
    torn = [name for name in written if now[name] not in (b"old\n", written[name])]
    if torn:
        return f"{torn} is neither old nor new"
    if got.returncode == 4 and got.stderr.strip():
        return ""
    if (got.returncode, got.stdout) != (whole.returncode, whole.stdout):
        return f"exit {got.returncode}, {len(got.stdout)} of {len(whole.stdout)} bytes, {got.stderr[-200:]!r}"
    return "" if now == written else "a file is not written, and nobody says so"


def main():
    wrong, tried = [], 0
    for command in COMMANDS.split("\n"):
        words = command.split()
        shutil.rmtree("cache", ignore_errors=True)
        whole = run(words, FAIL_COUNT="count")
        written = contents(outputs(words))
        for point in points_of(int(pathlib.Path("count").read_text())):
            for more in ({}, {"FAIL_ON": "1"}):
                tried += 1
                why = trouble(words, whole, written, {"FAIL_AT": str(point)} | more)
                if why:
                    wrong.append(f"{command}: allocation {point}{' on' if more else ''}: {why}")
    print(f"{tried} runs with an allocation that fails, {len(wrong)} wrong")
    return wrong


with tempfile.TemporaryDirectory() as folder:
    for new, old in (("a.ptx", "reduction.sm_90.ptx"), ("b.ptx", "gemm.sm_90.ptx")):
        shutil.copy(pathlib.Path(DATA, old), pathlib.Path(folder, new))
    os.chdir(folder)
    pathlib.Path("c.yaml").write_text("select: [ALL]\nthresholds: { OCC103.threads: 32 }\nper-kernel-ignore: { 'x*': [THR] }\n")
    pathlib.Path("l.json").write_text('{"kernels": {"*": {"block": [256, 1, 1], "grid": [64, 1, 1]}}}\n')
    pathlib.Path("t.jsonl").write_text('{"grid": 64, "block": 256, "us": 7}\\n')
    pathlib.Path("s.json").write_bytes(run(["check", "--no-config", "--shard", "1/1", "--format", "json", "a.ptx"]).stdout)
    problems = main()
for problem in problems[:40]:
    print(problem)
sys.exit(bool(problems))
