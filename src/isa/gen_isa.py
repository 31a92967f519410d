#!/usr/bin/env python3
"""gen_isa.py FORMS.TXT OUT.C -- the instruction forms, and semantics.txt beside them, as C tables (isa.h). Run by meson."""
import re
import sys

def words_of(name):
    """The texts of a .def file that lies beside forms.txt."""
    return re.findall(r'^[A-Z]+\(\s*\w+,\s+"([\w:]+)"', open(sys.argv[1].replace("forms.txt", name)).read(), re.M)


def rows_of(name, macro):
    """(id, text) of each row of a .def file that lies beside forms.txt, in order."""
    return re.findall(rf'^{macro}\(\s*(\w+),\s+"([^"]+)"', open(sys.argv[1].replace("forms.txt", name)).read(), re.M)


TYPES = words_of("types.def")
KEYWORDS = {"imm": "OPERAND_IMM", "label": "OPERAND_LABEL", "func": "OPERAND_FUNC", "params": "OPERAND_PARAMS", "any": "OPERAND_ANY",
            "any32": "OPERAND_ANY32", "bits16": "OPERAND_BITS16", "bits32": "OPERAND_BITS32", "coords": "OPERAND_COORDS"}
ELEMENTS = {name: f"ELEMENTS_{name.upper()}" for name in "vec a b c repeat lanes matrices dims offsets coords shift grads meta kept dense texels".split()}
SELECTORS = {None: "PARTS_NONE", "part": "PARTS_PART", "halves": "PARTS_HALVES", "bytes": "PARTS_BYTES",
             "half_mask": "PARTS_HALF_MASK", "byte_mask": "PARTS_BYTE_MASK"}
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


def parse_elements(number, text):
    """Elements and the set of "vec" or "0/2/4"."""
    if not text:
        return "ELEMENTS_UNSAID", 0
    if text in ELEMENTS:
        return ELEMENTS[text], 0
    if not re.fullmatch(r"\d+(/\d+)*", text):
        fail(number, f"elements '{text}'")
    return "ELEMENTS_SET", sum(1 << int(n) for n in text.split("/"))


def parse_range(number, text):
    """Index into ranges of "low..high", "low..high/step", "low..high*factor" or one number."""
    if not text:
        return 0
    m = re.fullmatch(r"(-?\w+)(?:\.\.(-?\w+)(?:([/*])(\d+))?)?", text)
    if not m:
        fail(number, f"range '{text}'")
    low, high, step = int(m[1], 0), int(m[2] or m[1], 0), int(m[4] or 1) * (-1 if m[3] == "*" else 1)
    row = f"{{ {low}, {high}, {step} }}"
    if row not in ranges:
        ranges.append(row)
    return ranges.index(row)


def is_type_slot(name):
    """Whether a modifier position holds types."""
    return all(v in TYPES for v in groups.get(name, [name]))


def parse_operand(number, text, optional, slots):
    """FormOperand initialiser of one position."""
    m = re.fullmatch(r"(\{!\})?(\{-\})?([=+]?)([%&$]*)(\[[^\]]*\]|_|[\w.-]+)(?::([\w.]+))?(?:\*([\w/]+))?(?:\(([\w./*-]+)\))?(?:\(([\w./*-]+)\))?(?:@(\w+))?"
                     r"(?:(\{?)\|([=+]?)(_|[\w.-]+)(?::([\w.]+))?\}?)?", text)
    if not m:
        fail(number, f"operand '{text}'")
    negatable, minus, mark, takes, name, kind, elements, limits, next_limits, selector, brace, pair_mark, pair, pair_type = m.groups()
    if selector not in SELECTORS:
        fail(number, f"selector '{selector}'")
    if pair and pair_type != "pred":
        fail(number, "the right side of a pair is a predicate")
    elements, element_set = parse_elements(number, elements)
    role = {"=": "ROLE_DEF", "+": "ROLE_DEF | ROLE_USE", "": "ROLE_USE"}[mark]
    if name == "_":
        role = "ROLE_DEF"
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
        kind_text = f"OPERAND_GROUP + {sum(is_type_slot(n) for n in slots[:slots.index(kind)])}"
    else:
        fail(number, f"operand type '{kind}' is neither a type nor a group of the row")
    b = lambda x: "true" if x else "false"
    spelled = name.strip("[]").lstrip("_") or "_"
    if spelled not in operand_names:
        operand_names.append(spelled)
    return (f'{{ {element_set}ull, {parse_range(number, limits)}, {parse_range(number, next_limits)}, {operand_names.index(spelled)}, {elements}, {role}, {pair_role}, '
            f'{kind_text}, {SELECTORS[selector]}, {b(optional)}, {b(brace)}, {b(negatable)}, {b(minus)}, {b("%" in takes)}, {b("&" in takes)}, '
            f'{b("$" in takes)}, {b(name.startswith("_"))}, {b(pair and pair.startswith("_"))} }}')


