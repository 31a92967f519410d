"""tree.py -- what the tests of this folder share: the stages in pipeline order, and how a failure is reported."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGES = """support isa gpu lexer parser ir check resolve analysis/flow analysis/value
analysis/trips analysis/redundancy analysis/sim analysis/sim/cost analysis/sim/race analysis/recognize analysis/access analysis/race analysis/sass
analysis/registers analysis/time session rules/lang rules/facts rules report compare findings model
input input/container api mcp lsp measure cli record""".split()


def read(path):
    return path.read_text(encoding="utf-8")


def sources(suffixes, *folders):
    """Files below the folders with one of these suffixes, sorted."""
    found = (p for f in folders for p in (ROOT / f).rglob("*") if p.suffix in suffixes and p.is_file())
    return sorted(p for p in found if not {"__pycache__", "node_modules"} & set(p.parts))


def stage_of(path):
    """The stage that a path below src/ belongs to; None: to none."""
    return max((s for s in STAGES if path.startswith(s + "/")), key=len, default=None)


def name(path):
    return path.relative_to(ROOT).as_posix()


def finish(problems):
    """Ends the test: each problem is one line of what is wrong and where."""
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
