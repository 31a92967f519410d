#!/usr/bin/env python3
"""mutants.py -- changes src/analysis in one place, runs the unit tests nearest to it, and counts the changes that no test sees.

    mutants.py --count 200 --seed 1             200 mutants, drawn with this seed
    mutants.py --first 40 --count 20            numbers 40 to 59 of the same draw
    mutants.py --folder src/analysis/flow       of this folder alone
    mutants.py --list                           only says what would be changed

A mutant swaps an operator (< <=, == !=, + -, && ||, ...), moves a constant by one, turns a condition of `if` or `while` around, or returns the
other truth. It is killed where it does not compile (then it does not count), where a test fails, or where one takes a minute of processor time.
The work is done in a worktree of its own, build-mutants/tree, of what is committed; .tsv of --out has a row a mutant, and is carried on.
Python 3, standard library, git, meson. Exit: 0 all were run, 2 usage or a tree that does not pass unchanged."""
import argparse
import collections
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TREE = ROOT / "build-mutants/tree"
BUILD = ROOT / "build-mutants/build"
MAX_CPU_SECONDS, MAX_SECONDS = 60, 600

# The subjects of tests/unit that are about a folder, the quickest first; EVERY is asked of all.
EVERY = ["golden", "engine", "estimate", "seeds"]
NEAREST = {
    "flow": ["live", "graph", "blocks"],
    "value": ["values", "symbols", "shapes", "uniform", "forward"],
    "trips": ["trip", "values"],
    "redundancy": ["repeat", "profile", "shortcuts", "findings"],
    "recognize": ["recognize", "dependences"],
    "sim": ["waits", "integer_forms", "lanewise", "instructions", "traffic", "evaluate"],
    "sim/cost": ["footprints", "traffic_seeds", "traffic", "evaluate"],
    "sim/race": ["waits", "global_races", "hazards", "twins"],
    "access": ["bands", "footprints", "shared_layout", "traffic_seeds", "traffic", "strata", "evaluate"],
    "race": ["waits", "repairs", "global_races", "hazards"],
    "sass": ["lower", "instructions", "throughput", "pressure"],
    "registers": ["pressure", "occupancy", "lower"],
    "time": ["parallelism", "throughput", "verify", "estimate_seeds"],
}

SWAPS = {
    " < ": [" <= ", " >= "], " <= ": [" < ", " > "], " > ": [" >= ", " <= "], " >= ": [" > ", " < "],
    " == ": [" != "], " != ": [" == "], " && ": [" || "], " || ": [" && "], " + ": [" - "], " - ": [" + "],
    " * ": [" + "], " / ": [" * "], " % ": [" / "], " & ": [" | "], " | ": [" & "], " << ": [" >> "], " >> ": [" << "],
    " += ": [" -= "], " -= ": [" += "], " |= ": [" &= "], " &= ": [" |= "], "++": ["--"], "--": ["++"],
}
TOKEN = re.compile("|".join(re.escape(t) for t in sorted(SWAPS, key=len, reverse=True)))
NUMBER = re.compile(r"(?<![\w.])(\d+)(?![\w.])")
CONDITION = re.compile(r"\b(if|while) \(")
TRUTH = re.compile(r"\breturn (true|false);")

Mutant = collections.namedtuple("Mutant", "file begin end text kind")


def code_of(text):
    """The text with comments, strings, directives and tables of numbers as blanks: what is left may be changed."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def closing(code, at):
    """The place of the parenthesis that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if not depth:
            return i
    return -1


def inside_functions(code):
    """Ranges of bodies of functions: what stands outside are types, prototypes and tables."""
    return [m.span() for m in re.finditer(r"^\{\n.*?^\}", code, re.M | re.S)]


def sites_of(path):
    code = code_of(path.read_text(encoding="utf-8"))
    name = str(path.relative_to(TREE))
    for begin, end in inside_functions(code):
        body = code[begin:end]
        for m in TOKEN.finditer(body):
            for to in SWAPS[m.group()]:
                yield Mutant(name, begin + m.start(), begin + m.end(), to, "operator")
        for m in NUMBER.finditer(body):
            yield Mutant(name, begin + m.start(), begin + m.end(), str(int(m.group()) + 1), "constant")
        for m in CONDITION.finditer(body):
            close = closing(code, begin + m.end() - 1)
            if close > 0:
                inner = path.read_text(encoding="utf-8")[begin + m.end():close]
                yield Mutant(name, begin + m.end(), close, f"!({inner})", "condition")
        for m in TRUTH.finditer(body):
            to = "false" if m.group(1) == "true" else "true"
            yield Mutant(name, begin + m.start(1), begin + m.end(1), to, "truth")


