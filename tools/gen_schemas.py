#!/usr/bin/env python3
"""gen_schemas.py OUT.C SCHEMA.JSON... -- the schemas of docs/schemas/ as C tables (src/api/schema.h). Run by meson."""
import json
import pathlib
import sys


def literal(text):
    """A string of C, a line each: other bytes than ASCII stay as they are, in UTF-8."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return "\n".join(f'    "{line}\\n"' for line in escaped.splitlines())


out, *paths = map(pathlib.Path, sys.argv[1:])
rows = []
for path in sorted(paths, key=lambda p: p.stem):
    text = path.read_text(encoding="utf-8")
    json.loads(text)
    rows.append(f'  {{ "{path.stem}",\n{literal(text)} }},\n')
out.write_text('#include "api/schema.h"\n\nconst Schema ptx_schemas[] = {\n' + "".join(rows) + "  { 0, 0 }\n};\n", encoding="utf-8")
