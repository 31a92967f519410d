#!/usr/bin/env python3
"""check-reasons.py PTXLINT -- no null of a report, and no empty cell of its CSV, is without its reason.

A null's reason is the text of its key in `reasons` of its object, else the object's `why`; where the object has neither, those of the object
around it. A cell's is in the row's `why`, by the name of what it is of. A predicted time lies in its band, which does not begin below the bound.
"""
import collections
import csv
import io
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PTXLINT = pathlib.Path(sys.argv[1]).resolve()

# Keys that are reasons themselves: null is that there is none. Findings are not figures: what they lack they have not.
THEMSELVES = {"why", "error", "bound_why", "name_demangled", "source", "source_name"}
OTHERS = {"reasons", "diagnostics"}
LAUNCH = ["--grid", "64", "--block", "128"]
RUNS = [
    ["testdata/ptx", "testdata/proposals", "tests/golden", "tests/messages"],
    ["--gpu", "h200,g80,sm_100", *LAUNCH, "tests/golden/report", "testdata/ptx/legacy"],
    ["--gpu", "h200", *LAUNCH, "tests/golden", "testdata/ptx/saxpy.sm_90.ptx"],
]
# Columns of CSV, by what their reason is named; others by themselves.
COLUMNS = {
    "gpu": "gpu sm", "registers": "registers register_source", "block": "block_x block_y block_z", "grid": "grid_x grid_y grid_z",
    "occupancy": "blocks_per_sm warps_per_sm occupancy_percent limiter", "busy": "compute_busy_percent memory_busy_percent issue_busy_percent",
    "mix": "instructions fma_fraction weighted_fma_fraction flops_fp32 global_bytes", "roofline": "launch_flops",
    "peaks": "potential_gflops attainable_gflops ceiling demand_gb_per_s", "time": "dram_bytes predicted_time_us predicted_low_us predicted_high_us time_limiter",
}
KIND = {column: kind for kind, columns in COLUMNS.items() for column in columns.split()}

problems, counts = collections.Counter(), collections.Counter()


TIMES = ["bound_time_us", "predicted_low_us", "predicted_time_us", "predicted_high_us"]


def check_times(what, bound, low, predicted, high):
    counts["time"] += predicted is not None
    if (predicted is None) != (low is None) or (low is None) != (high is None):
        problems[f"{what}: a time without its band"] += 1
    known = [number for number in (bound, low, predicted, high) if number is not None]
    if known != sorted(known) or not all(0 < number < float("inf") for number in known) or (bound and not predicted):
        problems[f"{what}: {known} is out of order"] += 1


def report(form, words):
    got = subprocess.run([PTXLINT, "report", "--no-config", "--format", form, *words], cwd=ROOT, capture_output=True, check=False)
    return got.stdout.decode("utf-8")


def holds(value):
    """A null that nothing inside explains."""
    if isinstance(value, dict):
        return "why" not in value and "reasons" not in value and any(holds(part) for key, part in value.items() if key not in ("name_demangled", "source"))
    return any(map(holds, value)) if isinstance(value, list) else value is None


def walk(value, path, given=None):
    if isinstance(value, list):
        for part in value:
            walk(part, path + "[]", given)
    if not isinstance(value, dict):
        return
    if "predicted_low_us" in value:
        check_times(path, *(value[key] for key in TIMES))
    own = value.get("reasons", {})
    here = value.get("why") if "why" in value or "reasons" in value else given
    for key, part in value.items():
        if key in OTHERS or key in THEMSELVES:
            continue
        reason = own.get(key) or here
        counts[holds(part)] += 1
        if holds(part) and not reason:
            problems[f"{path}.{key}: null without a reason"] += 1
        if key in own and not holds(part):
            problems[f"{path}.{key}: a reason without a null"] += 1
        walk(part, f"{path}.{key}", reason)


def check_cells(text):
    for row in csv.DictReader(io.StringIO(text, newline="")):
        notes = {note.split(": ")[0] for note in row["why"].split("; ")}
        check_times("CSV", *(float(row[key]) if row[key] else None for key in TIMES))
        for column, cell in row.items():
            if cell or column == "why":
                continue
            counts["cell"] += 1
            pipe = column.rsplit("_", 1)[0]
            if KIND.get(column, column) not in notes and not (column.endswith(("_shortest", "_longest", "_total")) and notes & {"pipelines", pipe}):
                problems[f"CSV: {column} is empty without a reason"] += 1


for run in RUNS:
    walk(json.loads(report("json", run)), "report")
    check_cells(report("csv", run))
if not (counts[True] and counts[False] and counts["cell"] and counts["time"]):
    problems["nothing was looked at"] += 1
for problem, count in sorted(problems.items())[:40]:
    print(f"{problem} ({count} times)")
sys.exit(1 if problems else 0)
