#!/usr/bin/env python3
"""check-annotate.py PTXLINT -- tables of `annotate` against its JSON: each instruction has one row with its figures, and no other row has any; with
--source each CUDA line has the sums of its instructions, and lines between two that have figures are shown, or `...` where they are many."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PTXLINT = pathlib.Path(sys.argv[1]).resolve()
SOURCE_LINES = 24
PTX = """.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 out) twice(.param .b32 in)
{
	.reg .b32 %r<3>;
	.loc 1 2 0
	ld.param.u32 %r1, [in];
	shl.b32    %r2, \t%r1, 1;
	st.param.b32 [out], %r2;
	ret;
}
.visible .entry k(.param .u64 a)
{
	.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;
	.shared .align 4 .b8 tile[32768];
	.loc 1 5 0
	ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;

	.loc 1 7 0
	mad.lo.u32 %r3, %r2, 256, %r1;
	.loc 1 9 0
	mul.wide.u32 %rd2, %r3, 128;
	add.u64 %rd3, %rd1, %rd2;
	ld.global.f32 %f1, [%rd3];
	.loc 1 20 0
	{ .param .b32 x; .param .b32 y;
	st.param.b32 [x], %r1;
	call.uni (y), twice, (x);
	ld.param.b32 %r4, [y]; }
	cvt.rn.f32.u32 %f2, %r4;
	shl.b32 %r5, %r1, 7;
	mov.u32 %r6, tile;
	add.u32 %r6, %r6, %r5;
	st.shared.f32 [%r6], %f2;
	add.f32 %f1, %f1, %f2;
	.loc 2 3 0
	st.global.f32 [%rd3], %f1;
	ret;
}
.file 1 "a.cu"
.file 2 "none.cuh"
"""
UNITS = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
problems = []


def expect(what, got, wanted):
    if got != wanted:
        problems.append(f"{what}: {got!r}, not {wanted!r}")


def run(folder, *words, code=0):
    got = subprocess.run([PTXLINT, "annotate", "--no-config", *words], cwd=folder, capture_output=True, text=True, check=False)
    expect(f"{words}: exit code, {got.stderr}", got.returncode, code)
    return got.stdout


def split_rows(lines):
    """Cells of each row by the names of its columns, of which `excess` stands behind what it is of: columns are parted by two blanks in every row."""
    width = max(map(len, lines))
    last = lines[0].rindex("  ") + 2
    blank = [all(not line[at:at + 1].strip() for line in lines) for at in range(width)]
    begins, ends, at = [], [], 0
    while at < last:
        if not blank[at]:
            begins.append(at)
            while at < last and not (blank[at] and blank[at + 1]):
                at += 1
            ends.append(at)
        at += 1
    spans = [*zip(begins, ends), (last, width)]
    names = [lines[0][first:end].strip() for first, end in spans]
    names = [name if name != "excess" else f"excess of {names[i - 1]}" for i, name in enumerate(names)]
    return [{name: line[first:end].strip() for name, (first, end) in zip(names, spans)} for line in lines[1:]]


def tables(text):
    """Heads, and rows below them."""
    found, lines = [], []
    for line in [*text.splitlines(), ""]:
        if re.match(r" *time% ", line):
            lines = [line]
        elif lines and line:
            lines.append(line)
        elif lines:
            found.append(split_rows(lines))
            lines = []
    return found


def number(cell):
    return float(cell[:-1]) * UNITS[cell[-1]] if cell[-1:] in UNITS else float(cell) if cell else None


def expect_near(what, cell, wanted, slack):
    got = number(cell)
    if (got is None) != (wanted is None) or got is not None and abs(got - wanted) > slack * max(wanted, 1):
        problems.append(f"{what}: {cell!r}, not {wanted!r}")


def expect_amount(what, row, column, amount, ideal):
    expect_near(f"{what} {column}", row.get(column, ""), amount, .006)
    excess = f"{amount / ideal:.1f}x" if ideal and amount > 1.05 * ideal else ""
    expect(f"{what} excess of {column}", row.get(f"excess of {column}", ""), excess)


def check_instruction(row, insn):
    what = insn["statement"]
    live = insn["live"]
    expect_near(f"{what} time%", row["time%"], insn["time_percent"], .051)
    expect_near(f"{what} execs", row["execs"], insn["executions"], .006)
    expect(f"{what} live", (row["live"], row["32/64/p"]),
           (str(live["registers"]), f'{live["registers_32"]}/{live["values_64"]}/{live["predicates"]}'))
    expect(f"{what} pipe", row.get("pipe", ""), insn["pipe"] or "")
    for column, key in (("clk", "pipe_clocks"), ("issue", "issue_clocks")):
        expect_near(f"{what} {column}", row.get(column, ""), insn[key] or None, .005)
    expect_amount(what, row, "sect.", insn["sectors"], insn["ideal_sectors"])
    expect_amount(what, row, "pass.", insn["wavefronts"], insn["ideal_wavefronts"])
    expect(f"{what} lanes", row.get("lanes", ""), insn["uniformity"] or "")
    expect(f"{what} CUDA", row["CUDA"], f'{insn["source"]["path"]}:{insn["source"]["line"]}')


def check_code(text, insns):
    rows = [row for table in tables(text) for row in table]
    with_figures = [row for row in rows if row["execs"]]
    expect("rows with figures", [int(row["line"]) for row in with_figures], [insn["line"] for insn in insns])
    for row, insn in zip(with_figures, insns):
        expect(f"{row['PTX']}: opcode", re.search(r"[a-z][\w.]*", row["PTX"])[0], re.match(r"[\w.]*", insn["statement"])[0])
        check_instruction(row, insn)
    others = [row for row in rows if not row["execs"]]
    expect("rows without", [row for row in others if any(row[name] for name in row if name not in ("line", "PTX"))], [])
    expect("blank lines and .loc", [row for row in others if not row["PTX"] or ".loc" in row["PTX"]], [])
    expect("a text with blanks in a row", [row["PTX"] for row in with_figures if row["PTX"].startswith("shl")][-1], "shl.b32 %r2, %r1, 1;")


def sums(insns):
    """By file and line: how many, executions of the one that has most, and requests."""
    lines = {}
    for insn in insns:
        lines.setdefault((insn["source"]["path"], insn["source"]["line"]), []).append(insn)
    return lines


def total(insns, key):
    known = [insn[key] for insn in insns if insn[key] is not None]
    return sum(known) if known else None


def check_source(text, insns):
    lines = sums(insns)
    by_file = dict(zip(("a.cu", "none.cuh"), tables(text)))
    expect("files", len(tables(text)), 2)
    for path, rows in by_file.items():
        with_figures = [row for row in rows if row["execs"]]
        expect(f"lines of {path}", [int(row["line"]) for row in with_figures], sorted(line for name, line in lines if name == path))
        for row in with_figures:
            here = lines[path, int(row["line"])]
            what = f'{path}:{row["line"]}'
            expect(f"{what} instructions", row["insns"], str(len(here)))
            expect_near(f"{what} time%", row["time%"], total(here, "time_percent"), .051)
            expect_amount(what, row, "sect.", total(here, "sectors"), total(here, "ideal_sectors"))
            expect_amount(what, row, "pass.", total(here, "wavefronts"), total(here, "ideal_wavefronts"))
    expect("the text of lines", [row["CUDA"] for row in by_file["a.cu"]],
           [f"line {i}" for i in range(2, 10)] + ["...", "line 20"])
    expect("a file that cannot be read", "none.cuh: cannot be read below the source root" in text, True)


def check_all(folder, name, grid):
    launch = ["--gpu", "h200", "--grid", str(grid), "--block", "256", name]
    report = json.loads(run(folder, "--format", "json", *launch))
    insns = report["files"][0]["kernels"][0]["projections"][0]["instructions"]
    expect(f"{name}: instructions", len(insns), 22)
    check_code(run(folder, *launch), insns)
    check_source(run(folder, "--source", *launch), insns)


def check_heads(folder):
    launches = {"launches": [{"kernel": "k", "grid": [64], "block": [128]}, {"kernel": "k", "grid": [32], "block": [256]}]}
    pathlib.Path(folder, "l.json").write_text(json.dumps(launches))
    text = run(folder, "--gpu", "h200,a100", "--launch", "l.json", "a.ptx")
    for gpu in ("h200", "a100"):
        expect(f"launches on {gpu}", [f"launch {i} of 2 on {gpu}" in text for i in (1, 2)], [True, True])
    text = run(folder, "--gpu", "h200", "--grid", "64", "--block", "256", "--color", "always", "a.ptx")
    row = next(line for line in text.splitlines() if "ld.global" in line)
    expect("the share of a load in red", bool(re.match(r" *\x1b\[[\d;]*31m[\d.]+\x1b\[", row)), True)
    text = run(folder, "--kernel", "twice", "--gpu", "h200", "a.ptx")
    expect("a function", "a function: what calls it has its executions and times" in text, True)


with tempfile.TemporaryDirectory() as home:
    pathlib.Path(home, "a.cu").write_text("".join(f"line {i}\n" for i in range(1, SOURCE_LINES + 1)))
    pathlib.Path(home, "a.ptx").write_text(PTX)
    pathlib.Path(home, "crlf.ptx").write_bytes(PTX.replace("\n", "\r\n").encode())
    for file, blocks in (("a.ptx", 1), ("a.ptx", 100000), ("a.ptx", 2**31 - 1), ("crlf.ptx", 700)):
        check_all(home, file, blocks)
    check_heads(home)
for problem in problems[:40]:
    print(problem)
print(f"{len(problems)} wrong")
sys.exit(bool(problems))
