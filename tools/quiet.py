#!/usr/bin/env python3
"""What a reader sees by default and with --all: quiet.py PTXLINT NAME=FOLDER... [--draw N] prints rows for docs/cli.md.

Findings a kernel (a definition of an .entry), and for each rule the share of kernels that have one. With --draw N also N findings at
random, of those that are shown by default, with the lines around them: to be judged in the PTX.
"""
import argparse
import bisect
import collections
import pathlib
import random
import re
import subprocess

ENTRY = re.compile(rb"^[ \t]*(?:\.(?:visible|weak)[ \t]+)?\.entry[ \t]+([\w$%.]+)", re.M)
LINE = re.compile(r"^(.*\.ptx):(\d+):\d+: (note|warning|error): (.*) \[(\w+)\]$")


def kernels_of(path):
    """Lines where its kernels begin."""
    text = path.read_bytes()
    lines = [m.start() for m in re.finditer(rb"\n", text)]
    return [bisect.bisect_left(lines, m.start(1)) + 1 for m in ENTRY.finditer(text)]


def findings(ptxlint, paths, options):
    """(path, kernel's number, severity, rule, line, message) of each."""
    command = [ptxlint, "--no-config", "--primary", "ptx", "--format", "oneline", *options, *map(str, paths)]
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    for line in out.splitlines():
        found = LINE.match(line)
        if found:
            path, number, severity, message, rule = found.groups()
            yield pathlib.Path(path), int(number), severity, rule, message


def count(ptxlint, paths, options, begins):
    severities, kernels, all_of = collections.Counter(), collections.defaultdict(set), []
    for path, line, severity, rule, message in findings(ptxlint, paths, options):
        severities[severity] += 1
        kernels[rule].add((path, bisect.bisect_right(begins[path], line)))
        all_of.append((path, line, severity, rule, message))
    return severities, {rule: len(which) for rule, which in kernels.items()}, all_of


def measure(ptxlint, name, folder):
    paths = sorted(pathlib.Path(folder).rglob("*.ptx"))
    begins = {path: kernels_of(path) for path in paths}
    total = sum(map(len, begins.values()))
    shown, shares, drawn_from = count(ptxlint, paths, [], begins)
    everything, all_shares, _ = count(ptxlint, paths, ["--all"], begins)
    print(f"| {name} | {len(paths)} | {total:,} | {everything['note'] / total:.2f} | {shown['note'] / total:.2f} | "
          f"{(shown['warning'] + shown['error']) / total:.2f} |")
    rows = sorted(all_shares, key=lambda rule: (-shares.get(rule, 0), -all_shares[rule], rule))
    print("    " + ", ".join(f"{rule} {100 * shares.get(rule, 0) / total:.1f} ({100 * all_shares[rule] / total:.1f})" for rule in rows))
    return drawn_from


def show(found):
    path, line, severity, rule, message = found
    lines = path.read_text(errors="replace").splitlines()
    print(f"\n{path}:{line}: {severity}: {message} [{rule}]")
    for number in range(max(line - 4, 1), min(line + 3, len(lines)) + 1):
        print(f"{number:6} {lines[number - 1][:160]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ptxlint")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    everything = []
    for folder in options.folders:
        everything += measure(options.ptxlint, *folder.split("=", 1))
    for found in random.Random(options.seed).sample(everything, min(options.draw, len(everything))):
        show(found)


main()
