#!/usr/bin/env python3
"""gen_costs.py COSTS.TXT ISA_TABLES.C OUT.C -- costs.txt as C tables (costs.h). Run by meson.

Opcodes and modifiers get the numbers that gen_isa.py gave them: they are read off the tables it wrote."""
import itertools
import pathlib
import re
import sys

MACHINES = re.findall(r'^MO\( (\w+),\s+"(\w+)"', pathlib.Path(__file__).with_name("machine.def").read_text(), re.M)
MACHINES = [key for _, key in MACHINES]
TERMS, NEEDS = 8, 6


def fail(number, why):
    sys.exit(f"{sys.argv[1]}:{number}: {why}")


def strings(table):
    text = pathlib.Path(sys.argv[2]).read_text()
    body = re.search(r"\b%s\[\] = \{\n(.*?)\n\};" % table, text, re.S).group(1)
    return re.findall(r'^\s*\{? ?"([^"]*)"', body, re.M)


def parse_pattern(number, text):
    """The opcode, and every combination of modifiers that the braces stand for."""
    m = re.match(r"\w+", text)
    if not m or m.group() not in opcodes:
        fail(number, f"opcode of '{text}'")
    items = re.findall(r"\.(?:\{([^}]*)\}|([\w:]+))", text[m.end():])
    rebuilt = "".join("." + ("{" + a + "}" if a else b) for a, b in items)
    if rebuilt != text[m.end():] or len(items) > NEEDS:
        fail(number, f"modifiers of '{text}'")
    choices = [[w.strip().lstrip(".") for w in a.split(",")] if a else [b] for a, b in items]
    for word in itertools.chain(*choices):
        if word not in modifiers:
            fail(number, f"no form has the modifier '.{word}'")
    return m.group(), list(itertools.product(*choices))


def parse_targets(number, text):
    ranges = []
    for part in text.split(","):
        part = part.strip()
        m = re.fullmatch(r"(\d*)(\.\.)?(\d*)", part)
        if part == "*":
            ranges.append((0, 65535))
        elif m and m.group(2):
            ranges.append((int(m.group(1) or 0), int(m.group(3) or 65535)))
        elif m and m.group(1):
            ranges.append((int(m.group(1)), int(m.group(1))))
        else:
            fail(number, f"targets '{text}'")
    return tuple(ranges)


def parse_cost(number, text):
    if text == "0":
        return ()
    terms = []
    for part in text.split("+"):
        m = re.fullmatch(r"(\d+(?:\.\d+)?)\s+(\w+)", part.strip())
        if not m or m.group(2) not in MACHINES:
            fail(number, f"machine operations '{text}'")
        terms.append((m.group(1), MACHINES.index(m.group(2))))
    if len(terms) > TERMS:
        fail(number, f"more than {TERMS} classes of machine operations")
    return tuple(terms)


opcodes, modifiers = strings("ptx_opcode_info"), strings("ptx_modifier_texts")
rows, costs, ranges = {}, {}, {}
for number, line in enumerate(open(sys.argv[1]), 1):
    if not line.strip() or line.startswith("#"):
        continue
    cells = [c.strip() for c in line.split("|")]
    if len(cells) != 4:
        fail(number, f"{len(cells)} columns instead of 4")
    opcode, combinations = parse_pattern(number, cells[0])
    where = ranges.setdefault(parse_targets(number, cells[1]), len(ranges))
    cost = costs.setdefault(parse_cost(number, cells[2]), len(costs))
    rows.setdefault(opcode, []).extend((c, where, cost) for c in combinations)

missing = [o for o in opcodes[1:] if o not in rows]
if missing:
    sys.exit(f"{sys.argv[1]}: no row for {' '.join(missing)}")

firsts, lines = [0], []
range_at, range_lines = [], []
for spans in ranges:
    range_at.append(len(range_lines))
    range_lines += [f"{{ {a}, {b} }}" for a, b in spans] + ["{ 0, 0 }"]
for opcode in opcodes[1:]:
    firsts.append(len(lines))
    for needs, where, cost in rows[opcode]:
        ids = ", ".join(str(modifiers.index(n)) for n in needs) or "0"
        lines.append(f"{{ {{ {ids} }}, {len(needs)}, {range_at[where]}, {cost} }}")
firsts.append(len(lines))

with open(sys.argv[3], "w") as out:
    out.write('/* Generated from costs.txt by gen_costs.py. */\n#include "gpu/costs.h"\n\n')
    out.write("const CostRow ptx_cost_rows[] = {\n    " + ",\n    ".join(lines) + "\n};\n")
    out.write("const uint16_t ptx_cost_first[] = { " + ", ".join(map(str, firsts)) + " };\n")
    out.write("const CostRange ptx_cost_targets[] = {\n    " + ",\n    ".join(range_lines) + "\n};\n")
    terms = [f"{{ {{ {', '.join('{ %sF, %d }' % (n if '.' in n else n + '.0', m) for n, m in c) or '{ 0 }'} }}, {len(c)} }}" for c in costs]
    out.write("const Cost ptx_costs[] = {\n    " + ",\n    ".join(terms) + "\n};\n")
