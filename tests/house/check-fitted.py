#!/usr/bin/env python3
"""check-fitted.py [--write] -- beside each file that was fitted, and what it was fitted to, stands a manifest, NAME.toml: what made it of
which inputs.

The file and the inputs are held to the hashes there, so that none changes without a word: fit again, or say in the
manifest why not, and write the hashes with --write.
"""
import collections
import hashlib
import lzma
import re
import sys

from tree import ROOT, finish, name, read

try:
    import tomllib
except ImportError:
    print("skipped: Python 3.11 reads TOML")
    sys.exit(77)

FITTED = ["tools/registers/rows.csv.xz", "src/analysis/registers/trees.txt", "src/analysis/time/bands.def"]
KEYS = {"file", "command", "versions", "again", "again_why", "rows", "held_apart", "inputs", "hash"}


def hash_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32]


def counted(path):
    """Rows of each set in a compressed table."""
    lines = lzma.decompress(path.read_bytes()).decode().splitlines()[1:]
    return dict(collections.Counter(line.split(",", 1)[0] for line in lines))


def check(fitted):
    manifest = (ROOT / fitted).with_suffix(".toml")
    if not manifest.exists():
        return [f"{fitted}: no manifest beside it"]
    told = tomllib.loads(read(manifest))
    problems = [f"{name(manifest)}: no {key}" for key in sorted(KEYS - told.keys())]
    if not problems and told["hash"]["file"] != hash_of(ROOT / fitted):
        problems.append(f"{fitted}: changed, and {name(manifest)} still tells of what it was")
    if fitted.endswith(".csv.xz") and counted(ROOT / fitted) != {kind: row["count"] for kind, row in told["rows"].items()}:
        problems.append(f"{name(manifest)}: other counts of rows than in {fitted}")
    for path, known in told.get("inputs", {}).items():
        if not (ROOT / path).exists():
            problems.append(f"{name(manifest)}: {path} is not there")
        elif known != hash_of(ROOT / path):
            problems.append(f"{path}: changed since {fitted} was fitted: fit again, or say why not")
    return problems


def write(fitted):
    manifest = (ROOT / fitted).with_suffix(".toml")
    text = re.sub(r'^("(\S+)" = )"\w*"', lambda m: f'{m[1]}"{hash_of(ROOT / m[2])}"', read(manifest), flags=re.M)
    text = re.sub(r'(\[hash\]\nfile = )"\w*"', lambda m: f'{m[1]}"{hash_of(ROOT / fitted)}"', text)
    manifest.write_text(text, encoding="utf-8")


if "--write" in sys.argv:
    for fitted in FITTED:
        write(fitted)
    sys.exit()
finish([problem for fitted in FITTED for problem in check(fitted)])
