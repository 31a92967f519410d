#!/usr/bin/env python3
"""Predicted times and bounds against what a GPU took: check-times.py PTXLINT FOLDER [--verbose] [--pairs].

FOLDER/times.jsonl: launches of kernels once each, caches cold. FOLDER/shapes/sweep.jsonl: kernels timed over block shapes, some of them here.
The figures of each file, and of the shapes of each prefix, must be as good as LIMITS says; no bound may be above the time that was measured.
--pairs: all shapes, and how far the predicted ratio of two shapes' times is from the measured one, for each kernel and all pairs."""
import itertools, json, math, os, sys

from launched import LAUNCH_KEYS, in_rounds, launches_of, report, spearman

# median and mean error, rank, median bound; of shapes: the median rank
LIMITS = {
    "timed/streams.ptx": (0.12, 0.15, 0.95, 0.5), "timed/kernels.ptx": (0.13, 0.22, 0.92, 0.5), "timed/sh": 0.88,
    "compilers/xla.ptx": (0.11, 0.23, 0.85, 0.5), "compilers/inductor.ptx": (0.14, 0.15, 0.85, 0.55), "compilers/triton.ptx": (0.12, 0.5, 0.9, 0.45),
    "compilers/numba.ptx": (0.13, 0.18, 0.93, 0.35), "models/models.ptx": (0.13, 0.19, 0.85, 0.45), "idioms/idioms.ptx": (0.2, 0.25, 0.9, 0.15),
    "further/one.ptx": (0.15, 0.21, 0.91, 0.47), "further/two.ptx": (0.16, 0.18, 0.92, 0.44), "further/sx": 0.80, "further/sy": 0.80,
    "wider/one.ptx": (0.1, 0.23, 0.95, 0.5),
    "wider/two.ptx": (0.14, 0.22, 0.9, 0.4),
    "wider/three.ptx": (0.13, 0.25, 0.87, 0.35), "wider/four.ptx": (0.12, 0.46, 0.78, 0.35),
    "stores/stores.ptx": (0.07, 0.12, 0.95, 0.3),
    "later/one.ptx": (0.2, 0.32, 0.92, 0.27), "later/two.ptx": (0.17, 0.54, 0.75, 0.31), "later/sp": 0, "later/sq": 0,
}
SLACK = 1.03    # of a bound: clocks and counters are not exact
BANDED = 0.75    # of the launches of a file, at the least: nine in ten of all
GRAPH_US = 0.4  # launches in a graph follow each other faster than one that stands alone begins
SHAPES = {"timed": 8, "further": 8, "later": 4}    # of a kernel, about

def predict(ptxlint, paths, rows):
    """Each row with its estimate."""
    for some in in_rounds(rows):
        found = report(ptxlint, paths, {r["kernel"]: r["launch"] for r in some})
        for row in some:
            row["estimate"] = next(k["estimate"] for (_, name), k in found.items() if name == row["kernel"])

def check_order(name, estimate, complain):
    order = [estimate[key] for key in ("bound_time_us", "predicted_low_us", "predicted_time_us", "predicted_high_us")]
    if None in order or order != sorted(order):
        complain(f"{name}: bound, band and prediction are {order}")

