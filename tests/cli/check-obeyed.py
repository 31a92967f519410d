#!/usr/bin/env python3
"""check-obeyed.py PTXLINT DATA -- each string of each document that a stranger may send, one after the other, is a text that GitHub's runner
or a terminal would obey: keys and values of JSON and YAML, cells of CSV, words and strings of PTX, names of files. In no output for people,
standard error among them, does a line begin with it."""
import collections
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PTXLINT, DATA = (os.path.abspath(word) for word in sys.argv[1:3])
EVIL = "::error::x\n ::error::x\r::error::x##[error]x\x1b[1m\u202e"
LINE = "::error::x ##[error]x"
COMMAND = re.compile(r"^[\s\x85\xa0]*::error::x|##\[", re.M)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
FORMATS = ("text", "oneline", "github", "markdown")
MAX_PLACES = int((sys.argv[3:] or ["8"])[0])         # of one document

CONFIG = """select: [ALL]
ignore: [SYN101]
gpu: [h200]
preset: perf
rules: [own.yaml]
launch: launch.json
baseline: known.json
budget: budget.yaml
severity: {COR101: note}
thresholds: {MEM201.excess: 2}
per-kernel-ignore: {"k*": [COR102]}
exclude: [other]
"""
RULES = """group: own
rules:
- code: OWN101
  name: own-rule
  severity: warning
  on: kernel
  when: kernel.instructions > 0
  message: m {kernel.instructions}
  summary: s
  doc: d
"""
GPU = """name: mine
base: h200
title: Mine
sm_count: 10
"""
# Of these something is shown; of the others nothing, or only what is no string.
NAMES = ("launch.json", "old.json", "shard.json", "shard.sarif", "budget.yaml", "own.yaml", "mine.yaml", ".ptxlint.yaml", "a.ptx")
MEASURED = [{"kernel": "reduce_shuffle", "grid": 64, "block": 256, "us": 3}]

problems, shown = [], collections.Counter()
tried = 0


def run(folder, words):
    global tried
    tried += 1
    try:
        return subprocess.run([PTXLINT, *words], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, -1, b"", b"::error::x it waits")


def look(folder, words, what):
    """what: the file, and the place in it."""
    got = run(folder, words)
    for name in ("stdout", "stderr"):
        text = getattr(got, name).decode(errors="surrogateescape").replace("\r\n", "\n" if "csv" in words else "\r\n")
        shown[what[0]] += "error::x" in text
        found = COMMAND.search(text) or CONTROL.search(text)
        if found:
            problems.append(f"{words}, {what}: {name} has {text[max(0, found.start() - 40):found.end() + 40]!r}")
    if got.returncode not in (0, 1, 2, 3):
        problems.append(f"{words}, {what}: exit {got.returncode}")