def parse_operands(number, text, slots):
    text = re.sub(r"\{\s*,\s*([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", r", ?\1", text)
    return [parse_operand(number, o.lstrip("?"), o.startswith("?"), slots) for o in split_commas(text)]


def count_name(number, opcode, items):
    """How many leading positions spell the name; a group belongs to it with all of its values or with none."""
    best = 0

    def walk(i, parts):
        nonlocal best
        if i == len(items):
            return
        optional, slot = items[i]
        values = groups.get(slot, [slot])
        hits = [v for v in values if (*parts, v) in name_starts]
        if any((*parts, v) in names for v in hits):
            best = max(best, i + 1)
            if len(hits) != len(values):
                fail(number, f"group '{slot}' is partly in the name")
        for v in hits:
            walk(i + 1, (*parts, v))
        if optional:
            walk(i + 1, parts)

    walk(0, (opcode,))
    return best


def parse_version(number, text):
    m = re.fullmatch(r"(\d+)\.(\d+)", text) or fail(number, f"version '{text}'")
    return int(m[1]) * 10 + int(m[2])


def parse_target(number, text):
    m = re.fullmatch(r"sm_(\d+)([af]?)|sm_()(a)", text) or fail(number, f"target '{text}'")
    m = [g for g in (text, *m.groups()) if g is not None]
    return int(m[1] or 0), f"'{m[2]}'" if m[2] else "0"


def parse_until(number, text):
    """(version, target) of "until [sm_X or] ptx V"."""
    m = re.fullmatch(r"until (?:sm_(\d+) or )?ptx ([\d.]+)", text) or fail(number, f"'{text}'")
    return parse_version(number, m[2]), int(m[1] or 0)


ranges = ["{ 0, 0, 0 }"]
operand_names = []
GATES = {"|": "GATE_PAIR", "generic": "GATE_GENERIC"}          # in place of a modifier
groups, rows, gates = {}, [], []
names, name_starts, orders, repeatable = set(), set(), [TYPES, words_of("spaces.def")], set()
until, unsettled = (0, 0), False
for number, line in enumerate(open(sys.argv[1]), 1):
    line = line.strip()
    if not line or line.startswith("#"):
        until, unsettled = (until, unsettled) if line else ((0, 0), False)
        continue
    keyword, *words = line.split()
    if keyword == "until":
        until = parse_until(number, line)
        continue
    if line == "unsettled":
        unsettled = True
        continue
    if keyword == "gate":
        gates.append((words[0], words[1].lstrip("."), parse_version(number, words[2]), *parse_target(number, words[3])))
        continue
    if keyword == "name":
        for parts in (tuple(w.split(".")) for w in words):
            names.add(parts)
            name_starts |= {parts[:n] for n in range(1, len(parts) + 1)}
        continue
    if keyword == "order":
        orders.append([w.lstrip(".") for w in words])
        continue
    if keyword == "repeat":
        repeatable |= {w.lstrip(".") for w in words}
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
    modifiers, operands, version, targets, klass = cells
    rows += [(number, modifiers, operands, version, target, klass, until, unsettled) for target in targets.split()]

