"""machine_access.py -- a line that a GPU's counters were read for, and the access that ptxlint reports there."""
import re

UNCOMPARED = ("merged", "repredicated", "misattributed", "data_dependent")


def ptx_bits(text):
    """Bits that one thread moves."""
    if "cp.async" in text:
        size = re.search(r"\],\s*(0[xX][0-9a-fA-F]+|\d+)", text)
        return 8 * int(size[1], 0) if size else 0
    opcode = re.sub(r"^@!?\S+\s+", "", text).split()[0].rstrip(";")
    width, vector = re.search(r"\.(?:[busf]|bf)(8|16|32|64|128)(?:x2)?$", opcode), re.search(r"\.v([248])\.", opcode)
    return int(width[1]) * (int(vector[1]) if vector else 1) if width else 0


def sass_bits(opcode):
    width = re.search(r"\.[US]?(8|16|64|128|256)(?:\.|$)", opcode)
    return int(width[1]) if width else 32


def is_comparable(m):
    """Whether the machine access is the one that the PTX wrote."""
    if any(m.get(flag) for flag in UNCOMPARED) or len({s.split(".")[0] for s in m["sass"]}) != 1:
        return False
    opcode = re.sub(r"^@!?\S+\s+", "", m["text"]).split(".")[0]
    return opcode in ("ldmatrix", "stmatrix", "atom", "red") or all(sass_bits(s) == ptx_bits(m["text"]) for s in m["sass"])


def compare_access(m, access, unit):
    """(reported, measured, whether they agree), of 32 active threads."""
    real = 32 * m[unit] / m["threads"]
    slack = max((0.05 if any(s.startswith("LDGSTS") for s in m["sass"]) else 0.02) * real, 0.05)
    figure = access and access[unit + "_per_request"]
    figure = None if figure is None else 32 * figure / (access["active_threads"] or 32)
    return figure, real, figure is not None and abs(figure - real) <= slack
