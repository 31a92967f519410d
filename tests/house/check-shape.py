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
    "wide lines": { "analysis/registers": 15, "analysis/sass": 3, "analysis/sim": 23,
        "analysis/time": 2, "analysis/trips": 1, "analysis/value": 10, "api": 3, "cli": 12,
        "findings": 1, "gpu": 37, "input": 2, "ir": 2, "isa": 66, "lexer": 17, "parser": 43,
        "report": 18, "resolve": 6, "rules": 165, "session": 1, "support": 2, "tests": 1093,
        "tools": 2 },
    "statements with several ?:": { },
    "functions with more than six parameters": { "compare": 1 },
    "names of static functions in several files": { "src": 116 },
    "static functions copied": { "src": 12 },
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
    return {what: {folder: min(count, left.get(what, {}).get(folder, count))
                   for folder, count in folders.items()} for what, folders in found.items()}


house = Tree()
if "--write" in sys.argv:
    write(lowest(LEFT, counts(house)))
    sys.exit()
finish([f"{word}: a type of this name in {' and in '.join(files)}" for word, files in house.repeated_types().items()]
       + check(LEFT, counts(house)))
