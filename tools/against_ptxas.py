#!/usr/bin/env python3
"""against_ptxas.py -- mutants of real PTX (tests/fuzz/mutate.h), read by ptxlint and by ptxas: which of them calls it an error?

    against_ptxas.py --replay build/tests/fuzz/fuzz_replay --ptxlint build/ptxlint --count 200 tests/golden testdata/ptx

FALSE: ptxas takes the file, and ptxlint has an error. MISS: ptxas refuses it, and ptxlint has none; those are counted by ptxas's message, since
ptxas checks what ptxlint leaves to it (docs/limits.md). Files that ptxas refuses unchanged are mutated too, and count as MISS at most.
Python 3, standard library only. Exit: 0 no FALSE, 1 some, 77 no ptxas, 2 usage."""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile


def find_ptxas():
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    return shutil.which("ptxas") or (os.access(home + "/bin/ptxas", os.X_OK) and home + "/bin/ptxas") or None


def lint(ptxlint, path):
    """Messages of errors. None are limits of ours, nor what ptxas does not look for, such as a shared address in a generic load."""
    done = subprocess.run([ptxlint, "--no-config", "--format", "json", "--", path], capture_output=True, check=False)
    if done.returncode not in (0, 1, 3):
        return [f"ptxlint ended with {done.returncode}: {done.stderr.decode(errors='replace')}"]
    return [f"{d['rule']} line {d['line']}: {d['message']}" for d in json.loads(done.stdout)["diagnostics"]
            if d["severity"] == "error" and d["group"] not in ("limit", "correctness")]


def assemble(ptxas, path, folder):
    """Messages of errors; None where ptxas says nothing of use: another target, no time."""
    target = re.search(rb"^\s*\.target\s+(sm_\d+[af]?)", open(path, "rb").read(), re.M)
    if not target:
        return None
    try:
        done = subprocess.run([ptxas, "-arch", target.group(1).decode(), "-c", "-O0", "-o", os.path.join(folder, "out"), path],
                              capture_output=True, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        return None
    text = done.stderr.decode(errors="replace")
    if "is not defined for option 'gpu-name'" in text or "Unsupported .version" in text or done.returncode < 0:
        return None
    return [line.split(": ", 1)[-1] for line in text.splitlines() if "error" in line or "fatal" in line] if done.returncode else []


def kind_of(message):
    return re.sub(r"'[^']*'|%\w+|\b\d+\b", "_", message.split(";")[-1]).strip()[:90]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replay", required=True)
    parser.add_argument("--ptxlint", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--keep", help="a folder for the FALSE ones")
    parser.add_argument("samples", nargs="+")
    args = parser.parse_args()
    ptxas = find_ptxas()
    if not ptxas:
        print("against_ptxas.py: no ptxas", file=sys.stderr)
        return 77
    counts, missed = collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mutant.ptx")
        for number in range(args.first, args.first + args.count):
            with open(path, "wb") as file:
                subprocess.run([args.replay, "--print", str(number), *args.samples], stdout=file, check=True)
            theirs, ours = assemble(ptxas, path, folder), lint(args.ptxlint, path)
            if theirs is None:
                counts["not for this ptxas"] += 1
            elif not theirs and ours:
                counts["FALSE"] += 1
                print(f"FALSE {number}: {ours[0]}", flush=True)
                if args.keep:
                    shutil.copy(path, os.path.join(args.keep, f"false-{number}.ptx"))
            elif theirs and not ours:
                counts["MISS"] += 1
                missed[kind_of(theirs[0])].append(number)
            else:
                counts["both refuse it" if theirs else "both take it"] += 1
    for message, numbers in sorted(missed.items(), key=lambda row: -len(row[1])):
        print(f"MISS {len(numbers):4} {message} (first: {numbers[0]})")
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["FALSE"] else 0


if __name__ == "__main__":
    sys.exit(main())
