"""isa_words.py -- the words of PTX as the instruction tables of src/isa have them, and those that no table has."""
import re

DIRECTIVES = """.version .target .address_size .file .loc .section .pragma .alias .entry .func .extern .visible .weak .common
.reg .sreg .const .global .local .shared .param .tex .surf .align .ptr .attribute .maxnreg .maxntid .reqntid .minnctapersm
.maxnctapersm .reqnctapercluster .maxclusterrank .abi_preserve .noreturn .explicitcluster .blocksareclusters
.branchtargets .calltargets .callprototype .managed .unified @@DWARF inlined_at function_name""".split()


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_forms(folder):
    """Opcodes, and modifiers with their dot, without the names of groups."""
    opcodes, modifiers, groups = set(), set(), set()
    for line in read(f"{folder}/forms.txt").splitlines():
        line = line.strip()
        group = re.fullmatch(r"group\s+([\w.:-]+)\s*=\s*(.*)", line)
        if group:
            groups.add("." + group.group(1))
            modifiers.update(group.group(2).split())
        elif line and not line.startswith("#"):
            form = line.split("|")[0].strip()
            opcodes.add(re.match(r"\w+", form).group())
            modifiers.update(re.findall(r"\.[\w:]+", form))
    return opcodes, modifiers - groups


def read_sregs(folder):
    """Special registers without their %, and how many numbers each takes (0: none)."""
    rows = re.findall(r'^SR\( \w+,\s*"(\w+)".*?(\d+) \)$', read(f"{folder}/sregs.def"), re.M)
    return {name: int(numbers) for name, numbers in rows}


def read_types(folder):
    """Types without their dot."""
    return set(re.findall(r'^TY\( \w+,\s*"(\w+)"', read(f"{folder}/types.def"), re.M))
