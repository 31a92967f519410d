#!/usr/bin/env python3
"""gen_isa.py FORMS.TXT OUT.C -- the instruction forms as C tables (isa.h). Run by meson."""
import re
import sys

TYPES = [m.group(1) for m in re.finditer(r'^TY\( \w+,\s+"(\w+)"', open(sys.argv[1].replace("forms.txt", "types.def")).read(), re.M)]
KEYWORDS = {"imm": "OPERAND_IMM", "label": "OPERAND_LABEL", "func": "OPERAND_FUNC", "params": "OPERAND_PARAMS", "any": "OPERAND_ANY"}
CLASSES = "int logic cmp arith fp32 fp64 half fma cvt sfu div tensor mem atomic tex control barrier move warp video misc".split()


def fail(number, why):
    sys.exit(f"{sys.argv[1]}:{number}: {why}")


def split_commas(text):
    """Top-level commas; brackets keep theirs."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in parts + [text[start:]] if p.strip()]


def parse_operand(number, text, optional, slots):
    """FormOperand initialiser of one position."""
    m = re.fullmatch(r"(\{!\})?(?:\{-\})?([=+]?)(\[[^\]]*\]|_|[\w.-]+)(?::([\w.]+))?(?:(\{?)\|([=+]?)(_|[\w.-]+)(?::([\w.]+))?\}?)?", text)
    if not m:
        fail(number, f"operand '{text}'")
    negatable, mark, name, kind, brace, pair_mark, pair, _ = m.groups()
    role = {"=": "ROLE_DEF", "+": "ROLE_DEF | ROLE_USE", "": "ROLE_USE"}[mark]
    if name.startswith("["):
        role = "ROLE_USE | ROLE_ADDRESS"
    pair_role = 0 if not pair else {"=": "ROLE_DEF", "+": "ROLE_DEF | ROLE_USE", "": "ROLE_USE"}[pair_mark]
    if not kind:
        kind_text = "OPERAND_OWN"
    elif kind in KEYWORDS:
        kind_text = KEYWORDS[kind]
    elif kind in TYPES:
        kind_text = f"TYPE_{kind.upper()}"
    elif kind in slots:
        kind_text = f"OPERAND_GROUP + {slots.index(kind)}"
    else:
        fail(number, f"operand type '{kind}' is neither a type nor a group of the row")
    b = lambda x: "true" if x else "false"
    return f'{{ "{name.strip("[]")}", {role}, {pair_role}, {kind_text}, {b(optional)}, {b(brace)}, {b(negatable)} }}'


def parse_operands(number, text, slots):
    text = re.sub(r"\{\s*,\s*([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", r", ?\1", text)
    return [parse_operand(number, o.lstrip("?"), o.startswith("?"), slots) for o in split_commas(text)]


groups, rows = {}, []
for number, line in enumerate(open(sys.argv[1]), 1):
    line = line.split("#")[0].strip() if line.lstrip().startswith("#") else line.strip()
    if not line:
        continue
    m = re.fullmatch(r"group\s+([\w.:-]+)\s*=\s*(.*)", line)
    if m:
        if m.group(1) in groups:
            fail(number, f"group '{m.group(1)}' is there already")
        groups[m.group(1)] = [v.lstrip(".") for v in m.group(2).split()]
        continue
    cells = [c.strip() for c in re.split(r"\s\|\s", " " + line.replace(" | ", "  |  ") + " ")]
    if len(cells) != 5:
        cells = re.split(r"\s+\|\s*", line)
        if len(cells) != 5:
            fail(number, f"{len(cells)} columns instead of 5")
    rows.append((number, *cells))

forms = []
for number, modifiers, operands, version, target, klass in rows:
    m = re.match(r"\w+", modifiers)
    opcode, rest = m.group(), modifiers[m.end():]
    items = re.findall(r"(\{)?\.([\w:]+)\}?", rest)
    if "".join(("{." if b else ".") + n + ("}" if b else "") for b, n in items) != rest:
        fail(number, f"modifiers '{rest}'")
    if klass not in CLASSES:
        fail(number, f"class '{klass}'")
    slots = [n for _, n in items]
    ops = [] if opcode == "call" else parse_operands(number, operands, slots)
    v = re.fullmatch(r"(\d+)\.(\d+)", version)
    t = re.fullmatch(r"sm_(\d+)([af]?)", target)
    if not v or not t:
        fail(number, "version or target")
    forms.append((opcode, items, ops, int(v[1]) * 10 + int(v[2]), int(t[1]), t[2], klass))

opcodes = sorted({f[0] for f in forms})
forms.sort(key=lambda f: f[0])
literals = sorted({n for f in forms for _, n in f[1] if n not in groups})
texts = sorted(set(literals) | {v for g in groups.values() for v in g}, key=lambda s: s.encode())
at = {t: i for i, t in enumerate(texts)}
used = [g for g in groups if any(n == g for f in forms for _, n in f[1])]
group_at, values, infos = {}, [], []
for name in used + literals:
    members = sorted(at[v] for v in groups.get(name, [name]))
    group_at[name] = len(infos)
    infos.append((f'"{name}"' if name in groups else "NULL", len(values), len(members)))
    values += members

modifier_rows, operand_rows, form_rows = [], [], ["{ 0 }"]
for opcode, items, ops, version, sm, suffix, klass in forms:
    s = f"'{suffix}'" if suffix else "0"
    form_rows.append(f"{{ {opcodes.index(opcode) + 1}, {len(modifier_rows)}, {len(operand_rows)}, {len(items)}, {len(ops)}, {version}, "
                     f"FORM_{klass.upper()}, {{ {sm}, {s} }} }}")
    modifier_rows += [f"{{ {group_at[n]}, {'true' if b else 'false'} }}" for b, n in items]
    operand_rows += ops
opcode_rows = ['{ "", 0, 0 }']
for o in opcodes:
    first = 1 + next(i for i, f in enumerate(forms) if f[0] == o)
    opcode_rows.append(f'{{ "{o}", {first}, {sum(f[0] == o for f in forms)} }}')


def table(kind, name, entries):
    return f"const {kind} {name}[] = {{\n    " + ",\n    ".join(entries or ["{ 0 }"]) + "\n};\n"


with open(sys.argv[2], "w") as out:
    out.write("/* Generated from forms.txt by gen_isa.py. */\n#include \"isa/isa.h\"\n\n")
    out.write(table("OpcodeInfo", "ptx_opcode_info", opcode_rows))
    out.write(f"const OpcodeId ptx_opcode_count = {len(opcode_rows)};\n")
    out.write(table("FormInfo", "ptx_form_info", form_rows))
    out.write(f"const FormId ptx_form_count = {len(form_rows)};\n")
    out.write(table("FormModifier", "ptx_form_modifiers", modifier_rows))
    out.write(table("FormOperand", "ptx_form_operands", operand_rows))
    out.write(table("GroupInfo", "ptx_group_info", [f"{{ {n}, {f}, {c} }}" for n, f, c in infos]))
    out.write("const uint16_t ptx_group_values[] = {\n    " + ", ".join(map(str, values)) + "\n};\n")
    out.write(table("char *const", "ptx_modifier_texts", [f'"{t}"' for t in texts]))
    out.write(f"const uint16_t ptx_modifier_count = {len(texts)};\n")