forms = []
for number, modifiers, operands, version, target, klass, ends, is_unsettled in rows:
    m = re.match(r"\w+", modifiers)
    opcode, rest = m.group(), modifiers[m.end():]
    items = re.findall(r"(\{)?\.([\w:]+)\}?", rest)
    if "".join(("{." if b else ".") + n + ("}" if b else "") for b, n in items) != rest:
        fail(number, f"modifiers '{rest}'")
    if klass not in CLASSES:
        fail(number, f"class '{klass}'")
    slots = [n for _, n in items]
    if any(brace and is_type_slot(n) for brace, n in items):
        fail(number, "an optional type: operands name types by their order")
    is_open = operands == "..."
    ops = [] if opcode == "call" or is_open else parse_operands(number, operands, slots)
    forms.append((opcode, items, ops, parse_version(number, version), *parse_target(number, target), klass, ends, count_name(number, opcode, items),
                  is_unsettled, is_open))

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
operands_at = {}        # forms with the same operands share their rows
for opcode, items, ops, version, sm, suffix, klass, ends, name_count, is_unsettled, is_open in forms:
    if tuple(ops) not in operands_at:
        operands_at[tuple(ops)] = len(operand_rows)
        operand_rows += ops
    form_rows.append(f"{{ {opcodes.index(opcode) + 1}, {len(modifier_rows)}, {operands_at[tuple(ops)]}, {len(items)}, {len(ops)}, {version}, "
                     f"FORM_{klass.upper()}, {{ {sm}, {suffix} }}, {name_count}, {ends[0]}, {ends[1]}, {str(is_unsettled).lower()}, {str(is_open).lower()} }}")
    modifier_rows += [f"{{ {group_at[n]}, {'true' if b else 'false'} }}" for b, n in items]
gates.sort()


def number_operations():
    """First operation and count of each opcode: its own row of op.def, and those of its instructions behind it."""
    found, before = {}, None
    for number, (_, text) in enumerate(rows_of("op.def", "OP"), 1):
        opcode, *parts = text.split(".")
        if not parts and opcode not in found:
            found[opcode] = [number, 0]
        elif not parts or opcode != before:
            sys.exit(f"op.def: '{text}' does not stand with the others of its opcode")
        missing = [p for p in parts if not any(f[0] == opcode and p in groups.get(n, [n]) for f in forms for _, n in f[1])]
        if opcode not in opcodes or missing:
            sys.exit(f"op.def: no form for '{text}'")
        found[opcode][1] += 1
        before = opcode
    for opcode in opcodes:
        if opcode not in found:
            sys.exit(f"op.def: no row for '{opcode}'")
    return found


operations = number_operations()
modifier_ids = {text: f"MOD_{name}" for name, text in rows_of("modifier.def", "MD")}
for text in modifier_ids:
    if text not in at:
        sys.exit(f"modifier.def: no form has '{text}'")
opcode_rows = ['{ "", 0, 0, 0, 0, 0, 0 }']
for o in opcodes:
    gate_first = next((i for i, g in enumerate(gates) if g[0] == o), 0)
    first = 1 + next(i for i, f in enumerate(forms) if f[0] == o)
    opcode_rows.append(f'{{ "{o}", {first}, {sum(f[0] == o for f in forms)}, {gate_first}, {sum(g[0] == o for g in gates)}, '
                       f'{operations[o][0]}, {operations[o][1]} }}')


def read_semantics(path):
    """(opcode, modifiers, sentence) of each row."""
    found = []
    for number, line in enumerate(open(path), 1):
        m = re.fullmatch(r"(\w+)((?:\.[\w:]+)*)\s+\|\s+(\S.*\S)\s*", line)
        if m:
            found.append((m[1], frozenset(m[2].split(".")[1:]), m[2], m[3]))
        elif line.strip() and not line.startswith("#"):
            sys.exit(f"{path}:{number}: not OPCODE.MODIFIERS | a sentence")
    return found


