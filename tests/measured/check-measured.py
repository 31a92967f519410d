#!/usr/bin/env python3
"""Every access of testdata/measured/ as the program reports it against what a GPU counted: check-measured.py PTXLINT FOLDER.

A line is compared where the machine access is the one that the PTX wrote (see README.md there). Figures are per 32 active threads, within 2 %
(5 % for asynchronous copies, of whose wavefronts the GPU's own count loses some). What is off must stand in EXCEPTIONS with its reason, and what
stands there must be off. No line that is called exact may be off, and none whose figures change with memory's contents may be called exact."""
import json, re, sys

from launched import report

EXCEPTIONS = {
    ("cp_sixteen_part", 175, "wavefronts"): "copies of part of 16 bytes past L1: no rule found that holds; an estimate",
    ("ha_nested_exits", 414, "sectors"): "lanes meet again in a loop that others have left; the evaluator lets them meet behind it: an estimate",
    ("tr_matmul", 106, "wavefronts"): "copies past L1: how many packets arrive at once hangs on timing; an estimate",
    ("tr_matmul", 110, "wavefronts"): "the same",
    ("tr_matmul", 242, "wavefronts"): "the same",
    ("tr_matmul", 246, "wavefronts"): "the same",
}
UNCOMPARED = ("merged", "repredicated", "misattributed", "data_dependent")

def ptx_bits(text):
    """Bits that one thread moves."""
    if "cp.async" in text:
        return 8 * int(re.search(r"\],\s*(0[xX][0-9a-fA-F]+|\d+)", text)[1], 0)
    opcode = re.sub(r"^@!?\S+\s+", "", text).split()[0]
    width = re.search(r"\.(?:[busf]|bf)(8|16|32|64|128)(?:x2)?$", opcode)
    vector = re.search(r"\.v([248])\.", opcode)
    return int(width[1]) * (int(vector[1]) if vector else 1) if width else 0

def sass_bits(opcode):
    width = re.search(r"\.[US]?(8|16|64|128|256)(?:\.|$)", opcode)
    return int(width[1]) if width else 32

def is_comparable(m):
    if any(m.get(flag) for flag in UNCOMPARED) or len({s.split(".")[0] for s in m["sass"]}) != 1:
        return False
    opcode = re.sub(r"^@!?\S+\s+", "", m["text"]).split(".")[0]
    return opcode in ("ldmatrix", "stmatrix", "atom", "red") or all(sass_bits(s) == ptx_bits(m["text"]) for s in m["sass"])

def is_off(m, access, unit):
    """Whether the figure is missing or another."""
    real = 32 * m[unit] / m["threads"]
    slack = max((0.05 if any(s.startswith("LDGSTS") for s in m["sass"]) else 0.02) * real, 0.05)
    figure = access and access[unit + "_per_request"]
    return figure is None or abs(32 * figure / access["active_threads"] - real) > slack

def main(ptxlint, folder):
    kernels = [json.loads(line) for line in open(f"{folder}/measured.jsonl")]
    found = report(ptxlint, sorted({f"{folder}/{k['file']}" for k in kernels}), f"{folder}/launches.json")
    accesses = {name: {a["line"]: a for a in k["accesses"]} for (_, name), k in found.items()}
    compared, data, wrong, off = 0, 0, [], set()
    for kernel in kernels:
        for m in kernel["memory"]:
            access = accesses[kernel["kernel"]].get(m["line"])
            for unit in ("sectors", "wavefronts"):
                if not m[unit] or not m["threads"]:
                    continue
                where = (kernel["kernel"], m["line"], unit)
                is_exact = access is not None and access["certainty"] == "exact"
                if m.get("data_dependent"):
                    data += 1
                    if is_exact:
                        wrong.append(f"{where}: hangs on data and is called exact")
                elif is_comparable(m):
                    compared += 1
                    if is_off(m, access, unit):
                        off.add(where)
                        if is_exact or where not in EXCEPTIONS:
                            wrong.append(f"{where}: measured {m[unit]} in {m['threads']} threads, reported {access and access[unit + '_per_request']}: {m['text']}")
    names = {k["kernel"] for k in kernels}
    wrong += [f"{e}: is an exception, and is right" for e in EXCEPTIONS if e[0] in names and e not in off]
    print(f"{len(kernels)} kernels, {compared} figures compared, {len(off)} off and listed, {data} that hang on data")
    if wrong or not compared:
        sys.exit("\n".join(wrong) or "nothing was compared")

if __name__ == "__main__":
    main(*sys.argv[1:])
