#!/usr/bin/env python3
"""check-signals.py PTXLINT SIGNAL_AT.so DATA [POINTS|all] -- each command that writes files, ended by a signal before and behind each call that
changes one: it ends by that signal, each file is as it was or whole, and nothing is left beside it, nor among temporary files. Some POINTS
of each command, 12 if not given, or all of them."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

PTXLINT, PRELOAD, DATA = (os.path.abspath(word) for word in sys.argv[1:4])
POINTS = 10**9 if "all" in sys.argv[4:] else int((sys.argv[4:] or ["12"])[0])
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
DEAD = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<2>;\n" \
       "\tld.param.u64 %rd1, [p];\n\tmov.u32 %r1, %tid.x;\n\tadd.s32 %r2, %r1, 1;\n\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n"
COMMANDS = """check --output out a.ptx
check --all --format json=out --format sarif=new --format github=more a.ptx
check --cache cache a.ptx dead.ptx
check --fix dead.ptx
check --ptxas=./ptxas a.ptx
fix dead.ptx
fix dead.ptx dead2.ptx
report --format html=out a.ptx
report --ptxas=./ptxas --output new a.ptx
annotate --output out a.ptx
graph --kernel reduce_shuffle --output out a.ptx
recognize --format json=out a.ptx
baseline --baseline out write dead.ptx
baseline --baseline new write dead.ptx
baseline --baseline known.json prune a.ptx
budget --output out init a.ptx
tune --grid 64 --block 256 --format json=out --format text=new a.ptx
rank --grid 64 --block 256 --output out a.ptx
diff --format html=out a.ptx dead.ptx
config init folder
launch --output new init a.ptx
extract c.fatbin
extract --output folder c.fatbin
extract --force c.fatbin
explain --output out MEM201
manual --output new"""


def fill(folder):
    for name in ("folder", "tmp"):
        (folder / name).mkdir()
    shutil.copy(pathlib.Path(DATA, "reduction.sm_90.ptx"), folder / "a.ptx")
    shutil.copy(pathlib.Path(DATA).parent / "containers/column.default.fatbin", folder / "c.fatbin")
    for name in ("dead.ptx", "dead2.ptx"):
        (folder / name).write_text(DEAD)
    (folder / "out").write_text("old")
    (folder / "known.json").write_bytes(KNOWN)
    (folder / "ptxas").write_text("#!/bin/sh\nexit 0\n")
    (folder / "ptxas").chmod(0o755)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def run(words, **more):
    """How it ended, and the files before and since."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name, "here")
        folder.mkdir()
        fill(folder)
        before = contents(folder)
        environment = os.environ | {"LD_PRELOAD": PRELOAD, "TMPDIR": str(folder / "tmp"), "SIGNAL_COUNT": name + "/count"} | more
        done = subprocess.run([PTXLINT, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        count = pathlib.Path(name, "count").read_text()
        return done, before, contents(folder), int(count or 0)


def trouble(words, point, whole):
    number = SIGNALS[point % len(SIGNALS)]
    got, before, now, _ = run(words, SIGNAL_AT=str(point), SIGNAL=str(int(number)))
    if got.returncode != -number:
        return f"exit {got.returncode} by {number.name}, {got.stderr[-200:]!r}"
    for name in now.keys() | before.keys():
        if now.get(name) not in (before.get(name), whole.get(name)):
            return f"{number.name}: {name} is neither as it was nor whole: {(now.get(name) or b'gone')[:40]!r}"
    return ""


def main():
    wrong, tried = [], 0
    for command in COMMANDS.split("\n"):
        words = command.split()
        done, before, whole, count = run(words)
        if done.returncode not in (0, 1) or (whole == before and "ptxas" not in command and "prune" not in command):
            wrong.append(f"{command}: exit {done.returncode}, files written: {whole != before}, {done.stderr[-200:]!r}")
        points = range(1, count + 1, max(1, -(-count // POINTS)))
        for point in points:
            why = trouble(words, point, whole)
            if why:
                wrong.append(f"{command}: place {point} of {count}: {why}")
        tried += len(points)
        print(f"{len(points):6d} runs of {count:4d}: {command}", flush=True)
    print(f"{tried} runs with a signal, {len(wrong)} wrong")
    return wrong


KNOWN = b""
for each in SIGNALS:
    signal.signal(each, signal.SIG_DFL)     # a shell may have it ignored
with tempfile.TemporaryDirectory() as home:
    pathlib.Path(home, "dead.ptx").write_text(DEAD)
    subprocess.run([PTXLINT, "baseline", "--baseline", "known.json", "write", "dead.ptx"], cwd=home, capture_output=True, check=False)
    KNOWN = pathlib.Path(home, "known.json").read_bytes()
problems = main()
for problem in problems[:100]:
    print(problem)
sys.exit(bool(problems))
