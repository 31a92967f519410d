#!/usr/bin/env python3
"""mutants.py -- changes src/analysis in one place, runs the unit tests nearest to it, and counts the changes that no test sees.

    mutants.py --count 200 --seed 1             200 mutants, drawn with this seed
    mutants.py --first 40 --count 20            numbers 40 to 59 of the same draw
    mutants.py --folder src/analysis/flow       of this folder alone
    mutants.py --quick                          without the subjects that take more than a second: the share killed is then a lower bound
    mutants.py --list                           only says what would be changed

A mutant swaps an operator (< <=, == !=, + -, && ||, ...), moves a constant by one, turns a condition of `if` or `while` around, or returns the
other truth. It is killed where a test fails, or where one takes a minute of processor time; where it does not compile it does not count.
Of --build, which has tests/unit, one object is compiled anew and linked before the others: nothing in the tree or in the build changes.
The .tsv of --out has a row a mutant, and is carried on: two runs may share it, with other numbers.
Python 3, standard library, ninja. Exit: 0 all were run, 2 usage or a build that does not pass unchanged."""
import argparse
import collections
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TREE = ROOT
MAX_CPU_SECONDS, MAX_SECONDS = 60, 900

# The subjects of tests/unit that are about a folder, the quickest first; EVERY is asked of all.
EVERY = ["golden", "examples", "engine", "estimate", "seeds"]
NEAREST = {
    "flow": ["live", "graph", "blocks"],
    "value": ["intervals", "values", "symbols", "shapes", "uniform", "forward"],
    "trips": ["intervals", "trip", "values"],
    "redundancy": ["repeat", "parallelism", "profile", "shortcuts", "findings"],
    "recognize": ["recognize", "dependences"],
    "sim": ["lanes", "waits", "integer_forms", "lanewise", "instructions", "traffic", "evaluate"],
    "sim/cost": ["footprints", "traffic_seeds", "traffic", "evaluate"],
    "sim/race": ["waits", "global_races", "hazards", "twins"],
    "access": ["bands", "footprints", "shared_layout", "traffic_seeds", "traffic", "strata", "evaluate"],
    "race": ["waits", "fix", "repairs", "global_races", "hazards"],
    "sass": ["lower", "instructions", "throughput", "pressure"],
    "registers": ["pressure", "occupancy", "lower"],
    "time": ["parallelism", "throughput", "verify", "estimate_seeds"],
}

# Subjects that take more than a second.
SLOW = {"blocks", "estimate", "estimate_seeds", "evaluate", "findings", "forward", "hazards", "instructions", "repairs", "strata", "trip", "uniform",
        "verify"}

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


def subjects(name, is_quick):
    return [s for s in nearest(name) if not (is_quick and s in SLOW)]


def nearest(name):
    folder = str(pathlib.PurePath(name).parent)[len("src/analysis/"):]
    while folder not in NEAREST:
        folder = str(pathlib.PurePath(folder).parent)
        if folder == ".":
            return EVERY
    return NEAREST[folder] + [s for s in EVERY if s not in NEAREST[folder]]


class Build:
    """How a build compiles each file, and links tests/unit."""
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        listed = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "tests/unit"], capture_output=True, text=True, check=True)
        lines = listed.stdout.splitlines()
        self.compile, self.link = {}, shlex.split(lines[-1])
        for line in lines:
            if line.endswith(".c") and " -c " in line:
                words = shlex.split(line)
                self.compile[str((self.folder / words[-1]).resolve())] = words

    def make(self, name, text, work):
        """tests/unit with this text for the file; None: it does not compile."""
        source, made, unit = work / "mutant.c", work / "mutant.o", work / "unit"
        source.write_text(text, encoding="utf-8")
        words = [w for w in self.compile[str(ROOT / name)] if w not in ("-Werror", "-MD", "-O3", "-O2")]
        words = words[:words.index("-o")] + ["-O1", "-w", "-o", str(made), "-c", str(source)]
        words = [w for i, w in enumerate(words) if w not in ("-MQ", "-MF") and words[i - 1] not in ("-MQ", "-MF")]
        if subprocess.run(words, cwd=self.folder, capture_output=True, check=False).returncode:
            return None
        at = self.link.index("-o")
        link = self.link[:at + 1] + [str(unit), str(made)] + self.link[at + 2:]
        subprocess.run(link, cwd=self.folder, capture_output=True, check=True)
        return unit

    def failing(self, unit, names):
        """The first subject that fails, or None."""
        for name in names:
            try:
                done = subprocess.run(["sh", "-c", f'ulimit -t {MAX_CPU_SECONDS}; exec "$0" "$1"', unit, name],
                                      capture_output=True, check=False, timeout=MAX_SECONDS, cwd=self.folder)
            except subprocess.TimeoutExpired:
                return name + " (too long)"
            if done.returncode:
                return name
        return None


def run(build, mutant, is_quick):
    """killed, survived or stillborn; and by which test."""
    text = (TREE / mutant.file).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        unit = build.make(mutant.file, text[:mutant.begin] + mutant.text + text[mutant.end:], pathlib.Path(folder))
        if not unit:
            return "stillborn", ""
        test = build.failing(unit, subjects(mutant.file, is_quick))
    return ("killed", test) if test else ("survived", "")


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
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--out", default="mutants.tsv")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    build = None if args.list else Build(args.build)
    if build and build.failing(build.folder / "tests/unit", EVERY):
        print("mutants.py: the build does not pass as it is", file=sys.stderr)
        return 2
    out = pathlib.Path(args.out)
    known = {} if args.list else done_already(out)
    counts = collections.Counter()
    for number, mutant in enumerate(draw(args.folder, args.seed)):
        if number < args.first:
            continue
        if sum(counts[k] for k in ("killed", "survived", "listed")) >= args.count:
            break
        result, test = ("listed", "") if args.list else (known.get(number), "") if number in known else run(build, mutant, args.quick)
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
