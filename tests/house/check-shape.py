#!/usr/bin/env python3
"""check-shape.py [--write] -- what the C of this tree may grow into: the names of types are unique, and each count below can only fall.

A line has 100 columns, a row of a table 120; a statement one `?:`; a function six parameters; the name of a static
function, and its body, is in one file. The tables hold what is above that in each folder today: who adds one finds
it here, and who takes some away writes the lower count with --write.
"""
import pathlib
import re
import sys

from shape import Tree
from tree import finish

# per folder, what is left over
LEFT = {
    "wide lines": { "analysis/access": 316, "analysis/flow": 193, "analysis/race": 290,
        "analysis/redundancy": 292, "analysis/registers": 211, "analysis/sass": 471,
        "analysis/sim": 1131, "analysis/time": 467, "analysis/trips": 201, "analysis/value": 528,
        "api": 704, "check": 489, "cli": 601, "compare": 240, "gpu": 179, "include": 345,
        "ir": 86, "isa": 227, "lexer": 63, "parser": 304, "report": 573, "resolve": 170,
        "rules": 737, "session": 138, "support": 96, "tests": 2864, "tools": 123 },
    "statements with several ?:": { "analysis/access": 11, "analysis/flow": 5,
        "analysis/race": 24, "analysis/redundancy": 6, "analysis/registers": 10,
        "analysis/sass": 34, "analysis/sim": 82, "analysis/time": 14, "analysis/trips": 17,
        "analysis/value": 43, "api": 30, "check": 17, "cli": 51, "compare": 19, "gpu": 3,
        "include": 3, "ir": 5, "isa": 10, "lexer": 3, "parser": 16, "report": 34, "resolve": 6,
        "rules": 35, "session": 4, "support": 5, "tests": 3, "tools": 3 },
    "functions with more than six parameters": { "analysis/access": 4, "analysis/flow": 2,
        "analysis/race": 5, "analysis/redundancy": 6, "analysis/registers": 4, "analysis/sass": 4,
        "analysis/sim": 23, "analysis/time": 4, "analysis/trips": 5, "analysis/value": 6,
        "api": 5, "check": 3, "cli": 3, "compare": 4, "gpu": 3, "include": 2, "ir": 2, "isa": 2,
        "lexer": 2, "parser": 6, "report": 3, "resolve": 2, "rules": 5, "session": 2,
        "support": 2, "tests": 2, "tools": 2 },
    "names of static functions in several files": { "src": 460 },
    "static functions copied": { "src": 52 },
}


def counts(house):
    return {
        "wide lines": +house.wide,
        "statements with several ?:": +house.by_folder(lambda f: sum(q > 1 for q in f.questions)),
        "functions with more than six parameters": +house.by_folder(lambda f: f.parameters > 6),
        "names of static functions in several files": {"src": len(house.repeated_statics())},
        "static functions copied": {"src": sum(map(len, house.copies()))},
    }


def check(left, found):
    problems = []
    for what, folders in found.items():
        for folder in sorted(set(folders) | set(left.get(what, {}))):
            most, count = left.get(what, {}).get(folder, 0), folders.get(folder, 0)
            if count > most:
                problems.append(f"{folder}: {count} {what}; {most} are the most (tools/house.py --list names them)")
    return problems


def rows_of(found):
    for what, folders in found.items():
        row = f'    "{what}": {{'
        for folder in sorted(folders):
            item = f' "{folder}": {folders[folder]},'
            if len(row) + len(item) > 98:
                yield row
                row = "       "
            row += item
        yield row.rstrip(",") + " },"


def write(found):
    path = pathlib.Path(__file__)
    table = "\n".join(["LEFT = {", *rows_of(found), "}"])
    path.write_text(re.sub(r"^LEFT = \{.*?^\}", table, path.read_text(), count=1, flags=re.M | re.S))


def lowest(left, found):
    """--write never raises a count; a folder that is new takes its own."""
    return {what: {folder: min(count, left[what].get(folder, 0)) if what in left else count
                   for folder, count in folders.items()} for what, folders in found.items()}


house = Tree()
if "--write" in sys.argv:
    write(lowest(LEFT, counts(house)))
    sys.exit()
finish([f"{word}: a type of this name in {' and in '.join(files)}" for word, files in house.repeated_types().items()]
       + check(LEFT, counts(house)))
