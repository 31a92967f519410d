#!/usr/bin/env python3
"""accuracy.py PTXLINT [FOLDER...] [--check] [--output FILE] -- docs/accuracy.md: how far the figures of ptxlint are true, against what was measured.

Sets are the folders of testdata/ (and each FOLDER, of the same kind: launches.json, and measured.jsonl or times.jsonl with a line a launch), the kernels of
tests/data/hazards, the registers of tests/data/registers.txt, the files of tests/data/isa and tests/messages. Without FOLDER the page is docs/accuracy.md,
else standard output. --check runs what takes a second or two, and says where the page claims more than there is, or was made of other measurements."""
import argparse, glob, hashlib, json, math, os, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests/measured"))

from launched import in_rounds, launches_of, report, spearman       # pylint: disable=wrong-import-position
from machine_access import compare_access, is_comparable            # pylint: disable=wrong-import-position

PAGE = "docs/accuracy.md"
GPU = "h200"
SETS = [    # folder, what it is
    ("testdata/measured", "patterns of accesses, by nvcc"),
    ("testdata/measured/triton", "the same, by Triton"),
    ("testdata/proposals", "before and after a proposal"),
    ("testdata/measured/timed", "usual sizes; the constants of the model were found on these"),
    ("testdata/measured/further", "`one.ptx`: the model was improved on these; `two.ptx`: held out"),
    ("testdata/measured/later", "other kinds; the same halves"),
    ("testdata/measured/compilers", "by XLA, Inductor, Triton, Numba"),
    ("testdata/measured/models", "Triton kernels of models"),
    ("testdata/measured/idioms", "compaction, sorting, merging, searching"),
]
WORST = 3

# ---- running -----------------------------------------------------------------------------------------------------------------------------------------

class Program:
    def __init__(self, path):
        self.path = os.path.abspath(path)

    def json(self, *arguments):
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True, check=False, cwd=ROOT)
        if done.returncode not in (0, 1):
            sys.exit(f"accuracy: {' '.join(arguments)[:200]}: exit {done.returncode}: {done.stderr[:300]}")
        return json.loads(done.stdout)

    def kernels(self, files, launches=None, gpu=GPU):
        """{(file, kernel): its report}"""
        return report(self.path, [os.path.join(ROOT, file) for file in files], launches or {}, gpu)

    def findings(self, files, *options):
        return self.json("--no-config", "--no-baseline", "--format", "json", *options, *files)["diagnostics"]

# ---- sets ---------------------------------------------------------------------------------------------------------------------------------------------

def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]

def measured(program, folder):
    """Each launch that was measured, with its report."""
    folder = os.path.join(ROOT, folder)
    path = next(p for p in (f"{folder}/measured.jsonl", f"{folder}/times.jsonl") if os.path.exists(p))
    rows, launches = lines_of(path), launches_of(folder)
    for row in rows:
        row["launch"] = launches[row["kernel"]].pop(0) if launches.get(row["kernel"]) else {}
    for some in in_rounds(rows):
        files = sorted({f"{folder}/{row['file']}" for row in some})
        found = program.kernels(files, {row["kernel"]: row["launch"] for row in some})
        for row in some:
            row["report"] = found.get((os.path.basename(row["file"]), row["kernel"]))
    return [row for row in rows if row["report"]]

# ---- numbers ------------------------------------------------------------------------------------------------------------------------------------------

