#!/usr/bin/env python3
"""Lints libraries of the CUDA toolkit whole and prints docs/libraries.md: libraries.py PTXLINT FOLDER NAME...

One thread each; seconds are of the processor, so that other work on the machine counts little. PTX is what the containers unpack to.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = """# CUDA's libraries, linted whole

Made by `tools/libraries.py`: every PTX module that the libraries of CUDA 13.0 and cuDNN hold, with all rules, one thread, no launch.
Seconds are of the processor. No library is left out, no syntax error is reported, and memory is that of the largest modules.

| library | entries | PTX, MB | kernels, else functions | seconds | MB/s | peak memory, MiB | warnings | notes |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |"""


def run(command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        out = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, out, used


def row(ptxlint, path):
    _, listed, _ = run([ptxlint, "extract", "--list", str(path)])
    sizes = [int(line.split()[2]) for line in listed.splitlines()[1:] if "!" in line]
    if not sizes:
        return None
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "text"
        code, _, used = run([ptxlint, "--no-config", "--jobs", "1", "--all", "--output", str(text), str(path)])
        last = text.read_text().rstrip().splitlines()[-1:] or [""]
    if code > 1:
        sys.exit(f"{path}: exit code {code}")
    if re.search(r"\berror", last[0]):
        sys.exit(f"{path}: {last[0]}")
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (warning|note)", last[0])}
    kernels = re.search(r" of ([\d,]+) (?:kernel|function)s?", last[0])
    seconds, megabytes = used.ru_utime + used.ru_stime, sum(sizes) / 1e6
    return (f"| {path.name} | {len(sizes):,} | {megabytes:.1f} | {kernels.group(1) if kernels else 0} | {seconds:.1f} | "
            f"{megabytes / seconds:.0f} | {used.ru_maxrss / 1024:.0f} | {counts.get('warning', 0):,} | {counts.get('note', 0):,} |")


def main():
    ptxlint, folder, *names = sys.argv[1:]
    print(HEAD)
    for name in names:
        line = row(ptxlint, pathlib.Path(folder) / name)
        if line:
            print(line, flush=True)


main()