def check_kernels(ptxlint, folder, name, rows, complain):
    predict(ptxlint, [f"{folder}/{name}"], rows)
    pairs, shares, inside = [], [], 0
    for row in rows:
        us, predicted, bound = row["duration_ns"] / 1e3, row["estimate"]["predicted_time_us"], row["estimate"]["bound_time_us"]
        if "--verbose" in sys.argv:
            print(f"{row['kernel']:24} {us:9.2f} predicted {predicted or 0:9.2f} bound {bound or 0:9.2f} {row['estimate']['limiter']}")
        if bound and bound > SLACK * us:
            complain(f"{row['kernel']}: bound {bound:.2f} us, but it took {us:.2f}")
        check_order(row["kernel"], row["estimate"], complain)
        inside += row["estimate"]["predicted_low_us"] <= us <= row["estimate"]["predicted_high_us"]
        pairs.append((us, predicted or 0))
        shares.append((bound or 0) / us)
    errors = sorted(abs(p - us) / us for us, p in pairs)
    figures = errors[len(errors) // 2], sum(errors) / len(errors), spearman(*zip(*pairs)), sorted(shares)[len(shares) // 2]
    print("%s: %d launches: error %.1f %% in the median, %.1f %% on average, rank %.3f, bound %.0f %%" % (name, len(pairs), *(f * (100 if n != 2 else 1) for n, f in enumerate(figures))))
    if inside < BANDED * len(pairs):
        complain(f"{name}: {inside} of {len(pairs)} times lie in their bands")
    most = LIMITS[f"{os.path.basename(folder)}/{name}"]
    if figures[0] > most[0] or figures[1] > most[1] or figures[2] < most[2] or figures[3] < most[3]:
        complain(f"{name}: worse than it was")

def print_pairs(ptxlint, folder, by_kernel):
    predict(ptxlint, [f"{folder}/shapes/shapes.ptx"], [r for rows in by_kernel.values() for r in rows])
    ratio = lambda a, b: math.log(a["estimate"]["predicted_time_us"] / b["estimate"]["predicted_time_us"]) - math.log(a["us"] / b["us"])
    every = []
    for k, rows in by_kernel.items():
        errors = sorted(abs(ratio(a, b)) for a, b in itertools.combinations(rows, 2))
        every += errors
        print(f"{k}: {len(errors)} pairs, off by {100 * math.expm1(errors[len(errors) // 2]):.1f} % in the median")
    every.sort()
    print(f"all: {len(every)} pairs, {100 * math.expm1(every[len(every) // 2]):.1f} % in the median, {100 * math.expm1(every[len(every) * 9 // 10]):.1f} % nine in ten")

def check_shapes(ptxlint, folder, complain):
    by_kernel, ranked = {}, {}
    for line in open(f"{folder}/shapes/sweep.jsonl"):
        row = json.loads(line)
        by_kernel.setdefault(row["kernel"], []).append({**row, "launch": {k: row[k] for k in LAUNCH_KEYS if k in row}})
    if "--pairs" in sys.argv:
        return print_pairs(ptxlint, folder, by_kernel)
    by_kernel = {k: rows[::max(1, len(rows) // SHAPES[os.path.basename(folder)])] for k, rows in by_kernel.items()}
    predict(ptxlint, [f"{folder}/shapes/shapes.ptx"], [r for rows in by_kernel.values() for r in rows])
    for k, rows in by_kernel.items():
        for row in rows:
            bound = row["estimate"]["bound_time_us"]
            check_order(f"{k} {row['block']}", row["estimate"], complain)
            if bound > SLACK * row["us"] + GRAPH_US:
                complain(f"{k} {row['block']}: bound {bound:.2f} us, but it took {row['us']:.2f}")
        predicted = [r["estimate"]["predicted_time_us"] for r in rows]
        rank = spearman([r["us"] for r in rows], predicted)
        ranked.setdefault(k[:2], []).append(rank)
        cost = rows[predicted.index(min(predicted))]["us"] / min(r["us"] for r in rows) - 1
        print(f"{k}: {len(rows)} shapes, rank {rank:.3f}, choosing by it costs {100 * cost:.1f} %")
    for prefix, ranks_of in ranked.items():
        if sorted(ranks_of)[len(ranks_of) // 2] < LIMITS[f"{os.path.basename(folder)}/{prefix}"]:
            complain(f"{prefix}: shapes rank worse than they did")

def main(ptxlint, folder):
    complaints, launches, by_file = [], launches_of(folder), {}
    for line in open(f"{folder}/times.jsonl"):
        row = json.loads(line)
        by_file.setdefault(row["file"], []).append({**row, "launch": launches[row["kernel"]].pop(0)})
    for name, rows in by_file.items():
        check_kernels(ptxlint, folder, name, rows, complaints.append)
    if os.path.exists(f"{folder}/shapes"):
        check_shapes(ptxlint, folder, complaints.append)
    print("\n".join(complaints))
    sys.exit(bool(complaints))

main(*sys.argv[1:3])