def median(values):
    values = sorted(values)
    return values[len(values) // 2] if values else math.nan

def percent(part, whole, digits=1):
    return f"{100 * part / whole:.{digits}f} %" if whole else "-"

def table(head, rows):
    return ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |", *("| " + " | ".join(map(str, row)) + " |" for row in rows), ""]

def worst_of(misses, words):
    """misses: (size, text)."""
    misses = sorted(misses, key=lambda m: (-m[0], m[1]))[:WORST]
    return [f"{words}: " + "; ".join(text for _, text in misses) + ".", ""] if misses else []

# ---- accesses -----------------------------------------------------------------------------------------------------------------------------------------

def accesses_of(rows, unit):
    f = dict(n=0, right=0, exact=0, false=0, unknown=0, data=0, claimed=0)
    misses = []
    for row in rows:
        by_line = {}
        for access in row["report"]["accesses"]:
            by_line.setdefault(access["line"], access)
        for m in row.get("memory") or []:
            access = by_line.get(m["line"])
            is_exact = bool(access) and access["certainty"] == "exact"
            if not m[unit] or not m["threads"]:
                continue
            if m.get("data_dependent"):
                f["data"] += 1
                f["claimed"] += is_exact and access[unit + "_per_request"] is not None
            if not is_comparable(m):
                continue
            figure, real, is_right = compare_access(m, access, unit)
            f["n"] += 1
            f["right"] += is_right
            f["unknown"] += figure is None
            f["exact"] += is_exact
            f["false"] += is_exact and not is_right
            if not is_right:
                shown = "unknown" if figure is None else f"{figure:.3g}"
                misses.append((abs((figure or 0) - real) / real, f"`{row['kernel']}` line {m['line']}: {shown}, measured {real:.3g}"))
    return f, misses

def put_accesses(sets):
    page = ["## Sectors and wavefronts", "",
            "32-byte sectors of a request to global memory, wavefronts of one to shared memory, of 32 active threads, within 2 % (5 % for asynchronous copies). Not "
            "compared: accesses that ptxas joined, narrowed or moved under another predicate.", ""]
    body, misses, counts = [], [], {}
    for folder, rows in sets:
        for unit in ("sectors", "wavefronts"):
            f, missed = accesses_of(rows, unit)
            if f["n"]:
                counts[folder, unit] = f
                body.append([f"`{folder}`", unit, f["n"], f["right"], f["exact"], f["false"], f["unknown"], f["data"], f["claimed"]])
                misses += missed
    page += table(["set", "figure", "compared", "right", "called exact", "exact but wrong", "unknown", "depend on data", "of these called exact"], body)
    page += [f"Misses ({len(misses)}), the largest first: " + "; ".join(text for _, text in sorted(misses, key=lambda m: (-m[0], m[1]))[:12]) + "." if misses else "No misses.", ""]
    return page, counts

# ---- occupancy, registers, instructions ---------------------------------------------------------------------------------------------------------------

def put_occupancy(sets):
    body, misses = [], []
    for folder, rows in sets:
        pairs = [(r["kernel"], r["theoretical_occupancy_pct"], r["report"]["occupancy"]["percent"]) for r in rows if r["report"]["occupancy"]["percent"] is not None]
        body.append([f"`{folder}`", len(rows), len(pairs), sum(abs(a - b) < 0.6 for _, a, b in pairs)])
        misses += [(abs(a - b), f"`{name}`: {b:.1f} %, by the profiler {a:.1f} %") for name, a, b in pairs if abs(a - b) >= 0.6]
    return ["## Occupancy", "", "Theoretical occupancy, by predicted registers, against the profiler's.", "",
            *table(["set", "launches", "reported", "right"], body), *worst_of(misses, "Worst")]

def register_row(name, pairs):
    known = [(k, got, want) for k, got, want in pairs if got["predicted"] is not None]
    errors = [abs(got["predicted"] - want) for _, got, want in known]
    inside = sum(got["low"] <= want <= got["high"] for _, got, want in known)
    return [name, len(pairs), len(known), percent(sum(e == 0 for e in errors), len(errors)), percent(sum(e <= 4 for e in errors), len(errors)),
            f"{sum(errors) / len(errors):.1f}" if errors else "-", percent(inside, len(known))]

def listed_registers(program):
    """[(kernel, registers of the report, what ptxas gave)]"""
    rows = [line.split() for line in open(f"{ROOT}/tests/data/registers.txt", encoding="utf-8") if not line.startswith("#") and line.strip()]
    by_sm, pairs = {}, []
    for file, kernel, sm, registers in (r[:4] for r in rows):
        by_sm.setdefault(sm, []).append((file, kernel, int(registers)))
    for sm, some in by_sm.items():
        files = sorted({f"testdata/ptx/{f}" for f, _, _ in some if os.path.exists(f"{ROOT}/testdata/ptx/{f}")})
        found = program.kernels(files, gpu=f"sm_{sm}") if files else {}
        pairs += [(f"{kernel} (sm_{sm})", found[file, kernel]["registers"], want) for file, kernel, want in some if (file, kernel) in found]
    return pairs

LEAST_SHOWN = 16        # the profiler shows no fewer

def shown(registers):
    return {key: max(registers[key], LEAST_SHOWN) if registers[key] is not None else None for key in ("predicted", "low", "high")}

def put_registers(program, sets):
    listed = [("`tests/data/registers.txt`", listed_registers(program))]
    listed += [(f"`{folder}`", [(r["kernel"], shown(r["report"]["registers"]), r["registers"]) for r in rows]) for folder, rows in sets]
    misses = [(abs(got["predicted"] - want), f"`{k}`: {got['predicted']} ({got['low']} to {got['high']}), ptxas {want}")
              for _, pairs in listed for k, got, want in pairs if got["predicted"] is not None]
    return ["## Registers", "", "Predicted registers a thread against what ptxas 13.0 allocated; the band is meant to hold nine in ten. For all sets but the first the profiler says what was "
            "allocated: at least 16, so that fewer count as 16 there.", "",
            *table(["set", "kernels", "predicted", "exact", "within 4", "mean error", "in the band"], [register_row(*one) for one in listed]), *worst_of(misses, "Worst")]

def put_counts(sets):
    body, misses = [], []
    for folder, rows in sets:
        pairs = [(r["kernel"], r["warp_instructions"], r["report"]["estimate"]["warp_instructions"]) for r in rows]
        known = [(k, a, b) for k, a, b in pairs if a and b]
        errors = [abs(math.log(b / a)) for _, a, b in known]
        body.append([f"`{folder}`", len(pairs), len(known), percent(sum(e <= math.log(1.1) for e in errors), len(errors)),
                     percent(sum(e <= math.log(1.25) for e in errors), len(errors)), f"{100 * (math.exp(median(errors)) - 1):.1f} %"])
        misses += [(e, f"`{k}`: {b:.4g}, measured {a:.4g}") for e, (k, a, b) in zip(errors, known)]
    page = ["## Instructions", "", "Machine instructions that all warps execute, against the profiler's count.", "",
            *table(["set", "launches", "estimated", "within 10 %", "within 25 %", "median error"], body), *worst_of(misses, "Worst")]
    return page

def put_flops(sets):
    body, misses = [], []
    for folder, rows in sets:
        for key, names in (("flops_fp32", ("ffma", "fadd", "fmul")), ("flops_fp64", ("dfma", "dadd", "dmul"))):
            pairs = [(r["kernel"], sum((2 if i == 0 else 1) * r["thread_ops"].get(n, 0) for i, n in enumerate(names)), r["report"]["estimate"][key])
                     for r in rows if r.get("thread_ops")]
            pairs = [(k, a, b) for k, a, b in pairs if b is not None and (a or b)]
            if pairs:
                body.append([f"`{folder}`", key, len(pairs), sum(abs(a - b) <= 0.05 * a for _, a, b in pairs)])
            misses += [(abs(math.log((b + 1) / (a + 1))), f"`{k}`: {b:.4g} {key}, measured {a:.4g}") for k, a, b in pairs if abs(a - b) > 0.05 * a]
    return ["## Floating-point operations", "", "Of active threads, a fused multiply-add as 2; those that divisions and functions are made of count on the GPU, too.", "",
            *table(["set", "figure", "compared", "within 5 %"], body), *worst_of(misses, "Worst")]

# ---- time ---------------------------------------------------------------------------------------------------------------------------------------------

BOUND_SLACK = 1.003     # clocks and counters are not exact

def put_bounds(sets):
    body, misses = [], []
    for folder, rows in sets:
        pairs = [(r["kernel"], r["duration_ns"] / 1e3, r["report"]["estimate"]["bound_time_us"]) for r in rows]
        known = [(k, t, b) for k, t, b in pairs if b]
        broken = [(k, t, b) for k, t, b in known if b > BOUND_SLACK * t]
        shares = [b / t for _, t, b in known]
        body.append([f"`{folder}`", len(pairs), len(known), len(broken), percent(median(shares), 1, 0), percent(min(shares), 1, 0) if shares else "-"])
        misses += [(b / t, f"`{k}`: bound {b:.2f} us, it took {t:.2f}") for k, t, b in broken]
    return ["## Bounds on time", "", "No launch may be faster than its bound. The share is of the time that was measured.", "",
            *table(["set", "launches", "with a bound", "bound above the time", "share in the median", "smallest share"], body),
            *(worst_of(misses, "Above") or ["No bound is above its time.", ""])]

def put_predictions(sets):
    body, misses = [], []
    for folder, rows in sets:
        known = [(r["kernel"], r["duration_ns"] / 1e3, r["report"]["estimate"]) for r in rows if r["report"]["estimate"]["predicted_time_us"]]
        errors = [abs(e["predicted_time_us"] - t) / t for _, t, e in known]
        bands = [(e["predicted_low_us"], t, e["predicted_high_us"]) for _, t, e in known if e.get("predicted_low_us") and e.get("predicted_high_us")]
        body.append([f"`{folder}`", len(rows), len(known), percent(sum(errors), len(errors)), percent(median(errors), 1), percent(sum(e <= 1 and 2 * k[2]["predicted_time_us"] >= k[1] for e, k in zip(errors, known)), len(known)),
                     f"{spearman([t for _, t, _ in known], [e['predicted_time_us'] for _, _, e in known]):.3f}", percent(sum(lo <= t <= hi for lo, t, hi in bands), len(bands)),
                     f"{median([hi / lo for lo, _, hi in bands]):.2f}" if bands else "-"])
        misses += [(abs(math.log(e["predicted_time_us"] / t)), f"`{k}`: {e['predicted_time_us']:.1f} us, it took {t:.1f}") for k, t, e in known]
    return ["## Predicted time", "", "Against one launch under the profiler, caches cold. The band is meant to hold nine in ten; its width is high over low.", "",
            *table(["set", "launches", "predicted", "mean error", "median error", "within twice", "rank correlation", "in the band", "width, median"], body), *worst_of(misses, "Worst")]

# ---- hazards ------------------------------------------------------------------------------------------------------------------------------------------

HAZARD = re.compile(r"COR(104|121|124|127|13.)$")

def hazard_findings(program):
    """{(file, kernel): findings}"""
    found = {}
    for path in sorted(glob.glob(f"{ROOT}/tests/data/hazards/*.ptx")):
        launch = path[:-4] + ".json"
        for d in program.findings([path], *(["--launch", launch] if os.path.exists(launch) else [])):
            if HAZARD.match(d["rule"]):
                found.setdefault((os.path.basename(path), d["kernel"]), []).append(d)
    return found

def repaired(program, path, finding):
    """Whether the finding, or another of its rule in its kernel, is there behind its repair."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for one in sorted(finding["repair"]["insert"], key=lambda i: -i["line"]):
        lines.insert(one["line"] - 1, one["text"])
    launch = path[:-4] + ".json"
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write("\n".join(lines))
        file.flush()
        left = program.findings([file.name], *(["--launch", launch] if os.path.exists(launch) else []))
    return not any(d["severity"] == "error" and d["kernel"] == finding["kernel"] and d["rule"] in (finding["rule"], "SYN101", "SYN201") for d in left)

def hazards_of(program, with_repairs=True):
    labels, found = lines_of(f"{ROOT}/tests/data/hazards/labels.jsonl"), hazard_findings(program)
    f = dict(kernels=len(labels), faulty=0, found=0, clean=0, silent=0, explained=0, findings=0, repairs=0, good=0)
    misses = []
    for label in labels:
        is_faulty = bool(label["races"] or label["barriers"] or label.get("blocks") or label.get("hangs"))
        is_told = (label["file"], label["kernel"]) in found
        f["explained"] += "why" in label
        if "why" in label:
            continue
        f["faulty"] += is_faulty
        f["found"] += is_faulty and is_told
        f["clean"] += not is_faulty
        f["silent"] += not is_faulty and not is_told
        if is_faulty != is_told:
            misses.append(f"`{label['kernel']}`: {'not found' if is_faulty else 'a false alarm'}")
    for (file, _), some in sorted(found.items()):
        for finding in some:
            f["findings"] += 1
            if finding.get("repair") and with_repairs:
                f["repairs"] += 1
                f["good"] += repaired(program, f"{ROOT}/tests/data/hazards/{file}", finding)
    return f, misses

def put_hazards(f, misses):
    return ["## Hazards", "", f"Kernels of `tests/data/hazards`, with what compute-sanitizer saw on an H200. {f['explained']} of the {f['kernels']} are left out: the labels say "
            "why sanitizer and PTX ISA differ there.", "",
            *table(["faulty", "found", "without fault", "no finding"], [[f["faulty"], f["found"], f["clean"], f["silent"]]]),
            ("Misses: " + "; ".join(misses) + "." if misses else "No misses."), "", "## Repairs", "",
            "Findings of hazards whose `repair` was put into the file, which was then read again: the finding must be gone, and no error new.", "",
            *table(["findings", "with a repair", "that hold"], [[f["findings"], f["repairs"], f["good"]]])]

# ---- instruction set ----------------------------------------------------------------------------------------------------------------------------------

def with_findings(program, folder, severities):
    """(files, those with such a finding), the whole folder at once."""
    paths = sorted(glob.glob(f"{ROOT}/{folder}/**/*.ptx", recursive=True))
    found = {d["path"] for d in program.findings(paths, "--only", "syntax") if d["severity"] in severities}
    return paths, [p for p in paths if p in found]

def isa_of(program):
    return [[f"`{folder}`", what, len(paths), len(paths) - len(bad) if is_good else len(bad)]
            for folder, what, is_good in (("tests/data/isa/accept", "accepted", True), ("tests/data/isa/lenient", "accepted", True), ("tests/messages", "rejected", False))
            for paths, bad in [with_findings(program, folder, ("error",) if is_good else ("error", "warning"))]]

def put_isa(rows):
    return ["## Instruction set", "", "Files that ptxas 13.0 accepts: no error. Mistakes that it rejects: an error, or a warning where other readers of PTX accept them.", "", *table(["set", "ptxas", "files", "ptxlint agrees"], [[a, b, c, d] for a, b, c, d in rows])]

# ---- the page -----------------------------------------------------------------------------------------------------------------------------------------

HEAD = """# How far the figures are true

Made by `tools/accuracy.py build/ptxlint`; misses are listed as they are. Times, accesses and instruction counts were measured on one NVIDIA H200 (sm_90) with CUDA 13.0: on
other GPUs the same model is used with their figures, and nothing there was measured. The kernels are in `testdata/`.
"""

ASSUMED = """## What is assumed

- Predictions assume an idle GPU, the clock of its GPU file and cold caches. Pointers are aligned to 256 bytes and do not overlap.
- Every measured launch gives its grid, block and parameters: what the first table counts as assumed are trips of loops that data end. Where a launch lacks a parameter,
  `launch.assumed` names what was taken instead, figures that rest on it are estimates at most, and there is no bound.
- What memory holds is not known: sectors of such addresses, and loops that data end, are estimates.
- Registers are those of ptxas 13.0 at its default options; `--ptxas` asks another one.
- compute-sanitizer saw the races of one run each; it does not follow atomics and asynchronous copies.
"""

def digest(folders):
    total = hashlib.sha256()
    for folder in folders:
        for path in sorted(glob.glob(f"{ROOT}/{folder}/*")):
            if path.endswith((".jsonl", ".json", ".ptx")):
                with open(path, "rb") as file:
                    total.update(os.path.relpath(path, ROOT).encode() + b"\0" + file.read())
    return total.hexdigest()[:16]

def write_page(program, folders):
    sets = [(folder, measured(program, folder)) for folder in [s for s, _ in SETS] + folders]
    assumed = {s: sum(bool(r["report"]["launch"]["assumed"]) for r in rows) for s, rows in sets}
    about = table(["set", "launches", "with something assumed", "what"], [[f"`{s}`", len(rows), assumed[s], dict(SETS).get(s, "given by hand")] for s, rows in sets])
    accesses, _ = put_accesses(sets)
    page = [HEAD, *about, *accesses, *put_occupancy(sets), *put_registers(program, sets), *put_counts(sets), *put_flops(sets), *put_bounds(sets), *put_predictions(sets),
            *put_hazards(*hazards_of(program)), *put_isa(isa_of(program)), ASSUMED, f"Measurements: {digest([s for s, _ in SETS])}."]
    return "\n".join(page) + "\n"

def row_of(page, *cells):
    """The numbers of the row that begins with these cells."""
    row = next((line for line in page.split("\n") if line.startswith("| " + " | ".join(cells) + " |")), None)
    return [int(n) for n in re.findall(r"\| (\d+) (?=\|)", row)] if row else None

def check(program, page):
    """What the page claims that is not so: of what can be run again in a second or two."""
    problems = []
    again = "run tools/accuracy.py PTXLINT"
    if f"Measurements: {digest([s for s, _ in SETS])}." not in page:
        problems.append(f"{PAGE}: the measurements in testdata/ are others than those that it was made of; {again}")
    fast = ["testdata/measured/triton", "testdata/proposals"]
    _, counts = put_accesses([(folder, measured(program, folder)) for folder in fast])
    for (folder, unit), f in counts.items():
        claimed = row_of(page, f"`{folder}`", unit)
        if not claimed or f["n"] < claimed[0] or f["right"] < claimed[1] or f["false"] > claimed[3]:
            problems.append(f"{PAGE}: {folder}, {unit}: claimed {claimed}, now {list(f.values())}; {again}")
    for name, what, files, agrees in isa_of(program):
        claimed = row_of(page, name, what)
        if not claimed or files - agrees > claimed[0] - claimed[1]:
            problems.append(f"{PAGE}: {name}: claimed {claimed}, now {agrees} of {files}; {again}")
    return problems

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ptxlint")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--output")
    options = parser.parse_args()
    program, path = Program(options.ptxlint), f"{ROOT}/{PAGE}"
    if options.check:
        with open(path, encoding="utf-8") as file:
            problems = check(program, file.read())
        sys.exit("\n".join(problems) if problems else 0)
    page = write_page(program, [os.path.abspath(f) for f in options.folders])
    if options.folders and not options.output:
        print(page, end="")
        return
    with open(options.output or path, "w", encoding="utf-8") as file:
        file.write(page)

main()
