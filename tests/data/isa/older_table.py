#!/usr/bin/env python3
"""older_table.py TABLES OUT - the generated tables of the instruction set without the opcodes that
came last: an opcode with "!" behind its name still sorts where it did, and no PTX can name it."""
import re
import sys

LATEST = "fabric|clmad|spcompress|spdecompress"

tables, out = sys.argv[1:]
text = open(tables).read()
start = text.index("ptx_opcode_info[")
end = text.index("\n};", start)
body, count = re.subn(r'^(    \{ "(?:%s))"' % LATEST, r'\1!"', text[start:end], flags=re.M)
if count != 4:
    sys.exit("%s: only %d opcodes found" % (tables, count))
open(out, "w").write(text[:start] + body + text[end:])
