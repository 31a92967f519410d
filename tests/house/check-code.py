#!/usr/bin/env python3
"""What the library may not call, and that lists grow in one place.

The library never prints, exits, aborts, reads a clock (but for a profile) or touches the locale; nor does it call what writes without a
bound. What malloc owns grows by src/support/grow.h, nowhere by a realloc of its own.
"""
import re

from shape import NOT_CODE, blank
from tree import ROOT, finish, name, read, sources

BANNED = """exit _exit _Exit quick_exit atexit abort signal raise system
printf vprintf fprintf vfprintf puts fputs putc putchar fputc perror
setlocale localeconv time clock clock_gettime rand srand random getenv setenv
gets sprintf vsprintf scanf sscanf fscanf atoi atol atof strtok alloca""".split()
ALLOWED = {("src/api/profile.c", "clock_gettime")}
CALL = re.compile(r"(?<![\w.>])(" + "|".join(BANNED) + r")\s*\(")
PRINTF_ATTRIBUTE = re.compile(r"format\s*\(\s*printf")


def check_calls(path):
    text = PRINTF_ATTRIBUTE.sub(blank, NOT_CODE.sub(blank, read(path)))
    return [f"{name(path)}:{text.count(chr(10), 0, m.start()) + 1}: the library does not call {m.group(1)}()"
            for m in CALL.finditer(text) if (name(path), m.group(1)) not in ALLOWED]


def check_growth(path):
    text = NOT_CODE.sub(blank, read(path))
    return [f"{name(path)}:{text.count(chr(10), 0, m.start()) + 1}: realloc() is for support/grow.h: ptx_list_reserve()"
            for m in re.finditer(r"(?<![\w.>])(?:realloc|reallocarray)\s*\(", text)]


c_files = [p for p in sources({".c", ".h", ".re", ".y"}, "src", "tools") if name(p) != "src/support/grow.h"]
library = [p for p in sources({".c", ".h", ".re", ".y"}, "src") if p.relative_to(ROOT / "src").parts[0] not in ("lsp", "mcp", "measure", "cli", "record")]
finish([p for path in library for p in check_calls(path)] + [p for path in c_files for p in check_growth(path)])
