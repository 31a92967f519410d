#!/usr/bin/env python3
"""house.py [--list] [ROOT] -- the shape of the tree's C as a table: functions, nesting, conditional expressions, parameters, widths, names.

ROOT is another checkout, to compare with; by default this one. --list names the places that tests/house/check-shape.py counts.
"""
import pathlib
import re
import signal
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/house"))
import tree                                         # noqa: E402

arguments = [a for a in sys.argv[1:] if a != "--list"]
if arguments:
    tree.ROOT = pathlib.Path(arguments[0]).resolve()
import shape                                        # noqa: E402


def rows(house):
    functions = house.functions
    lines = sorted(f.lines for f in functions)
    questions = [q for f in functions for q in f.questions]
    code = sum(shape.read(p).count("\n") for p in house.paths)
    statics = {f.name for f in functions if f.is_static}
    lengths = sorted((shape.read(p).count("\n") for p in house.paths if "include" not in p.parts), reverse=True)
    yield "files, lines", f"{len(house.paths)}, {code}"
    yield "longest files", ", ".join(map(str, lengths[:5]))
    yield "functions, of these static", f"{len(functions)}, {sum(f.is_static for f in functions)}"
    yield "lines a function: median, 95 %, most", f"{statistics.median(lines):.0f}, {lines[len(lines) * 95 // 100]}, {lines[-1]}"
    yield "functions above 20, above 40 lines", f"{sum(n > 20 for n in lines)}, {sum(n > 40 for n in lines)}"
    yield "nesting: functions at 3, at 4 and more", f"{sum(f.nesting == 3 for f in functions)}, {sum(f.nesting > 3 for f in functions)}"
    yield "?: in all, a thousand lines", f"{sum(questions)}, {1000 * sum(questions) / code:.1f}"
    yield "statements with two ?: or more, most", f"{sum(q > 1 for q in questions)}, {max(questions)}"
    yield "functions of more than six parameters, of six", (
        f"{sum(f.parameters > 6 for f in functions)}, {sum(f.parameters == 6 for f in functions)}")
    yield "lines too wide (100; rows of tables 120)", str(sum(house.wide.values()))
    yield "types of one name in several files", str(len(house.repeated_types()))
    yield "names of static functions in several files", str(len(house.repeated_statics()))
    yield "names of static functions that are one word", str(sum("_" not in n for n in statics))
    yield "static functions copied: bodies, functions", f"{len(house.copies())}, {sum(map(len, house.copies()))}"
    yield "assertions", str(sum(len(re.findall(r"\bASSERT\(", f.body)) for f in functions))
    yield "setjmp", str(sum(f.body.count("setjmp(") for f in functions))


def places(house):
    for path in shape.width_paths():
        yield from (f"{shape.name(path)}:{line}: wide" for line in shape.wide_lines(path))
    for f in house.functions:
        if any(q > 1 for q in f.questions):
            yield f"{f.place}: {sum(q > 1 for q in f.questions)} statements with several ?:"
        if f.parameters > 6:
            yield f"{f.place}: {f.parameters} parameters"
    for word, files in sorted(house.repeated_statics().items()):
        yield f"{word}: static in {', '.join(files)}"
    for group in house.copies():
        yield "copies: " + ", ".join(f.place for f in group)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)        # as in house.py --list | head
    house = shape.Tree()
    if "--list" in sys.argv:
        print(*places(house), sep="\n")
        return
    for what, figure in rows(house):
        print(f"{what:48} {figure}")


if __name__ == "__main__":
    main()
