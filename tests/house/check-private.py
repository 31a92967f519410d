#!/usr/bin/env python3
"""How the simulator is made is seen in src/analysis/sim/ alone (docs/architecture.md).

Other folders include its public headers and no others, also not through one of these, and use a Machine, a Warp and a SimProgram by
functions: none of their fields is named there.
"""
import re

from tree import ROOT, finish, name, read, sources

FOLDER = "analysis/sim/"
PUBLIC = {FOLDER + header for header in """
sim.h program.h observer.h request.h value.h count.h joinable_row.h guess.h block_keys.h patterns.def
shared_layout.h stride/block_stride.h
cost/footprint.h cost/footprint_watch.h cost/price.h cost/touched.h cost/traffic.h
race/allocation.h race/cluster.h race/data_extent.h race/global_ranges.h race/interval.h race/race.h race/shadow_memory.h""".split()}
OPAQUE = ["Machine", "Warp", "Frame", "FuncState", "SimCode", "SimProgram"]


def included(text):
    return [(text.count("\n", 0, m.start()) + 1, m.group(1))
            for m in re.finditer(r'^\s*#\s*include\s+"([^"]+)"', text, flags=re.M)]


def blanked(text):
    """Without comments and strings, line by line."""
    return re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)


def fields_named(path, text):
    """Through a variable, parameter or member that is declared in this file or in a public header."""
    code = blanked(text)
    own = set(re.findall(r"\b(?:" + "|".join(OPAQUE) + r")\s*\*\s*(?:const\s+)?(\w+)", code))
    pointers = "|".join(sorted(own | {"machine"}))
    return [f"{name(path)}:{number}: {found.group()}: a field of the simulator"
            for number, line in enumerate(code.splitlines(), 1)
            for found in re.finditer(rf"\b(?:{pointers})->\w+", line)]


problems = []
for path in sources({".c", ".h", ".re", ".y"}, "src", "tests"):
    inside = path.is_relative_to(ROOT / "src" / FOLDER)
    is_public = inside and path.relative_to(ROOT / "src").as_posix() in PUBLIC
    if inside and not is_public:
        continue
    text = read(path)
    problems += [f"{name(path)}:{number}: \"{header}\" is private to src/{FOLDER}" for number, header in included(text)
                 if header.startswith(FOLDER) and header not in PUBLIC]
    problems += [] if inside else fields_named(path, text)
    problems += [f"{name(path)}: struct {one} is seen outside src/{FOLDER}" for one in OPAQUE
                 if re.search(rf"\bstruct {one} \{{", blanked(text))]
problems += [f"src/{header}: there is no such file" for header in sorted(PUBLIC) if not (ROOT / "src" / header).is_file()]
finish(problems)
