#!/usr/bin/env python3
"""What an instruction does is decoded once, in src/isa (op.def, modifier.def): no later stage compares words of instructions.

Looked for above src/isa: the text of an opcode, of a modifier or of an Op in a comparison, a letter of one, and a word of an instruction in a
comparison. Files that show words in messages, or find the nearest one to a slip, may name the tables so often as ALLOWED says, and no more often.
"""
import re

from tree import ROOT, finish, name, read, sources

COMPARISON = re.compile(r"\b(?:strcmp|strncmp|memcmp|strstr|bsearch)\s*\(")
TABLE = re.compile(r"\bptx_(?:opcode_info\[[^;]*?\]\s*\.text|modifier_texts)\b|\b(?:op->|op\.)text\["
                   r"|\bptx_(?:opcode|modifier)_find\s*\(|\b(?:strcmp|strncmp|memcmp|bsearch)\s*\([^;]*?\bop(?:->|\.)text\b")
# Messages, suggestions, the reference of instructions and the language of rules, which work on words.
ALLOWED = {
    "src/check/check_form.c": 9,           # messages
    "src/check/explain.c": 4,              # the nearest word
    "src/ir/normal.c": 1,               # statements that are compared as texts
    "src/resolve/insn.c": 1,            # one Op per distinct text
    "src/parser/parser.c": 1,           # before there is an Op
    "src/rules/lang/type.c": 3,         # patterns of the rules' language
    "src/rules/lang/fact.c": 1,
    "src/api/isa.c": 3,                 # ptxlint isa
    "src/api/isa_rates.c": 2,
}
WRITTEN = {"src/analysis/race/hazard_text.c": 2}      # the text of a barrier that ptxlint itself proposes
STAGES = ("gpu", "lexer", "parser", "ir", "analysis", "warp", "estimate")


def words():
    """Words of instructions: those of op.def and modifier.def."""
    rows = re.findall(r'^(?:OP|MD)\(\s*\w+,\s+"([^"]+)"', read(ROOT / "src/isa/op.def") + read(ROOT / "src/isa/modifier.def"), re.M)
    return {word for row in rows for word in row.split(".")}


def without_comments(text):
    return re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def is_instruction(literal, known):
    """"cp.async.bulk", "wmma.store ", "add"."""
    first = literal.split(" ")[0].strip(".")
    return bool(first) and all(part in known for part in first.split("."))


def compared(line, known):
    """Literals of a comparison that name an instruction or a modifier."""
    return [s for s in re.findall(r'"([^"\\]*)"', line) if is_instruction(s, known)] if COMPARISON.search(line) else []


def check(path, known):
    where, text = name(path), without_comments(read(path))
    stage = path.relative_to(ROOT / "src").parts[0]
    problems = []
    named = len(TABLE.findall(text))
    if named > ALLOWED.get(where, 0):
        problems.append(f"{where}: words of instructions {named} times, {ALLOWED.get(where, 0)} are allowed; op.def and modifier.def say what they mean")
    if named < ALLOWED.get(where, 0):
        problems.append(f"{where}: words of instructions {named} times; lower the number in tests/house/check-operations.py")
    if stage not in STAGES and not where.startswith("src/rules/facts/"):
        return problems
    found = [(number, word) for number, line in enumerate(text.splitlines(), 1) for word in compared(line, known)]
    if len(found) > WRITTEN.get(where, 0):
        problems += [f"{where}:{number}: compared with \"{word}\"; switch on Operation, or ask ptx_op_has" for number, word in found]
    return problems


def check_used(code):
    """Every modifier of modifier.def is one that code asks for."""
    ids = re.findall(r"^MD\(\s*(\w+),", read(ROOT / "src/isa/modifier.def"), re.M)
    used = set(re.findall(r"\bMOD_(\w+)", code))
    first, last = ids.index("EQ"), ids.index("NAN")         # by their order
    return [f"src/isa/modifier.def: none asks for MOD_{i}" for i in ids if i not in used and not first <= ids.index(i) <= last]


known_words = words()
later = [p for p in sources({".c", ".h", ".re", ".y"}, "src") if p.relative_to(ROOT / "src").parts[0] not in ("isa", "support")]
everything = "".join(without_comments(read(p)) for p in sources({".c", ".h", ".def"}, "src") if p.name != "modifier.def")
finish([p for path in later for p in check(path, known_words)] + check_used(everything))
