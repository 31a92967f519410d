#!/usr/bin/env python3
"""How well `ptxlint report` predicts each family of kernels, and whether what bands.def says of the others holds for it: families.py PTXLINT SPACES.

SPACES: a folder with spaces.jsonl, configs of tuning spaces and single kernels with their times on GPUs. A family is GEMM, attention, reductions, stencils or sparse, by what its
kernels do; what fits none is others. For each of them: launches, the median and mean error, the rank correlation and the cost of the predicted best of its spaces, launches inside
their band, and launches inside a band that is made of the other families alone (percentiles 5 and 95 of measured over predicted time). Nothing in the model is fitted to such a family, so leaving it out
changes the band alone."""
import collections, json, os, statistics, subprocess, sys, tempfile

FAMILIES = {
    "gemm": ("gemm", "mm", "splitk", "gemv", "conv", "lud", "gaussian"), "attention": ("flash", "attn", "attention"), "reductions": ("sum", "softmax", "ln", "norm", "argmax", "pgain", "causalconv", "swiglu"),
    "stencils": ("conv7", "hotspot", "srad", "jacobi", "fdtd", "convcols", "conv_cols", "nlm", "hpgmg", "lbm"), "sparse": ("csr", "spmv", "coo", "ell", "gather", "edge", "sssp", "bfs", "cchook", "bloom"),
}
SINGLE = "q2"      # the space of single kernels

def family_of(row):
    name = (row["kernel"] if row["space"] == SINGLE else row["space"]).lower()
    found = [(len(part), family) for family, parts in FAMILIES.items() for part in parts if part in name]
    return max(found)[1] if found else "others"

def estimate(ptxlint, folder, row):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as launch:
        json.dump({"kernels": {row["kernel"]: row["launch"]}}, launch)
        launch.flush()
        done = subprocess.run([ptxlint, "report", "--format", "json", "--no-config", "--gpu", row["device"], "--launch", launch.name, f"{folder}/{row['ptx']}"], capture_output=True, text=True, check=False)
    kernels = json.loads(done.stdout)["files"][0]["kernels"]
    return next(k["estimate"] for k in kernels if k["name"] == row["kernel"])

def ranks(values):
    places = collections.defaultdict(list)
    for place, value in enumerate(sorted(values)):
        places[value].append(place)
    return [statistics.mean(places[v]) for v in values]

def correlation(rows):
    return statistics.correlation(ranks([r["us"] for r in rows]), ranks([r["predicted"] for r in rows])) if len(rows) > 2 else None

def cost(rows):
    """Of the predicted best over the true one, percent."""
    return 100 * (min(rows, key=lambda r: r["predicted"])["us"] / min(r["us"] for r in rows) - 1)

def percentile(values, share):
    return sorted(values)[round(share * (len(values) - 1))]

def describe(family, rows):
    here, others = [r for r in rows if r["family"] == family], collections.defaultdict(list)
    for r in rows:
        if r["family"] != family:
            others[r["kind"]].append(r["us"] / r["predicted"])
    errors = [100 * abs(r["predicted"] / r["us"] - 1) for r in here]
    spaces = collections.defaultdict(list)
    for r in here:
        if r["space"] != SINGLE:
            spaces[r["space"]].append(r)
    judged = [r for r in here if len(others[r["kind"]]) >= 10]
    apart = [percentile(others[r["kind"]], .05) <= r["us"] / r["predicted"] <= percentile(others[r["kind"]], .95) for r in judged]
    text = f"{family:10} {len(here):4} launches: error {statistics.median(errors):.0f} % in the median, {statistics.mean(errors):.0f} % on average; {100 * statistics.mean(r['inside'] for r in here):.0f} % inside the band"
    text += f", {100 * statistics.mean(apart):.0f} % of {len(judged)} inside that of the others" if apart else ""
    if spaces:
        text += f"; {len(spaces)} spaces: rank {statistics.median(correlation(s) for s in spaces.values()):.2f}, least {min(correlation(s) for s in spaces.values()):.2f}, best costs {max(cost(s) for s in spaces.values()):.1f} % at most"
    return text

def main(ptxlint, folder):
    rows = collections.defaultdict(list)
    for line in open(os.path.join(folder, "spaces.jsonl")):
        row = json.loads(line)
        found = estimate(ptxlint, folder, row)
        if row.get("ncu_us") and found["predicted_time_us"]:
            rows[row["device"]].append({"family": family_of(row), "space": row["space"], "us": row["ncu_us"], "predicted": found["predicted_time_us"], "kind": found["band"],
                                        "inside": found["predicted_low_us"] <= row["ncu_us"] <= found["predicted_high_us"]})
    for gpu, here in sorted(rows.items()):
        print(f"{gpu}: {len(here)} launches")
        for family in sorted({r["family"] for r in here}):
            print("  " + describe(family, here))

main(*sys.argv[1:])
