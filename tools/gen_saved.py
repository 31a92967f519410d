#!/usr/bin/env python3
"""Writes the tables by which modules are saved: gen_saved.py ptxlint.h OUTPUT.

They name each pointer, enumeration, span and count in the public structs of kernels and
diagnostics, so that a new member of these is saved without further code.
"""
import hashlib
import re
import sys

ROOTS = ["ptxlint_kernel", "ptxlint_diagnostic"]
# lists with an element per GPU of the module
PER_GPU = {("ptxlint_loop", "cycles"), ("ptxlint_loop", "peaks"), ("ptxlint_loop", "parallelism")}


def nullable_members(text):
    """(struct, member) of each whose comment, or that of its struct, says that it may be NULL."""
    said = set()
    for above, body, struct in re.findall(
            r"((?:/\*(?:(?!\*/).)*\*/\s*)?)typedef struct (?:ptxlint_\w+) \{(.*?)\} (ptxlint_\w+);", text,
            flags=re.S):
        for before, names, behind in re.findall(
                r"((?:/\*(?:(?!\*/).)*\*/\s*)?)([^;/]+);([ ]*(?:/\*(?:(?!\*/).)*\*/)?)", body, flags=re.S):
            if re.search(r"\bNULL\b", above + before + behind):
                said.update((struct, name) for name in re.findall(r"\w+(?=(?:\[\w+\])?\s*(?:,|$))", names))
    return said


def read_header(path):
    text = open(path, encoding="utf-8").read()
    plain = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    structs = {name: [member.strip() for member in body.split(";") if member.strip()]
               for name, body in re.findall(r"typedef struct (ptxlint_\w+) \{(.*?)\} \1;", plain,
                                            flags=re.S)}
    enums = {name: body for body, name in re.findall(r"typedef enum \w+ \{(.*?)\} (ptxlint_\w+);",
                                                     plain, flags=re.S)}
    numbers = dict(re.findall(r"#define (PTXLINT_\w+) (\d+)\n", plain))
    numbers.update(re.findall(r"enum \{ (PTXLINT_\w+) = (\d+) \}", plain))
    return text, structs, enums, {name: int(value) for name, value in numbers.items()}


def enum_last(body):
    value = -1
    for item in body.split(","):
        if item.strip():
            said = item.split("=")
            value = int(said[1]) if len(said) > 1 else value + 1
    return value


class Tables:
    def __init__(self, header):
        self.text, self.structs, self.enums, self.numbers = read_header(header)
        self.nullable = nullable_members(self.text)
        self.rows, self.order = {}, []

    def members(self, struct):
        """(type, name, array length or 0) of each."""
        for member in self.structs[struct]:
            base, names = re.fullmatch(r"((?:const )?\w+)\s+(.*)", member, flags=re.S).groups()
            for declared in names.split(","):
                stars, name, length = re.fullmatch(r"\s*((?:\*(?:const )?)*)(\w+)(?:\[(\w+)\])?\s*",
                                                   declared).groups()
                yield (base + stars.replace(" ", ""), name,
                       (self.numbers.get(length) or int(length)) if length else 0)

    def count_of(self, struct, name):
        fits = [other for _, other, _ in self.members(struct)
                if other.endswith("_count") and name.startswith(other[:-len("_count")])]
        return max(fits, key=len) if fits else None

    def add(self, struct):
        if struct in self.rows:
            return
        self.rows[struct] = []
        self.flatten(struct, struct, "")
        self.order.append(struct)

    def row(self, root, kind, place, count="0", of="NULL", limit=0):
        self.rows[root].append(f"{{ {kind}, offsetof({root}, {place}), {count}, {of}, {limit} }}")

    def flatten(self, root, struct, prefix, below=("0", 0)):
        """below: of an element of an array in the struct: where its count is, and its index."""
        for kind, name, length in self.members(struct):
            counter = self.count_of(struct, name)
            for i in range(length or 1):
                place = f"{prefix}{name}[{i}]" if length else prefix + name
                here = (f"offsetof({root}, {prefix}{counter})", i) if length and counter else below
                self.member(root, struct, (kind, name, length), prefix, place, here)

    def member(self, root, struct, member, prefix, place, below):
        kind, name, length = member
        counter = self.count_of(struct, name)
        count = f"offsetof({root}, {prefix}{counter})" if counter else "0"
        if kind == "const char*":
            kind = "SAVED_TEXT" if (struct, name) in self.nullable else "SAVED_NAME"
            self.row(root, kind, place, below[0], limit=below[1])
            self.inline_count(root, member, prefix, place, counter)
        elif kind == "const char*const*":
            self.row(root, "SAVED_TEXTS", place, count)
        elif kind == "const ptxlint_gpu*":
            self.row(root, "SAVED_GPU", place)
        elif kind.endswith("*"):
            of = re.fullmatch(r"const (\w+)\*", kind).group(1)
            self.add(of)
            how = "SAVED_PER_GPU" if (struct, name) in PER_GPU else (
                "SAVED_LIST" if counter else "SAVED_ONE")
            self.row(root, how, place, count, f"&type_{of}")
        elif kind == "ptxlint_span":
            self.row(root, "SAVED_SPAN", place)
        elif kind in self.structs:
            self.inline_count(root, member, prefix, place, counter)
            self.flatten(root, kind, place + ".", below)
        elif kind in self.enums:
            self.row(root, "SAVED_ENUM", place, limit=enum_last(self.enums[kind]))

    def inline_count(self, root, member, prefix, place, counter):
        """An array in the struct itself has a count beside it that must fit."""
        if member[2] and counter and place.endswith("[0]"):
            self.row(root, "SAVED_COUNT", prefix + counter, limit=member[2])

    def write(self, out):
        out.write('/* Generated by tools/gen_saved.py. */\n#include "api/saved.h"\n\n#include <stddef.h>\n')
        for struct in self.order:
            rows = self.rows[struct]
            out.write(f"\nstatic const SavedField fields_{struct}[] = {{\n    " + ",\n    ".join(
                rows or ["{ 0 }"]) + "\n};\n")
            out.write(f"static const SavedType type_{struct} = {{ sizeof({struct}), fields_{struct}, {len(rows)} }};\n")
        out.write("\nconst SavedType *const ptx_saved_kernel = &type_ptxlint_kernel,\n"
                  "    *const ptx_saved_diagnostic = &type_ptxlint_diagnostic;\n")
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:16]
        out.write(f"const uint64_t ptx_saved_layout = UINT64_C(0x{digest});\n")


def main():
    tables = Tables(sys.argv[1])
    for root in ROOTS:
        tables.add(root)
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        tables.write(out)


if __name__ == "__main__":
    main()
