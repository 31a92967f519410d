#!/usr/bin/env python3
"""gen_schemas.py OUT.C SCHEMA.JSON... -- the schemas of docs/schemas/ as C tables (src/api/schema.h). Run by meson.

What a schema takes from another, as {"$ref": "diagnostics.json#/definitions/text"}, is copied into it, with all definitions there: one that is
printed stands alone.
"""
import json
import pathlib
import sys


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def localise(value, folder, found):
    """value with references to this file alone; found: definitions of others by name."""
    if isinstance(value, list):
        return [localise(part, folder, found) for part in value]
    if not isinstance(value, dict):
        return value
    made = {key: localise(part, folder, found) for key, part in value.items()}
    name, _, local = value["$ref"].partition("#") if isinstance(value.get("$ref"), str) else ("", "", "")
    if name:
        other = localise(load(folder / name).get("definitions", {}), folder, found)
        for key, part in other.items():
            if found.setdefault(key, part) != part:
                sys.exit(f"{name}: its definition of {key} is not that of another file")
        made["$ref"] = "#" + local
    return made


def standalone(path):
    found = {}
    schema = localise(load(path), path.parent, found)
    for key in found.keys() & schema.get("definitions", {}).keys():
        sys.exit(f"{path}: {key} is defined here and in a file that is referred to")
    return schema | ({"definitions": schema.get("definitions", {}) | found} if found else {})


def literal(text):
    """A string of C, a line each."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return "\n".join(f'    "{line}\\n"' for line in escaped.splitlines())


out, *paths = map(pathlib.Path, sys.argv[1:])
rows = [f'  {{ "{path.stem}",\n{literal(json.dumps(standalone(path), indent=2))} }},\n' for path in sorted(paths, key=lambda p: p.stem)]
out.write_text('#include "api/schema.h"\n\nconst Schema ptx_schemas[] = {\n' + "".join(rows) + "  { 0, 0 }\n};\n", encoding="utf-8")
