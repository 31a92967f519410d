#!/usr/bin/env python3
"""gen_presets.py OUT.C PRESET.yaml... -- the configs of rules/presets/ as a C table (src/findings/preset.h). Run by meson."""
import pathlib
import sys


def literal(text):
    """A string of C, a line each."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return "\n".join(f'    "{line}\\n"' for line in escaped.splitlines())


out, *paths = map(pathlib.Path, sys.argv[1:])
rows = [f'  {{ "{path.stem}",\n{literal(path.read_text(encoding="utf-8"))} }},\n' for path in sorted(paths, key=lambda p: p.stem)]
out.write_text('#include "findings/preset.h"\n\nconst Preset ptx_presets[] = {\n' + "".join(rows) + "  { 0, 0 }\n};\n", encoding="utf-8")
