#!/usr/bin/env python3
"""gen_html.py OUT.C FILE... -- style sheets and scripts of the HTML report as C strings: report.css is ptx_html_css. Run by meson.

Each stands in an element of the page as it is, so none may hold the end of one.
"""
import pathlib
import re
import sys

out, *paths = map(pathlib.Path, sys.argv[1:])
rows = ['#include "report/html/html.h"\n']
for path in paths:
    text = path.read_text(encoding="utf-8")
    if re.search(r"</(script|style)|<!--", text, re.IGNORECASE):
        sys.exit(f"{path}: would end its element")
    text = "".join(line.strip() + "\n" for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))
    body = "\n".join('    "{}\\n"'.format(line.replace("\\", "\\\\").replace('"', '\\"')) for line in text.splitlines())
    rows.append(f"const char ptx_html_{path.suffix[1:]}[] =\n{body};\n")
out.write_text("\n".join(rows), encoding="utf-8")
