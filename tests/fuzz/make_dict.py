#!/usr/bin/env python3
"""make_dict.py SRC/ISA OUT -- a libFuzzer dictionary from the instruction tables. Run by meson.

The opcodes and modifiers of forms.txt, the special registers, and the words and shapes of PTX that no table has.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from isa_words import DIRECTIVES, read_forms, read_sregs

SHAPES = [
    ".version 9.0\n", ".target sm_90a\n", ".target sm_100f, debug\n", ".address_size 64\n", ".entry k()\n{\n", "}\n", "};\n",
    ".reg .b32 %r<9>;\n", ".reg .pred %p<9>;\n", ".reg .v4 .f32 %v;\n", ".shared .align 4 .b8 s[8];\n", ".global .b32 g[2] = {1, 2};\n",
    "@%p1 ", "@!%p1 ", "bra L;\n", "L:\n", "T: .branchtargets L, L;\n", "brx.idx %r1, T;\n", "call (%r1), f, (%r2);\n", "ret;\n", "exit;\n",
    "// ", "/*", "*/", "generic(", "mask(", "::", "0x", "0b", "0f3F800000", "0d3FF0000000000000", "1e999", "18446744073709551615", "4294967296",
    "|", "<<", ">>", "==", "!=", "&&", "||", "?", "\\x00", "\\xef\\xbb\\xbf", "\\xc3\\xa4", "\\x0d\\x0a", "%r1", "[%rd1+8]", "{%f1, %f2}", "_",
]


def escaped(text):
    """A dictionary entry: quotes escaped, control characters in hexadecimal; \\xNN of SHAPES stays as it is."""
    out = "".join(c if " " <= c <= "~" else f"\\x{ord(c):02x}" for c in text.replace('"', '\\"'))
    return f'"{out}"'


folder, out_path = sys.argv[1:]
opcodes, modifiers = read_forms(folder)
words = {*DIRECTIVES, *opcodes, *modifiers, *("%" + name for name in read_sregs(folder))}

with open(out_path, "w", encoding="utf-8") as out:
    out.write("# Generated from forms.txt and sregs.def by make_dict.py.\n")
    for word in sorted(words) + SHAPES:
        out.write(escaped(word) + "\n")
