#!/usr/bin/env python3
"""Predicted times and bounds against what a GPU took: check-times.py PTXLINT FOLDER [--verbose].

FOLDER/times.jsonl: kernels launched once each, caches cold. FOLDER/shapes/sweep.jsonl: kernels timed over block shapes, every STEPth of them here.
The figures must be as good as LIMITS says; no bound may be above the time that was measured."""
import json, subprocess, sys, tempfile

LIMITS = {"median_error": 0.12, "mean_error": 0.18, "rank": 0.95, "median_bound": 0.5, "shapes_rank": 0.88}
SLACK = 1.03    # of a bound: clocks and counters are not exact
STEP = 4

def report(ptxlint, path, launches):
    command = [ptxlint, "report", "--format", "json", "--gpu", "h200", "--launch", launches, *path]
    document = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return {k["name"]: k["estimate"] for f in document["files"] for k in f["kernels"]}

def ranks(values):
    places = {}
    for n, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(n)
    return [sum(places[v]) / len(places[v]) for v in values]

def spearman(x, y):
    a, b, middle = ranks(x), ranks(y), (len(x) - 1) / 2
    product = lambda p, q: sum((i - middle) * (j - middle) for i, j in zip(p, q))
    return product(a, b) / (product(a, a) * product(b, b)) ** 0.5

def check_kernels(ptxlint, folder, complain):
    rows = [json.loads(line) for line in open(f"{folder}/times.jsonl")]
    found = report(ptxlint, sorted({f"{folder}/{r['file']}" for r in rows}), f"{folder}/launches.json")
    pairs, shares = [], []
    for row in rows:
        us, estimate = row["duration_ns"] / 1e3, found[row["kernel"]]
        predicted, bound = estimate["predicted_time_us"], estimate["bound_time_us"]
        if predicted is None or bound is None:
            complain(f"{row['kernel']}: nothing predicted")
            continue
        if "--verbose" in sys.argv:
            print(f"{row['kernel']:24} {us:9.2f} predicted {predicted:9.2f} bound {bound:9.2f} {estimate['limiter']}")
        if bound > SLACK * us:
            complain(f"{row['kernel']}: bound {bound:.2f} us, but it took {us:.2f}")
        pairs.append((us, predicted))
        shares.append(bound / us)
    errors = sorted(abs(p - us) / us for us, p in pairs)
    median, mean, rank = errors[len(errors) // 2], sum(errors) / len(errors), spearman(*zip(*pairs))
    share = sorted(shares)[len(shares) // 2]
    print(f"{len(pairs)} kernels: error {100 * median:.1f} % in the median, {100 * mean:.1f} % on average, rank {rank:.3f}, bound {100 * share:.0f} %")
    if median > LIMITS["median_error"] or mean > LIMITS["mean_error"] or rank < LIMITS["rank"] or share < LIMITS["median_bound"]:
        complain("worse than it was")

def check_shapes(ptxlint, folder, complain):
    by_kernel = {}
    for line in open(f"{folder}/shapes/sweep.jsonl"):
        row = json.loads(line)
        by_kernel.setdefault(row["kernel"], []).append(row)
    chosen = {k: v if len(v) < 16 else v[::STEP] for k, v in by_kernel.items()}
    for i in range(max(map(len, chosen.values()))):
        launches = {k: {x: v[i][x] for x in ("grid", "block", "dynamic_shared", "params")} for k, v in chosen.items() if i < len(v)}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"kernels": launches}, file)
            file.flush()
            found = report(ptxlint, [f"{folder}/shapes/shapes.ptx"], file.name)
        for k in launches:
            row = chosen[k][i]
            row["predicted"] = found[k]["predicted_time_us"]
            if found[k]["bound_time_us"] > SLACK * row["us"]:
                complain(f"{k} {row['block']}: bound {found[k]['bound_time_us']:.2f} us, but it took {row['us']:.2f}")
    ranked = []
    for k, rows in chosen.items():
        ranked.append(spearman([r["us"] for r in rows], [r["predicted"] for r in rows]))
        cost = min(rows, key=lambda r: r["predicted"])["us"] / min(r["us"] for r in rows) - 1
        print(f"{k}: {len(rows)} shapes, rank {ranked[-1]:.3f}, choosing by it costs {100 * cost:.1f} %")
    if sorted(ranked)[len(ranked) // 2] < LIMITS["shapes_rank"]:
        complain("shapes rank worse than they did")

def main():
    complaints = []
    check_kernels(sys.argv[1], sys.argv[2], complaints.append)
    check_shapes(sys.argv[1], sys.argv[2], complaints.append)
    print("\n".join(complaints))
    sys.exit(bool(complaints))

main()
