#!/usr/bin/env python3
"""walk_isa.py -- walks the instruction table, writes instructions and mistakes in them, and asks ptxlint and ptxas about each.

    walk_isa.py --ptxlint build/ptxlint                     all rows, some mistakes each, a table of disagreements
    walk_isa.py ... --opcode ld,st --kind reg-width,plain   only these opcodes, only these kinds of mistake
    walk_isa.py ... --count 50000 --seed 7                  so many instructions, drawn with this seed
    walk_isa.py ... --max-miss 0.02                         exit 1 on any FALSE, or on more MISS than this share of what ptxas refuses
    walk_isa.py ... --no-ptxas                              only that ptxlint takes every unchanged form

FALSE: ptxas takes it, code generation included, and ptxlint calls it an error. MISS: ptxas refuses it already when it parses, and ptxlint
does not. The kind "plain" is the row as it is.
Instructions share modules, by .version and .target; a disagreement is asked again in a module of its own before it counts
(of ptxas only what it takes: it names the line of what it refuses).
Answers of ptxas are kept in a file (--cache), keyed by the text, its .version and .target. Python 3, standard library only.
Exit: 0 agreed, 1 not, 77 no ptxas (after the check of the unchanged forms), 2 usage."""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from walk_shapes import REGISTERS, coordinates, elements_of, register_of

HERE = os.path.dirname(os.path.abspath(__file__))
FORMS = os.path.join(HERE, "..", "src", "isa", "forms.txt")
VERSIONS = [10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 30, 31, 32, 40, 41, 42, 43, 50, 51, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75,
            76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90]
TARGETS = [10, 11, 12, 13, 20, 30, 32, 35, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121]
PER_MODULE = 40         # instructions a module
ROUNDS_MOST = 30        # times that ptxas is asked about one module, without the lines it has refused

Operand = collections.namedtuple("Operand", "role name type elements range optional pair pair_optional register negatable")
Form = collections.namedtuple("Form", "line text opcode modifiers operands version target until")
Insn = collections.namedtuple("Insn", "opcode modifiers operands version target form")
Case = collections.namedtuple("Case", "kind family insn text version target needs")


# ---- the table

def split_commas(text):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in parts + [text[start:]] if p.strip()]


def read_operand(text):
    optional, text = text.startswith("?"), text.lstrip("?")
    m = re.match(r"(\{!\})?(?:\{-\})?([=+]?)([%&$]*)(\[[^\]]*\]|[\w.-]+)(?::([\w.]+))?(?:\*([\w/]+))?(?:\(([\w./*-]+)\))?(?:\([\w./*-]+\))?(?:@\w+)?", text)
    if not m:
        sys.exit(f"walk_isa: operand '{text}'")
    pair = re.match(r"(\{?)\|([=+]?)(_|[\w.-]+)(?::([\w.]+))?\}?", text[m.end():])
    name = m[4].lstrip("_") or "_"
    return Operand(m[2], name, m[5], m[6], m[7], optional, pair and (pair[4] or "pred"), bool(pair and pair[1]), "%" in m[3], bool(m[1]))


def read_forms(path):
    """(groups, forms) of forms.txt."""
    groups, forms, until = {}, [], None
    for number, line in enumerate(open(path), 1):
        line = line.strip()
        m = re.fullmatch(r"#?until\s+(?:(sm_\d+)\s+or\s+)?(?:ptx\s+)?(\d+\.\d+)", line)
        if m:
            until = int(m[2].replace(".", ""))
        if not line:
            until = None
        m = re.fullmatch(r"group\s+([\w.:-]+)\s*=\s*(.*)", line)
        if m:
            groups[m[1]] = [v.lstrip(".") for v in m[2].split()]
        elif line.count("|") >= 4 and not line.startswith("#"):
            cells = [c.strip() for c in re.split(r"\s\|\s", " " + line.replace(" | ", "  |  ") + " ")]
            if len(cells) != 5:
                cells = [c.strip() for c in re.split(r"\s+\|\s*", line)]
            opcode = re.match(r"\w+", cells[0])[0]
            modifiers = [(n, bool(b)) for b, n in re.findall(r"(\{)?\.([\w:]+)\}?", cells[0][len(opcode):])]
            if opcode == "call" or int(cells[2].replace(".", "")) > VERSIONS[-1]:
                continue                    # no ptxas here takes it
            text = re.sub(r"\{\s*,\s*([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", r", ?\1", cells[1])
            operands = [read_operand(o) for o in split_commas(text)]
            forms.append(Form(number, cells[0] + cells[3], opcode, modifiers, operands, int(cells[2].replace(".", "")), cells[3], until))
    return groups, forms


# ---- one instruction of a form

