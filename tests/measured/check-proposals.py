#!/usr/bin/env python3
"""What the help of findings promises against what a GPU counted once it was done: check-proposals.py PTXLINT FOLDER.

A help says `X sectors become Y`, or wavefronts. X must be what the GPU counted at the line of the finding, Y what it counted at every access of the same
opcode in the kernel that was changed by hand; where accesses are joined, both are of all of them together. Kernels that were changed must have no such finding any more."""
import json, re, subprocess, sys

PAIRS = [   # kernel, rule, as the help proposes
    ("tile_before", "MEM203", "tile_pad"), ("tile_before", "MEM203", "tile_swizzle"),
    ("matrix_before", "MEM203", "matrix_pad"), ("matrix_before", "MEM203", "matrix_swizzle"),
    ("scan_before", "MEM203", "scan_pad"),
    ("members_before", "MEM201", "members_apart"),
    ("turned_before", "MEM201", "tile_swizzle"),
    ("rows_before", "MEM202", "rows_pad"),
    ("lead_before", "MEM202", "lead_pad"),
    ("vector_before", "MEM104", "vector_wide"),
]

def findings(ptxlint, folder):
    command = [ptxlint, "--format", "json", "--select", "MEM104,MEM201,MEM202,MEM203", "--launch", f"{folder}/launches.json", f"{folder}/proposals.ptx"]
    made = json.loads(subprocess.run(command, capture_output=True).stdout)["diagnostics"]
    return {(d["kernel"], d["rule"]): d for d in made}

def counted(measured, kernel, opcode, unit):
    """Per request, at each line of the opcode that warps came to whole."""
    return {m["line"]: m[unit] / m["warp_requests"] for m in measured[kernel]["memory"]
            if m["text"].split()[0].startswith(opcode) and m["threads"] == 32 * m["warp_requests"]}

def together(lines):
    return {line: sum(lines.values()) for line in lines}

def check(pair, found, measured, opcode_at):
    before, rule, after = pair
    finding = found.get((before, rule))
    promise = finding and re.search(r"([\d.]+) (sectors|wavefronts) become ([\d.]+)", finding.get("help", ""))
    if not promise:
        return [f"{before}: {rule} proposes nothing: {finding and finding.get('help')}"]
    unit, opcode = "sectors" if promise[2] == "sectors" else "wavefronts", opcode_at(finding["line"])
    problems = [f"{after}: {rule} speaks of it still"] if (after, rule) in found else []
    was, now = counted(measured, before, opcode, unit), counted(measured, after, opcode, unit)
    if rule == "MEM104":
        was, now = together(was), together(now)
    was = was.get(finding["line"])
    if was is not None and abs(was - float(promise[1])) > 0.05:
        problems.append(f"{before}:{finding['line']}: {promise[0]}, but there are {was}")
    if not now:
        problems.append(f"{after}: no {opcode} was counted")
    return problems + [f"{after}:{line}: {promise[0]} in {before}, but there are {figure}" for line, figure in now.items() if abs(figure - float(promise[3])) > 0.05]

def main(ptxlint, folder):
    text = open(f"{folder}/proposals.ptx").read().split("\n")
    measured = {k["kernel"]: k for k in map(json.loads, open(f"{folder}/measured.jsonl"))}
    found = findings(ptxlint, folder)
    opcode_at = lambda line: ".".join(text[line - 1].split()[0].split(".")[:2]) if "ldmatrix" not in text[line - 1] else "ldmatrix"
    problems = [p for pair in PAIRS for p in check(pair, found, measured, opcode_at)]
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(PAIRS)} proposals, {len(problems)} not kept")
    return bool(problems)

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
