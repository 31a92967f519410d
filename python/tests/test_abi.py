"""Every field of the header's structs that the package uses, as the C compiler lays it out."""
import ctypes
import os
import re
import shlex
import subprocess
import tempfile
import unittest

from ptxlint import _abi, _errors

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILER = shlex.split(os.environ.get("CC", ""))
KINDS = {ctypes.c_double: "f8", ctypes.c_int64: "i8", ctypes.c_uint64: "u8",
         ctypes.c_uint32: "u4", ctypes.c_int: "i4"}
PROGRAM = r"""
#include <ptxlint/ptxlint.h>
#include <stdio.h>
#define KIND(x) _Generic((x), double: "f8", int64_t: "i8", uint64_t: "u8", uint32_t: "u4", \
                         int: "i4", default: "other")
#define FIELD(type, field, first) \
    printf("%s %s %zu %zu %s\n", #type, #field, offsetof(type, field), \
           sizeof ((type *)0)->field, KIND(((type *)0)->first));
#define SIZE(type) printf("%s size_of_all 0 %zu -\n", #type, sizeof(type));
#define NUMBER(name) printf("%s - 0 %lld -\n", #name, (long long)name);
int main(void)
{
"""


def declared_fields(body):
    """Names in a struct's body, each with whether it is an array."""
    for statement in re.sub(r"/\*.*?\*/", " ", body, flags=re.S).split(";"):
        for declarator in statement.split(","):
            found = re.search(r"(\w+)\s*((?:\[\w+\])?)\s*$", declarator)
            if found:
                yield found.group(1), bool(found.group(2))


def kind_of(ctype):
    """What KIND prints; "other" is a pointer or a struct."""
    if issubclass(ctype, ctypes.Array):
        ctype = ctype._type_
    return KINDS.get(ctype, "other")


def mirrored():
    """As the program below prints it."""
    for struct, mirror in _abi.STRUCTS.items():
        yield f"{struct} size_of_all 0 {ctypes.sizeof(mirror)} -"
        for name, ctype in mirror._fields_:
            place = getattr(mirror, name)
            yield f"{struct} {name} {place.offset} {ctypes.sizeof(ctype)} {kind_of(ctype)}"
    yield f"PTXLINT_UNKNOWN - 0 {_abi.UNKNOWN} -"
    yield f"PTXLINT_JSON - 0 {_abi.JSON} -"
    yield f"PTXLINT_LIMITER_COUNT - 0 {len(_abi.LIMITERS)} -"
    for index, word in enumerate(_abi.SPILLS):
        yield f"PTXLINT_SPILLS_{(word or 'unknown').upper()} - 0 {index} -"
    for index, word in enumerate(_abi.CERTAINTIES[1:], 1):
        name = "NOT_KNOWN" if word == "unknown" else word.upper()
        yield f"PTXLINT_{name} - 0 {index} -"
    for name in ("OK", "NO_MEMORY", "TOO_LARGE", "IO", "BAD_ARGUMENT", "BAD_FILE", "WRITE", "STOPPED"):
        yield f"PTXLINT_{name} - 0 {getattr(_errors, name)} -"
    for name in ("PART_KERNEL", "PART_PARAM", "PART_TRIP"):
        yield f"PTXLINT_{name} - 0 {getattr(_abi, name)} -"


def program():
    """Fields as the header has them, so that none can be left out."""
    with open(os.path.join(ROOT, "include/ptxlint/ptxlint.h"), encoding="utf-8") as file:
        header = file.read()
    lines = []
    for struct in _abi.STRUCTS:
        body = re.search(rf"typedef struct {struct} \{{(.*?)^\}} {struct};", header, re.S | re.M)
        lines.append(f"SIZE({struct})")
        for name, is_array in declared_fields(body.group(1)):
            lines.append(f"FIELD({struct}, {name}, {name}{'[0]' if is_array else ''})")
    numbers = [line.split()[0] for line in mirrored() if " - 0 " in line]
    return PROGRAM + "\n".join(lines + [f"NUMBER({name})" for name in numbers]) + "\n}\n"


class Abi(unittest.TestCase):
    maxDiff = None

    @unittest.skipUnless(COMPILER, "CC names no C compiler")
    def test_fields(self):
        with tempfile.TemporaryDirectory() as folder:
            source, made = os.path.join(folder, "abi.c"), os.path.join(folder, "abi")
            with open(source, "w", encoding="utf-8") as file:
                file.write(program())
            subprocess.run([*COMPILER, "-std=c11", "-I", os.path.join(ROOT, "include"), source,
                            "-o", made], check=True)
            printed = subprocess.run([made], check=True, capture_output=True, text=True).stdout
        self.assertEqual(printed.splitlines(), list(mirrored()))

    def test_functions(self):
        """The header declares each with as many parameters."""
        with open(os.path.join(ROOT, "include/ptxlint/ptxlint.h"), encoding="utf-8") as file:
            header = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
        for name, types in _abi.FUNCTIONS.items():
            found = re.search(rf"\b{name}\(([^;]*)\);", header)
            self.assertIsNotNone(found, name)
            count = 0 if found.group(1) == "void" else found.group(1).count(",") + 1
            self.assertEqual(len(types) - 1, count, name)


if __name__ == "__main__":
    unittest.main()