def sentences_of_operations():
    """As read_semantics, of op.def."""
    text = open(sys.argv[1].replace("forms.txt", "op.def")).read()
    rows = re.findall(r'^OP\(\s*\w+,\s*"(\w+)([^"]*)"[^"]*"([^"]*)" \)', text, re.M)
    return [(opcode, frozenset(rest.split(".")[1:]), rest, what) for opcode, rest, what in rows if what]


semantics = sentences_of_operations() + read_semantics(sys.argv[1].replace("forms.txt", "semantics.txt"))
possible = [(f[0], {v for _, n in f[1] for v in groups.get(n, [n])}) for f in forms]
for opcode in opcodes:
    if not any(o == opcode and not m for o, m, _, _ in semantics):
        sys.exit(f"op.def: no sentence for '{opcode}'")
for opcode, needs, text, _ in semantics:
    if not any(o == opcode and needs <= p for o, p in possible):
        sys.exit(f"semantics.txt: no form for '{opcode}{text}'")


def semantic_row(opcode, text, sentence):
    """SemanticInfo initialiser."""
    needs = [str(at[v]) for v in text.split(".")[1:]]
    return f'{{ "{opcode}{text}", "{sentence}", {opcodes.index(opcode) + 1}, {len(needs)}, {{ {", ".join(needs) or 0} }} }}'


semantics.sort(key=lambda row: opcodes.index(row[0]))


def table(kind, name, entries):
    return f"const {kind} {name}[] = {{\n    " + ",\n    ".join(entries or ["{ 0 }"]) + "\n};\n"


with open(sys.argv[2], "w") as out:
    out.write("/* Generated from forms.txt and semantics.txt by gen_isa.py. */\n#include \"isa/isa.h\"\n\n")
    out.write(table("OpcodeInfo", "ptx_opcode_info", opcode_rows))
    out.write(f"const OpcodeId ptx_opcode_count = {len(opcode_rows)};\n")
    out.write(table("FormInfo", "ptx_form_info", form_rows))
    out.write(f"const FormId ptx_form_count = {len(form_rows)};\n")
    out.write(table("FormModifier", "ptx_form_modifiers", modifier_rows))
    out.write(table("FormOperand", "ptx_form_operands", operand_rows))
    out.write(table("char *const", "ptx_form_operand_names", [f'"{n}"' for n in operand_names]))
    out.write(table("RangeInfo", "ptx_range_info", ranges))
    out.write(table("GroupInfo", "ptx_group_info", [f"{{ {n}, {f}, {c} }}" for n, f, c in infos]))
    out.write("const uint16_t ptx_group_values[] = {\n    " + ", ".join(map(str, values)) + "\n};\n")
    out.write(table("GateInfo", "ptx_gate_info", [f"{{ {GATES.get(m) or at[m]}, {v}, {{ {sm}, {suffix} }} }}" for _, m, v, sm, suffix in gates]))
    order_of = {t: n for n, texts_of in enumerate(orders, 1) for t in texts_of}
    out.write(table("ModifierOrder", "ptx_modifier_order", [f"{{ {order_of.get(t, 0)}, {'true' if t in repeatable else 'false'} }}" for t in texts]))
    out.write(table("char *const", "ptx_modifier_texts", [f'"{t}"' for t in texts]))
    out.write(table("uint8_t", "ptx_modifier_ids", [modifier_ids.get(t, "MOD_NONE") for t in texts]))
    out.write(table("SemanticInfo", "ptx_semantic_info", [semantic_row(o, t, x) for o, _, t, x in semantics]))
    out.write(f"const uint16_t ptx_semantic_count = {len(semantics)};\n")
    out.write(f"const uint16_t ptx_modifier_count = {len(texts)};\n")