def places(value, path=()):
    """Each key and each string of a document."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield path, key
            yield from places(part, (*path, key))
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from places(part, (*path, i))
    elif isinstance(value, str):
        yield path, None


def chosen(value):
    """The first place of each kind: strings, those further out first, and some keys."""
    kinds = {}
    for path, key in places(value):
        kinds.setdefault((key, *(step if isinstance(step, str) else "" for step in path)), (path, key))
    strings = sorted((place for place in kinds.values() if place[1] is None), key=lambda place: len(place[0]))
    keys = [place for place in kinds.values() if place[1] is not None]
    return strings[:4 * MAX_PLACES] + some(keys, MAX_PLACES)


def some(places_of, most):
    return places_of[::max(1, -(-len(places_of) // most))]


def altered(value, path, key, text):
    value = copy.deepcopy(value)
    at = value
    for step in path if key is not None else path[:-1]:
        at = at[step]
    if key is None:
        at[path[-1]] = text
    else:
        at[text] = at.pop(key)
    return value


def check_json(folder, name, commands, by_lines=False):
    whole = (folder / name).read_text()
    value = [json.loads(line) for line in whole.splitlines()] if by_lines else json.loads(whole)
    for path, key in chosen(value):
        other = altered(value, path, key, EVIL)
        (folder / name).write_text("\n".join(map(json.dumps, other)) if by_lines and isinstance(other, list) else json.dumps(other))
        for words in commands:
            look(folder, words, (name, path, key))
    (folder / name).write_text(EVIL)
    for words in commands:
        look(folder, words, (name, "whole"))
    (folder / name).write_text(whole)


def check_words(folder, name, commands, pattern, texts):
    """Each word of a text in turn, and a line of its own behind each line."""
    whole = (folder / name).read_text()
    for match in some(list(re.finditer(pattern, whole)), MAX_PLACES):
        for text in texts:
            (folder / name).write_text(whole[:match.start()] + text + whole[match.end():])
            for words in commands:
                look(folder, words, (name, match.group(), text))
    (folder / name).write_text(whole)


def documents(folder):
    """What the commands themselves write, and how it is read again."""
    (folder / "a.ptx").write_bytes(pathlib.Path(DATA, "reduction.sm_90.ptx").read_bytes())
    (folder / "own.yaml").write_text(RULES)
    (folder / "mine.yaml").write_text(GPU)
    (folder / "times.jsonl").write_text("".join(json.dumps(row) + "\n" for row in MEASURED))
    (folder / "times.csv").write_text("kernel,grid,block,us\nreduce_shuffle,64,256,3\n")
    for words in ("baseline --no-config --baseline known.json write a.ptx", "launch --output launch.json init a.ptx", "budget --output budget.yaml init a.ptx",
                  "report --no-config --format json=old.json a.ptx", "check --all --no-config --shard 1/1 --format json=shard.json a.ptx",
                  "check --all --no-config --shard 1/1 --format sarif=shard.sarif a.ptx"):
        got = run(folder, words.split())
        assert got.returncode in (0, 1), (words, got)
    (folder / "b.ptx").write_text((folder / "a.ptx").read_text().replace("reduce_shuffle", "reduce_others"))


def split(*lines):
    return [line.split() for line in lines]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / ".git").mkdir()
        documents(folder)
        of_all = [f"--format {each}" for each in FORMATS]
        check_json(folder, "known.json", split("check --no-config --all --baseline known.json a.ptx", "baseline --baseline known.json prune b.ptx"))
        check_json(folder, "launch.json", split("check --no-config --launch launch.json a.ptx", "tune --launch launch.json a.ptx", "report --strict-launch --launch launch.json b.ptx"))
        check_json(folder, "old.json", split("diff old.json a.ptx", "diff --format markdown old.json a.ptx", "diff a.ptx old.json"))
        check_json(folder, "shard.json", split(*("merge " + each + " shard.json" for each in of_all)))
        check_json(folder, "shard.sarif", split(*("merge " + each + " shard.sarif" for each in of_all[:3])))
        check_json(folder, "times.jsonl", split("verify --measured times.jsonl a.ptx", "verify --format markdown --measured times.jsonl a.ptx",
                                                "verify --format csv --measured times.jsonl a.ptx", "calibrate --gpu h200 --measured times.jsonl a.ptx"), by_lines=True)
        check_words(folder, "times.csv", split("verify --measured times.csv a.ptx", "check --launch times.csv a.ptx"), r"[^,\n]+", [LINE, '"' + EVIL + '"'])
        check_words(folder, "budget.yaml", split("budget --budget budget.yaml check a.ptx", "check --no-config --budget budget.yaml a.ptx"), r"[^\s:]+", [LINE, json.dumps(EVIL)])
        check_words(folder, "own.yaml", split("check --no-config --rules own.yaml --select OWN a.ptx", "rules --rules own.yaml", "explain --rules own.yaml OWN101"),
                    r"[^\s:]+", [LINE, json.dumps(EVIL)])
        check_words(folder, "mine.yaml", split("gpu ./mine.yaml", "check --no-config --gpu ./mine.yaml a.ptx"), r"[^\s:]+", [LINE, json.dumps(EVIL)])
        (folder / ".ptxlint.yaml").write_text(CONFIG)
        check_words(folder, ".ptxlint.yaml", split("check a.ptx", "config show a.ptx", "config files", "budget check a.ptx", "baseline write a.ptx"), r"[^\s:,\[\]{}]+", [LINE, json.dumps(EVIL)])
        (folder / ".ptxlint.yaml").unlink()
        check_words(folder, "a.ptx", split(*("check --all --no-config " + each + " a.ptx" for each in of_all), "report a.ptx", "annotate a.ptx", "recognize a.ptx",
                                           "tune --grid 64 --block 256 a.ptx", "rank --grid 64 --block 256 a.ptx", "optspace --grid 64 --block 256 a.ptx"),
                    r'"[^"\n]*"|[%$.\w]+|//[^\n]*', ["::error::x", '"' + EVIL + '"', "\n##[error]x\n::error::x\n"])
    unseen = [name for name in NAMES if not shown[name]]
    if unseen:
        problems.append(f"of {unseen} nothing hostile is ever shown: what is looked for is not there")
    print(f"{tried} runs, {sum(shown.values())} outputs with the text, {len(problems)} wrong")
    for problem in problems[:20]:
        print(problem)
    return bool(problems)


sys.exit(main())
