#!/usr/bin/env python3
"""check-combined.py PTXLINT ROOT - what blocks combine (testdata/recognize): each kernel is recognized as what it is, of as many elements, and those
with one fault are not."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[2])
FOLDER = ROOT / "testdata/recognize"
CLASSES = ("block reduction", "block scan")
ANY = 0                   # as many as the launch has threads
SUMS, SCANS = ("block reduction", "add"), ("block scan", "add")
WANTED = {
    "sum_by_shuffles": (*SUMS, ANY), "max_by_all_threads": ("block reduction", "max", 256), "tree_in_a_register": (*SUMS, 512),
    "tail_with_barriers_of_the_warp": (*SUMS, 256), "sum_in_a_loop_over_rows": (*SUMS, 256), "sum_of_any_block": (*SUMS, ANY),
    "sum_of_doubles": (*SUMS, 256), "sum_by_groups": (*SUMS, 256), "or_of_flags": ("block reduction", "or", 256),
    "scan_hillis_steele": (*SCANS, ANY), "scan_of_two_buffers": (*SCANS, ANY), "scan_blelloch": (*SCANS, ANY), "scan_by_shuffles": (*SCANS, ANY),
    "scan_of_the_one_before": (*SCANS, 255), "scan_less_the_own": (*SCANS, ANY),
    "scan_of_maxima": ("block scan", "max", ANY),
    "tail_of_volatile_words": (*SUMS, 8),     # the steps with barriers alone: lanes may run apart
}
ARGMIN, ARGMAX = ("block reduction", "argmin", 256), ("block reduction", "argmax", 256)
LEAST, GREATEST = ("block reduction", "min", 256), ("block reduction", "max", 256)
WANTED |= {"greatest_by_warps": ARGMAX, "least_by_warps": ARGMIN, "least_of_unsigned": ARGMIN, "first_of_greatest": ARGMAX, "last_of_least": ARGMIN,
           "greatest_kept": ARGMAX, "greatest_of_many": ARGMAX, "greatest_by_one_thread": ARGMAX,
           # the values are right, the places are not
           **{name: GREATEST for name in ("no_linear_place", "no_place_beside", "no_place_of_both", "no_place_for_the_greater")}}
TWICE = {"least_by_tree": [LEAST, ARGMIN], **{name: [GREATEST, ARGMAX] for name in (
             "greatest_by_tree", "first_by_tree", "greatest_in_registers", "greatest_of_pairs")},
         "scan_of_padded_rows": 2 * [(*SCANS, ANY)],      # a register each for even and odd elements
         "scan_of_padded_halves": [(*SCANS, ANY), (*SCANS, 512)]}     # and for the halves, of which neither sum is a row
MISSED = {"scan_without_the_own"}         # nvcc takes the own value from the sum of the warps before, in which it is not
problems = []


def recognize(file, *options):
    run = subprocess.run([os.path.abspath(sys.argv[1]), "recognize", "--no-config", "--format", "json", *options, str(file)],
                         capture_output=True, text=True, check=True)
    return {kernel["name"]: [(row["class"], row["operation"], row["lanes"]) for row in kernel["recognized"] if row["class"] in CLASSES]
            for kernel in json.loads(run.stdout)[0]["kernels"]}


def expect(what, got, wanted):
    if got != wanted:
        problems.append(f"{what}: {got}, not {wanted}")


for file in sorted(FOLDER.glob("*.ptx")):
    for kernel, rows in recognize(file).items():
        if kernel not in WANTED and kernel not in MISSED and kernel not in TWICE and not kernel.startswith("no_"):
            problems.append(f"{file.name}: what is {kernel} to be?")
        expect(f"{file.name}: {kernel}", rows, [WANTED[kernel]] if kernel in WANTED else TWICE.get(kernel, []))

# Of a launch that is known: its size alone.
rows = recognize(FOLDER / "blocks.sm_90.ptx", "--block", "128")
expect("blocks of 128", rows["sum_by_shuffles"], [(*SUMS, 128)])
expect("blocks of 128, faulty for 256", rows["no_last_step_of_the_scan"], [(*SCANS, 128)])

# Before sm_70 the lanes of a warp run together: a tail of volatile words needs no barriers.
with tempfile.TemporaryDirectory() as folder:
    older = pathlib.Path(folder) / "older.ptx"
    text = (FOLDER / "blocks.sm_75.ptx").read_text(encoding="utf-8")
    older.write_text(re.sub(r"\.target sm_75", ".target sm_60", text), encoding="utf-8")
    expect("sm_60", recognize(older)["tail_of_volatile_words"], [(*SUMS, 256)])
    older.write_text(re.sub(r"\.target sm_75", ".target sm_60", text).replace(".volatile", ""), encoding="utf-8")
    expect("sm_60, not volatile", recognize(older)["tail_of_volatile_words"], [(*SUMS, 8)])

# Without the barrier at a loop's end the next iteration writes what this one reads.
with tempfile.TemporaryDirectory() as folder:
    racy = pathlib.Path(folder) / "racy.ptx"
    head, name, rest = (FOLDER / "blocks.sm_90.ptx").read_text(encoding="utf-8").partition("sum_in_a_loop_over_rows(")
    body, end = rest.split("\n}\n", 1)
    before, after = body.rsplit("bar.sync \t0;", 1)
    racy.write_text(head + name + before + after + "\n}\n" + end, encoding="utf-8")
    expect("a loop without its last barrier", recognize(racy)["sum_in_a_loop_over_rows"], [])

# Blocks that are known to be larger than what lies between them write each other's elements, unless a branch leaves few enough threads.
STORES = """.version 8.0
.target sm_90
.address_size 64
.visible .entry all(.param .u64 x) { .reg .b32 %r<4>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1;
mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1; ret; }
.visible .entry half(.param .u64 x) { .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1;
setp.ge.u32 %p1, %r1, 64; @%p1 bra E; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1; E: ret; }
"""
CLASSES += ("array assignment", None)
with tempfile.TemporaryDirectory() as folder:
    stores = pathlib.Path(folder) / "stores.ptx"
    stores.write_text(STORES, encoding="utf-8")
    own = ("array assignment", None, 0)
    for block, rows in ("64", own), ("128", (None, None, 0)), ("65", (None, None, 0)):
        expect(f"a block of {block}", recognize(stores, "--block", block), {"all": [rows], "half": [own]})

print("\n".join(problems))
sys.exit(bool(problems))