def draw(folder, seed):
    """All sites in an order of the seed; of each kind as many as of the others, as long as there are."""
    kinds = collections.defaultdict(list)
    for path in sorted((TREE / folder).rglob("*.c")):
        for site in sites_of(path):
            kinds[site.kind].append(site)
    rng = random.Random(seed)
    for sites in kinds.values():
        rng.shuffle(sites)
    while any(kinds.values()):
        for kind in sorted(kinds):
            if kinds[kind]:
                yield kinds[kind].pop()


def subjects(name):
    folder = str(pathlib.PurePath(name).parent)[len("src/analysis/"):]
    while folder not in NEAREST:
        folder = str(pathlib.PurePath(folder).parent)
        if folder == ".":
            return EVERY
    return NEAREST[folder] + [s for s in EVERY if s not in NEAREST[folder]]


def build():
    done = subprocess.run(["ninja", "-j2", "-C", str(BUILD), "tests/unit"], capture_output=True, text=True, check=False)
    return done.returncode == 0


def failing(names):
    """The first subject that fails, or None."""
    for name in names:
        try:
            done = subprocess.run(["sh", "-c", f'ulimit -t {MAX_CPU_SECONDS}; exec tests/unit "$1"', "sh", name],
                                  capture_output=True, check=False, timeout=MAX_SECONDS, cwd=BUILD)
        except subprocess.TimeoutExpired:
            return name + " (too long)"
        if done.returncode:
            return name
    return None


def prepare():
    if not TREE.exists():
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "--detach", TREE, "HEAD"], check=True, capture_output=True)
    subprocess.run(["git", "-C", TREE, "checkout", "-q", "--", "."], check=True)
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["meson", "setup", BUILD, TREE, "--buildtype=custom", "-Doptimization=1", "-Ddebug=false", "-Db_lto=false"],
                       check=True, capture_output=True)


def run(mutant):
    """killed, survived or stillborn; and by which test."""
    path = TREE / mutant.file
    text = path.read_text(encoding="utf-8")
    path.write_text(text[:mutant.begin] + mutant.text + text[mutant.end:], encoding="utf-8")
    try:
        if not build():
            return "stillborn", ""
        test = failing(subjects(mutant.file))
        return ("killed", test) if test else ("survived", "")
    finally:
        path.write_text(text, encoding="utf-8")


def place(mutant):
    text = (TREE / mutant.file).read_text(encoding="utf-8")
    line = text.count("\n", 0, mutant.begin) + 1
    old = " ".join(text[mutant.begin:mutant.end].split())
    return f"{mutant.file}:{line}", old, " ".join(mutant.text.split()), text.splitlines()[line - 1].strip()


def done_already(path):
    if not path.exists():
        return {}
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return {int(row[0]): row[1] for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default="src/analysis")
    parser.add_argument("--out", default=str(ROOT / "build-mutants/mutants.tsv"))
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    prepare()
    if not args.list and (not build() or failing(EVERY)):
        print("mutants.py: the tree does not build or does not pass as it is", file=sys.stderr)
        return 2
    out = pathlib.Path(args.out)
    known = {} if args.list else done_already(out)
    counts = collections.Counter()
    for number, mutant in enumerate(draw(args.folder, args.seed)):
        if number < args.first:
            continue
        if sum(counts[k] for k in ("killed", "survived", "listed")) >= args.count:
            break
        result, test = ("listed", "") if args.list else (known.get(number), "") if number in known else run(mutant)
        counts[result] += 1
        row = "\t".join([str(number), result, mutant.kind, *place(mutant), test])
        if args.list:
            print(row)
        elif number not in known:
            with open(out, "a", encoding="utf-8") as file:
                file.write(row + "\n")
            print(row, flush=True)
    valid = counts["killed"] + counts["survived"]
    if valid:
        print(f"{valid} mutants: {counts['killed']} killed ({100 * counts['killed'] / valid:.0f} %), {counts['survived']} survived; "
              f"{counts['stillborn']} did not compile")
    return 0


if __name__ == "__main__":
    sys.exit(main())