def type_of(form, operand, chosen, own):
    if operand.type in chosen:
        return chosen[operand.type]
    return operand.type or own


def number_for(operand, rng):
    """A number that the row allows."""
    if operand.range:
        m = re.fullmatch(r"(-?\w+)(?:\.\.(-?\w+)(?:([/*])(\d+))?)?", operand.range)
        low, high, step = int(m[1], 0), int(m[2] or m[1], 0), int(m[4] or 1)
        if m[3] == "*":
            return str(rng.choice([low, high]))
        return str(rng.choice([low, high, low + step * rng.randrange((high - low) // step + 1)]))
    return None


SYMBOLS = {"global": "gm", "shared": "sm", "const": "cm", "local": "lm"}


def space_of(opcode, modifiers, name):
    spaces = [m for m in modifiers if m.split("::")[0] in ("global", "shared", "const", "local", "param")]
    if opcode in ("cp", "multimem") and len(spaces) > 1 and name in ("srcMem", "src", "tensorMap"):
        return spaces[-1].split("::")[0]
    return spaces[0].split("::")[0] if spaces else ""


def address(form_opcode, modifiers, name, version, rng):
    """An address that fits the state space of the modifiers."""
    wide = "%rd" if version >= 23 else "%r"
    if form_opcode == "tcgen05" and name in ("taddr", "d-tmem", "a-tmem", "sp-meta-tmem", "scale-A", "scale-B"):
        return f"[%r{rng.randrange(1, 4)}]"
    space = space_of(form_opcode, modifiers, name)
    if name in ("mbar",) or form_opcode in ("ldmatrix", "stmatrix") or (form_opcode == "mbarrier" and "cluster" not in " ".join(modifiers)):
        space = "shared"
    if name == "dst" and form_opcode == "tcgen05":
        space = "shared"
    if space == "param":
        return "[p0]" if form_opcode == "ld" and "param::func" not in modifiers else f"[{wide}1]"
    choice = rng.random()
    if space in SYMBOLS and choice < 0.3:
        return f"[{SYMBOLS[space]}]" if choice < 0.2 else f"[{SYMBOLS[space]}+16]"
    if choice < 0.8:
        return f"[{wide}{rng.randrange(1, 4)}]"
    return f"[{wide}{rng.randrange(1, 4)}+{rng.choice([16, 32, 64])}]"


def texture(form, modifiers, rng):
    """The brackets of texture and surface instructions."""
    if form.opcode in ("suld", "sust", "sured"):
        return "[suf0, {%s}]" % ", ".join(coordinates(form.opcode, modifiers))
    return "[tex0, {%s}]" % ", ".join(coordinates(form.opcode, modifiers))


def one_operand(form, operand, chosen, modifiers, own, version, rng):
    name = operand.name.strip("[]")
    if operand.name.startswith("["):
        if name in ("a, c", "a, b"):
            return texture(form, modifiers, rng)
        if name == "tensorMap, coords":
            return "[%%rd3, {%s}]" % ", ".join(coordinates(form.opcode, modifiers))
        if form.opcode in ("txq",):
            return "[tex0]"
        if form.opcode == "suq":
            return "[suf0]"
        return address(form.opcode, modifiers, name, version, rng)
    if name == "_":
        return "_"
    kind = type_of(form, operand, chosen, own)
    number = number_for(operand, rng)
    if kind == "label":
        return "BT" if form.opcode == "brx" else "L1"
    if kind == "imm":
        return number or immediate(form, name, modifiers, rng)
    count = elements_of(form.opcode, modifiers, name, operand.elements, kind, rng)
    if number and count is None and not operand.register and not operand.role and rng.random() < 0.3:
        return number
    register = register_of(form.opcode, modifiers, name, kind)
    if count is None:
        text = f"%{register}{rng.randrange(1, 6)}"
    else:
        text = "{" + ", ".join(f"%{register}{i + 1}" for i in range(count)) + "}"
    if operand.pair and (not operand.pair_optional or rng.random() < 0.4):
        text += "|%p3"
    return text


def immediate(form, name, modifiers, rng):
    if form.opcode == "cp" and name == "cp-size":
        return "16" if "cg" in modifiers else rng.choice(["4", "8", "16"])
    if form.opcode == "setmaxnreg":
        return str(8 * rng.randrange(3, 33))
    if form.opcode in ("discard", "applypriority", "fence", "tensormap") and name == "size":
        return "128"
    if name in ("imm-scale-a", "imm-scale-b"):
        return rng.choice(["1", "-1"])
    if name == "immAlign":
        return "16"
    if name == "initval":
        return "0"
    if form.opcode == "mma" and name == "f":
        return "0"
    return "1" if name.startswith("imm") or name == "N" else "0"


def one_form(form, groups, rng, all_optional=None):
    """An instruction of this row."""
    modifiers, chosen = [], {}
    for name, optional in form.modifiers:
        if optional and rng.random() < 0.6:
            continue
        value = rng.choice(groups[name]) if name in groups else name
        chosen.setdefault(name, value)
        modifiers.append(value)
    version = min(90, form.until or 90)
    independent = form.opcode in ("tex", "tld4", "txq") and rng.random() < 0.4
    typed = [m for m in modifiers if m in REGISTERS]
    own = typed[-1] if typed else "b32"
    operands = []
    for operand in form.operands:
        if operand.optional and rng.random() < 0.5:
            continue
        operands.append(one_operand(form, operand, chosen, modifiers, own, version, rng))
    if independent:
        sampler = form.opcode == "txq" and "txqsampler" in chosen
        operands = [o.replace("[tex0,", "[tex0, smp0,").replace("[tex0]", "[smp0]" if sampler else "[tex0]") for o in operands]
    return Insn(form.opcode, modifiers, operands, version, form.target + (", texmode_independent" if independent else ""), form)


# ---- mistakes

def replace_at(sequence, i, value):
    return sequence[:i] + [value] + sequence[i + 1:]


TOKEN = re.compile(r"%[a-z]+\d+")
WIDTHS = {"b8": ["rb"], "b16": ["rs", "us", "ss", "h"], "b32": ["r", "u", "i", "f", "hh"], "b64": ["rd", "ud", "sd", "fd"], "b128": ["rq"]}
WIDTH_OF = {r: w for w, rs in WIDTHS.items() for r in rs}
TYPES = [t for t in "u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 b32 b64 b128 f16 f16x2 bf16 bf16x2 f32 f64 pred tf32 e4m3x2 f32x2 u16x2".split()]


def pick_register(insn, rng):
    """(operand, match) of one register of it; None if there is none."""
    places = [(i, m) for i, o in enumerate(insn.operands) for m in TOKEN.finditer(o)]
    return rng.choice(places) if places else None


def put(insn, place, text):
    i, m = place
    o = insn.operands[i]
    return insn._replace(operands=replace_at(insn.operands, i, o[:m.start()] + text + o[m.end():]))


def with_register(choose):
    def change(insn, groups, rng):
        place = pick_register(insn, rng)
        if not place:
            return None
        name = place[1][0]
        text = choose(re.match(r"%[a-z]+", name)[0][1:], name, rng)
        return text and put(insn, place, text)
    return change


def other_width(kind, name, rng):
    return "%" + rng.choice(WIDTHS[rng.choice([w for w in WIDTHS if w != WIDTH_OF.get(kind)])]) + "2"


def same_width(kind, name, rng):
    return kind in WIDTH_OF and "%" + rng.choice(WIDTHS[WIDTH_OF[kind]]) + "2"


def modifier_drop(insn, groups, rng):
    if not insn.modifiers:
        return None
    i = rng.randrange(len(insn.modifiers))
    return insn._replace(modifiers=insn.modifiers[:i] + insn.modifiers[i + 1:])


def modifier_swap(insn, groups, rng):
    if len(insn.modifiers) < 2:
        return None
    i, j = rng.sample(range(len(insn.modifiers)), 2)
    m = list(insn.modifiers)
    m[i], m[j] = m[j], m[i]
    return insn._replace(modifiers=m)


def modifier_repeat(insn, groups, rng):
    if not insn.modifiers:
        return None
    m = list(insn.modifiers)
    m.insert(rng.randrange(len(m) + 1), rng.choice(m))
    return insn._replace(modifiers=m)


def modifier_misspell(insn, groups, rng):
    if not insn.modifiers:
        return None
    i = rng.randrange(len(insn.modifiers))
    m = insn.modifiers[i]
    k = rng.randrange(len(m))
    return insn._replace(modifiers=replace_at(insn.modifiers, i, rng.choice([m[:k] + m[k + 1:] or "x", m[:k] + "q" + m[k:], m.swapcase(), m + "1"])))


def modifier_other(insn, groups, rng):
    """Another value at this place: of the same group, or of another place of the opcode."""
    if not insn.modifiers:
        return None
    i = rng.randrange(len(insn.modifiers))
    homes = [g for g in groups.values() if insn.modifiers[i] in g]
    pool = rng.choice(homes) if homes and rng.random() < 0.7 else ALL_MODIFIERS[insn.opcode]
    return insn._replace(modifiers=replace_at(insn.modifiers, i, rng.choice(pool)))


def modifier_add(insn, groups, rng):
    m = list(insn.modifiers)
    m.insert(rng.randrange(len(m) + 1), rng.choice(ALL_MODIFIERS[insn.opcode]))
    return insn._replace(modifiers=m)


def type_other(insn, groups, rng):
    places = [i for i, m in enumerate(insn.modifiers) if m in REGISTERS]
    return places and insn._replace(modifiers=replace_at(insn.modifiers, rng.choice(places), rng.choice(TYPES)))


def operand_drop(insn, groups, rng):
    if not insn.operands:
        return None
    i = rng.randrange(len(insn.operands))
    return insn._replace(operands=insn.operands[:i] + insn.operands[i + 1:])


def operand_add(insn, groups, rng):
    o = list(insn.operands)
    o.insert(rng.choice([len(o), rng.randrange(len(o) + 1)]), rng.choice(["%r4", "%rd4", "%p4", "1", "0", "%f2", "{%r1, %r2}", "[%rd2]", "%rs3"] + o))
    return insn._replace(operands=o)


def operand_swap(insn, groups, rng):
    if len(insn.operands) < 2:
        return None
    i, j = rng.sample(range(len(insn.operands)), 2)
    o = list(insn.operands)
    o[i], o[j] = o[j], o[i]
    return insn._replace(operands=o)


def vector_size(insn, groups, rng):
    """A vector gets or loses elements, or a bare operand gets braces."""
    if not insn.operands:
        return None
    i = rng.randrange(len(insn.operands))
    o = insn.operands[i]
    m = re.search(r"\{([^{}]*)\}", o)
    if not m:
        t = TOKEN.search(o)
        return t and put(insn, (i, t), "{" + ", ".join([t[0]] * rng.choice([1, 2, 3, 4, 8])) + "}")
    parts = [p.strip() for p in m[1].split(",")]
    n = rng.choice([k for k in (1, 2, 3, 4, 5, 6, 8, len(parts) - 1, len(parts) + 1, 2 * len(parts)) if 0 < k < 200])
    new = [parts[k % len(parts)] for k in range(n)]
    text = "{" + ", ".join(new) + "}" if rng.random() < 0.85 else parts[0]
    return insn._replace(operands=replace_at(insn.operands, i, o[:m.start()] + text + o[m.end():]))


def brackets(insn, groups, rng):
    if not insn.operands:
        return None
    i = rng.randrange(len(insn.operands))
    o = insn.operands[i]
    return insn._replace(operands=replace_at(insn.operands, i, o[1:-1] if o.startswith("[") and o.endswith("]") else "[" + o + "]"))


def address_form(insn, groups, rng):
    places = [i for i, o in enumerate(insn.operands) if re.fullmatch(r"\[[^{}\[\],]*\]", o)]
    new = ["[%r1]", "[%rd1]", "[%rd1+8]", "[%rd1+-8]", "[%r2+4]", "[gm]", "[gm+8]", "[sm+8]", "[sm]", "[cm]", "[lm]", "[p0]", "[16]", "[0]", "[%rd1+%rd2]",
           "[%f1]", "[%rs1]", "[%p1]", "[gm+%rd1]", "[%u1]", "[%i1]", "[%ud1]", "[%sd1]", "[%fd1]", "[-8]", "[%rd1-8]", "[%rd1+5000000000]", "[L1]", "[tex0]",
           "[%rb1]", "[%rq1]", "[k]", "[gm-4]"]
    return places and insn._replace(operands=replace_at(insn.operands, rng.choice(places), rng.choice(new)))


def older_version(insn, groups, rng):
    """The version before the row's own."""
    v = insn.form.version
    earlier = [x for x in VERSIONS if 23 <= x < v]
    return earlier and insn._replace(version=rng.choice([earlier[-1], earlier[-1], rng.choice(earlier)]))


def older_target(insn, groups, rng):
    m = re.match(r"sm_(\d+)([af]?)", insn.target)
    earlier = [t for t in TARGETS if t < int(m[1])]
    if m[2] and rng.random() < 0.4:
        return insn._replace(target=f"sm_{m[1]}")
    return earlier and insn._replace(target=f"sm_{rng.choice([earlier[-1], earlier[-1], rng.choice(earlier)])}")


def newer_target(insn, groups, rng):
    """A target that serves the row, or another family of it."""
    return insn._replace(target=rng.choice(["sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_103a", "sm_110f", "sm_110a", "sm_120", "sm_120a", "sm_120f", "sm_121a"]))


KINDS = {
    "plain": lambda insn, groups, rng: insn,
    "mod-drop": modifier_drop, "mod-swap": modifier_swap, "mod-repeat": modifier_repeat, "mod-misspell": modifier_misspell,
    "mod-other": modifier_other, "mod-add": modifier_add, "type-other": type_other,
    "reg-width": with_register(other_width), "reg-type": with_register(same_width),
    "reg-float": with_register(lambda k, n, rng: "%" + rng.choice(["f", "fd", "h", "hh"]) + "3"),
    "reg-pred": with_register(lambda k, n, rng: "%p2" if k != "p" else rng.choice(["%r2", "%rs2", "%rb2", "%f1"])),
    "reg-other": with_register(lambda k, n, rng: rng.choice(["%tid.x", "%tid", "%clock64", "gm", "sm", "p0", "L1", "tex0", "k", "WARP_SZ", "%laneid", "%envreg0", "fn0"])),
    "number": with_register(lambda k, n, rng: rng.choice(["0", "1", "2", "7", "31", "32", "127", "255", "-1", "64"])),
    "number-big": with_register(lambda k, n, rng: rng.choice(["4294967295", "4294967296", "18446744073709551615", "-9000000000", "65536", "2147483648", "-2147483649", "-40000"])),
    "number-float": with_register(lambda k, n, rng: rng.choice(["1.0", "0f3F800000", "0d3FF0000000000000", "-1.5", "1e300"])),
    "number-value": lambda insn, groups, rng: number_value(insn, rng),
    "operand-drop": operand_drop, "operand-add": operand_add, "operand-swap": operand_swap, "vector-size": vector_size,
    "brackets": brackets, "address": address_form, "old-version": older_version, "old-target": older_target, "other-target": newer_target,
    "sink": with_register(lambda k, n, rng: "_"),
    "minus": with_register(lambda k, n, rng: "-" + n), "not": with_register(lambda k, n, rng: "!" + n),
    "selector": with_register(lambda k, n, rng: n + rng.choice([".x", ".b0", ".h0", ".y", ".h10", ".lo"])),
    "pair": with_register(lambda k, n, rng: n + rng.choice(["|%p2", "|_", "|%r2"])),
    "spelling": lambda insn, groups, rng: insn._replace(opcode=rng.choice([insn.opcode + "x", insn.opcode[:-1] or "q", insn.opcode.upper()])),
}


def number_value(insn, rng):
    """Another number where one stands."""
    places = [(i, m) for i, o in enumerate(insn.operands) for m in re.finditer(r"(?<![\w%.])-?\d+(?!\w)", o)]
    new = rng.choice(["0", "1", "-1", "2", "3", "4", "8", "16", "17", "31", "32", "63", "100", "128", "255", "256", "1000", "70000", "1.0", "4294967296", "%r1", "0x7"])
    return places and put(insn, rng.choice(places), new)


# ---- modules

DECLARATIONS = {"gm": ".global .align 128 .b8 gm[4096];", "sm": ".shared .align 128 .b8 sm[4096];", "cm": ".const .align 16 .b8 cm[4096];",
                "tex0": ".global .texref tex0;", "smp0": ".global .samplerref smp0;", "suf0": ".global .surfref suf0;", "fn0": ".func fn0 () { ret; }"}
RISKY = ("rq", "rb", "h", "hh", "tex0", "smp0", "suf0")    # declared only where used: older versions and targets refuse them


def needs_of(text):
    words = set(re.findall(r"%([a-z]+)\d+|\b(gm|sm|cm|tex0|smp0|suf0|fn0)\b", text))
    return frozenset(a or b for a, b in words if (a or b) in RISKY or b == "fn0")


def write_insn(insn):
    text = ".".join([insn.opcode] + list(insn.modifiers))
    return (text + " " + ", ".join(insn.operands)).strip() + ";"


def module_text(version, target, lines):
    """(text, number of the first instruction line). Every line holds one instruction."""
    used = {w for l in lines for pair in re.findall(r"%([a-z]+)\d+|\b(gm|sm|cm|lm|BT|tex0|smp0|suf0|fn0)\b", l) for w in pair if w}
    out = [f".version {version // 10}.{version % 10}", f".target {target}"]
    out += [".address_size 64"] if version >= 23 else []
    out += [DECLARATIONS[n] for n in DECLARATIONS if n in used]
    out += [".entry k (.param .u64 p0)" if version >= 14 else ".entry k", "{"]
    for r in sorted(used & set(REGISTER_TYPES)):
        highest = max(int(n) for l in lines for n in re.findall(rf"%{r}(\d+)", l))
        out.append(f".reg {REGISTER_TYPES[r]} %{r}<{highest + 1}>;")
    out += [".local .align 16 .b8 lm[4096];"] if "lm" in used else []
    out += ["L1:"] + (["BT: .branchtargets L1;"] if "BT" in used else [])
    first = len(out) + 1
    return "\n".join(out + list(lines) + ["ret;", "}", ""]), first


REGISTER_TYPES = {"p": ".pred", "rb": ".b8", "rs": ".b16", "us": ".u16", "ss": ".s16", "h": ".f16", "r": ".b32", "u": ".u32", "i": ".s32", "f": ".f32",
                  "hh": ".f16x2", "rd": ".b64", "ud": ".u64", "sd": ".s64", "fd": ".f64", "rq": ".b128"}


# ---- the two judges

class Ptxas:
    """Answers of ptxas: True if it takes the instruction, and the first message."""

    def __init__(self, path, cache, jobs):
        self.path, self.cache_path, self.jobs, self.known, self.asked = path, cache, jobs, {}, 0
        if cache and os.path.exists(cache):
            for line in open(cache, errors="replace"):
                parts = line.rstrip("\n").split("\t")
                if len(parts) == 3:
                    self.known[parts[0]] = (parts[1] == "1", parts[2])

    @staticmethod
    def key(case):
        return hashlib.sha1(ident(case).encode()).hexdigest()[:20]

    def run(self, version, target, lines, compiles=False):
        """{index: message} of the lines refused; -1 for what belongs to none of them. compiles: code generation has its say too."""
        text, first = module_text(version, target, lines)
        sm = re.match(r"sm_(\d+)([af]?)", target)
        arch = f"{'sm' if compiles else 'compute'}_{max(75, int(sm[1]))}{sm[2]}"
        with tempfile.NamedTemporaryFile("w", suffix=".ptx", dir=SCRATCH) as f:
            f.write(text)
            f.flush()
            p = subprocess.run([self.path, "-arch=" + arch, "-o", "/dev/null", f.name], capture_output=True, text=True, errors="replace")
        self.asked += 1
        bad = {}
        for line, message in re.findall(r"line (\d+); (?:error|fatal)\s*:\s*(.*)", p.stdout + p.stderr):
            i = int(line) - first
            bad.setdefault(i if 0 <= i < len(lines) else -1, message)
        bad = {i: re.sub(r"^ptxas .*?; ", "", m) for i, m in bad.items()}
        if p.returncode and not bad:
            bad[-1] = re.sub(r"^ptxas \S+, ", "", (p.stdout + p.stderr).strip().split("\n")[0])
        return bad

    def ask_group(self, cases):
        """Takes away what is refused until the rest is taken, or each alone where that does not end."""
        rest, answers = list(cases), {}
        for _ in range(ROUNDS_MOST):
            if not rest:
                break
            bad = self.run(rest[0].version, rest[0].target, [c.text for c in rest])
            if not bad:
                answers.update({self.key(c): (True, "") for c in rest})
                rest = []
                break
            taken = {i for i in bad if i >= 0}
            if not taken:
                break
            answers.update({self.key(rest[i]): (False, bad[i]) for i in taken})
            rest = [c for i, c in enumerate(rest) if i not in taken]
        for c in rest:
            answers.update(self.ask_alone(c))
        return answers

    def ask_alone(self, case):
        bad = self.run(case.version, case.target, [case.text])
        return {self.key(case): (not bad, next(iter(bad.values())) if bad else "")}

    def compile(self, cases):
        """Asks code generation about cases that parse, and keeps its answer."""
        todo = [c for c in cases if self.key(c) + "!!" not in self.known]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            found = list(pool.map(lambda c: self.run(c.version, c.target, [c.text], True), todo))
        self.keep({self.key(c) + "!!": (not bad, "" if not bad else "(code generation) " + next(iter(bad.values()))) for c, bad in zip(todo, found)})
        return {ident(c): self.known[self.key(c) + "!!"] for c in cases}

    def keep(self, answers):
        self.known.update(answers)
        with open(self.cache_path or os.devnull, "a") as out:
            for k, (ok, message) in answers.items():
                out.write(f"{k}\t{int(ok)}\t{message.replace(chr(9), ' ')}\n")

    def ask(self, cases, alone=False):
        todo = {self.key(c): c for c in cases if self.key(c) + "!" * alone not in self.known}
        groups = [[c] for c in todo.values()] if alone else group_cases(todo.values())
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for n, answers in enumerate(pool.map(self.ask_group, groups)):
                answers.update({k + "!": v for k, v in answers.items() if alone})
                self.keep(answers)
                if VERBOSE and n % 200 == 199:
                    print(f"walk_isa: ptxas {n + 1} of {len(groups)} modules", file=sys.stderr)
        return {ident(c): self.known[self.key(c)] for c in cases}


def group_cases(cases, size=PER_MODULE):
    """Cases of one .version, .target and one set of declarations, at most size together."""
    by = collections.defaultdict(list)
    for c in cases:
        by[(c.version, c.target, c.needs)].append(c)
    return [g[i:i + size] for g in by.values() for i in range(0, len(g), size)]


def ask_ptxlint(path, groups, jobs):
    """{(group, index): [message]} of the errors; a group is a module."""
    wrong = collections.defaultdict(list)
    with tempfile.TemporaryDirectory(dir=SCRATCH) as d:
        firsts = []
        for n, g in enumerate(groups):
            text, first = module_text(g[0].version, g[0].target, [c.text for c in g])
            firsts.append(first)
            with open(f"{d}/{n}.ptx", "w") as f:
                f.write(text)
        for start in range(0, len(groups), 200):
            files = [f"{d}/{n}.ptx" for n in range(start, min(start + 200, len(groups)))]
            p = subprocess.run([path, "--only", "syntax", "--format", "jsonl", "--no-config", "--jobs", str(jobs), *files], capture_output=True, text=True)
            if p.returncode not in (0, 1):
                sys.exit(f"walk_isa: ptxlint ended with {p.returncode}: {p.stderr[:400]}")
            for line in p.stdout.splitlines():
                d_ = json.loads(line)
                if d_.get("severity") == "error":
                    n = int(os.path.basename(d_["path"])[:-4])
                    wrong[(n, d_["line"] - firsts[n])].append(d_["rule"] + " " + d_["message"])
    return wrong


# ---- the walk

FAMILY_BY_TWO = ("cp", "tcgen05", "mbarrier", "wgmma", "wmma", "multimem", "tensormap", "clusterlaunchcontrol")


def make_case(kind, insn):
    family = insn.opcode if kind != "spelling" else insn.form.opcode
    if insn.form.opcode in FAMILY_BY_TWO and insn.form.modifiers:
        family = insn.form.opcode + "." + insn.form.modifiers[0][0]
    text = write_insn(insn)
    return Case(kind, family, insn, text, insn.version, insn.target, needs_of(text))


def draw(forms, groups, kinds, count, seed):
    """count different cases, the rows in turn."""
    rng = random.Random(seed)
    cases, seen, misses, turn = [], set(), 0, 0
    order = list(forms)
    while len(cases) < count and misses < 20 * len(order) + 1000:
        rng.shuffle(order)
        turn += 1
        for form in order:
            own = random.Random(f"{seed} {turn} {form.text}")       # a row that changes leaves the others' cases alone
            kind = own.choice(kinds)
            insn = one_form(form, groups, own)
            changed = KINDS[kind](insn, groups, own)
            case = make_case(kind, changed) if changed else None
            if not case or (case.text, case.version, case.target) in seen:
                misses += 1
                continue
            seen.add((case.text, case.version, case.target))
            cases.append(case)
            if len(cases) >= count:
                break
    return cases


def ident(case):
    return f"{case.version} {case.target} {case.text}"


def lint(cases, args, size):
    """{ident: messages}: of the line, or of the module where each case has one of its own."""
    groups = group_cases(cases, size)
    wrong = ask_ptxlint(args.ptxlint, groups, args.jobs)
    whole = collections.defaultdict(list)
    for (n, _), messages in wrong.items():
        whole[n] += messages
    return {ident(c): whole[n] if size == 1 else wrong.get((n, i), []) for n, g in enumerate(groups) for i, c in enumerate(g)}


def judge(cases, ptxas, args):
    """[(case, taken by ptxas, message of ptxas, our messages)]; the cases where the two disagree are asked alone."""
    theirs = ptxas.ask(cases)
    ours = lint(cases, args, PER_MODULE)
    disagree = lambda c: theirs[ident(c)][0] == bool(ours[ident(c)])
    ours.update(lint([c for c in cases if disagree(c)], args, 1))
    theirs.update(ptxas.ask([c for c in cases if disagree(c) and theirs[ident(c)][0]], alone=True))
    theirs.update(ptxas.compile([c for c in cases if disagree(c) and theirs[ident(c)][0]]))
    return [(c, *theirs[ident(c)], ours[ident(c)]) for c in cases]


def report(results, args):
    """Prints the table. Returns (falses, misses, refused)."""
    by, totals = collections.defaultdict(list), collections.Counter()
    for c, taken, message, ours in results:
        kind = "FALSE" if taken and ours else "MISS" if not taken and not ours else None
        totals["taken" if taken else "refused"] += 1
        totals[c.kind + (" taken" if taken else " refused")] += 1
        if kind:
            totals[kind] += 1
            totals[c.kind + " " + kind] += 1
            by[(kind, c.kind, c.family)].append((c, message, ours))
    print(f"{len(results)} instructions: ptxas takes {totals['taken']} and refuses {totals['refused']}; FALSE {totals['FALSE']}, MISS {totals['MISS']}")
    print(f"\n{'kind':<14}{'taken':>8}{'refused':>9}{'FALSE':>7}{'MISS':>7}")
    for k in KINDS:
        if totals[k + " taken"] + totals[k + " refused"]:
            print(f"{k:<14}{totals[k + ' taken']:>8}{totals[k + ' refused']:>9}{totals[k + ' FALSE']:>7}{totals[k + ' MISS']:>7}")
    for (what, kind, family), found in sorted(by.items(), key=lambda t: (t[0][0], -len(t[1]), t[0])):
        print(f"\n{what} {kind} {family}: {len(found)}")
        for c, message, ours in found[:args.examples]:
            print(f"    {c.version / 10:.1f} {c.target[:7]:<7}{'i' * ('independent' in c.target)} {c.text[:200]}   ## {(ours[0] if ours else message)[:150]}")
    return totals["FALSE"], totals["MISS"], totals["refused"]


def check_plain(cases, args, ptxas):
    """Counts the unchanged forms that ptxlint refuses, of those that ptxas takes where it is there. At sm_90 or above: a row may need
    more than its target with some of its modifiers."""
    at = lambda t: "sm_90" + t[t.find(","):] * ("," in t) if int(re.match(r"sm_(\d+)", t)[1]) < 90 else t
    cases = [make_case("plain", c.insn._replace(target=at(c.target))) for c in cases if not c.insn.form.until]
    wrong = lint(cases, args, PER_MODULE)
    wrong = lint([c for c in cases if wrong[ident(c)]], args, 1)
    bad = [c for c in cases if wrong.get(ident(c))]
    taken = ptxas.ask(bad) if ptxas else {}
    bad = [c for c in bad if (taken[ident(c)][0] if ptxas else not wrong[ident(c)][0].startswith(GATES))]
    for c in bad[:args.examples * 10]:
        print(f"FALSE plain {c.family}: {ident(c)}   ## {wrong[ident(c)][0]} (forms.txt:{c.insn.form.line})")
    print(f"{len(cases)} unchanged forms: ptxlint refuses {len(bad)}")
    return len(bad)


GATES = ("SYN405", "SYN406")        # without ptxas: families differ in details of what their rows share


def find_ptxas():
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    return shutil.which("ptxas") or (os.access(home + "/bin/ptxas", os.X_OK) and home + "/bin/ptxas") or None


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--ptxlint", required=True)
    p.add_argument("--forms", default=FORMS)
    p.add_argument("--count", type=int, default=5000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--opcode", help="only these, with commas")
    p.add_argument("--kind", help="only these, with commas: " + " ".join(KINDS))
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ptxlint-walk.tsv"))
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--examples", type=int, default=3, help="of each class")
    p.add_argument("--max-miss", type=float, help="largest share of the refused that may be missed")
    p.add_argument("--no-ptxas", action="store_true")
    p.add_argument("--verbose", action="store_true")
    return p.parse_args()


def main():
    args = arguments()
    global SCRATCH, VERBOSE, ALL_MODIFIERS
    SCRATCH, VERBOSE = ("/dev/shm" if os.path.isdir("/dev/shm") else None), args.verbose
    groups, forms = read_forms(args.forms)
    ALL_MODIFIERS = collections.defaultdict(list)
    for f in forms:
        ALL_MODIFIERS[f.opcode] += [v for n, _ in f.modifiers for v in groups.get(n, [n]) if v not in ALL_MODIFIERS[f.opcode]]
    for v in ALL_MODIFIERS.values():
        v.append("u32")
    chosen = [f for f in forms if not args.opcode or f.opcode in args.opcode.split(",")]
    kinds = args.kind.split(",") if args.kind else list(KINDS)
    if not chosen or any(k not in KINDS for k in kinds):
        sys.exit("walk_isa: no such opcode or kind")
    plain = draw(chosen, groups, ["plain"], min(len(chosen), args.count), args.seed)
    path = None if args.no_ptxas else find_ptxas()
    if path and args.cache:
        os.makedirs(os.path.dirname(args.cache) or ".", exist_ok=True)
    ptxas = Ptxas(path, args.cache, args.jobs) if path else None
    failed = check_plain(plain, args, ptxas)
    if not path:
        if not args.no_ptxas:
            print(f"no ptxas: {args.count} instructions not compared")
        sys.exit(1 if failed else 0 if args.no_ptxas else 77)
    cases = draw(chosen, groups, kinds, args.count, args.seed)
    false, miss, refused = report(judge(cases, ptxas, args), args)
    print(f"\nptxas was run {ptxas.asked} times")
    if args.max_miss is not None:
        sys.exit(1 if failed or false or miss > args.max_miss * max(1, refused) else 0)


if __name__ == "__main__":
    main()
