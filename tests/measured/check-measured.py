#!/usr/bin/env python3
"""Every access of testdata/measured/ as the program reports it against what a GPU counted: check-measured.py PTXLINT FOLDER.

A line is compared where the machine access is the one that the PTX wrote (see README.md there). Figures are per 32 active threads, within 2 %
(5 % for asynchronous copies, of whose wavefronts the GPU's own count loses some). What is off must stand in EXCEPTIONS with its reason, and what
stands there must be off. No line that is called exact may be off, and none whose figures change with memory's contents may be called exact."""
import json, sys

from launched import report
from machine_access import compare_access, is_comparable

EXCEPTIONS = {
    ("cp_sixteen_part", 175, "wavefronts"): "copies of part of 16 bytes past L1: no rule found that holds; an estimate",
    ("ha_nested_exits", 414, "sectors"): "lanes meet again in a loop that others have left; the evaluator lets them meet behind it: an estimate",
    ("tr_matmul", 106, "wavefronts"): "copies past L1: how many packets arrive at once depends on timing; an estimate",
    ("tr_matmul", 110, "wavefronts"): "the same",
    ("tr_matmul", 242, "wavefronts"): "the same",
    ("tr_matmul", 246, "wavefronts"): "the same",
}

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
                        wrong.append(f"{where}: depends on data and is called exact")
                elif is_comparable(m):
                    compared += 1
                    if not compare_access(m, access, unit)[2]:
                        off.add(where)
                        if is_exact or where not in EXCEPTIONS:
                            wrong.append(f"{where}: measured {m[unit]} in {m['threads']} threads, reported {access and access[unit + '_per_request']}: {m['text']}")
    names = {k["kernel"] for k in kernels}
    wrong += [f"{e}: is an exception, and is right" for e in EXCEPTIONS if e[0] in names and e not in off]
    print(f"{len(kernels)} kernels, {compared} figures compared, {len(off)} off and listed, {data} that depend on data")
    if wrong or not compared:
        sys.exit("\n".join(wrong) or "nothing was compared")

if __name__ == "__main__":
    main(*sys.argv[1:])
