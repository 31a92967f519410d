#!/usr/bin/env python3
"""Makes the figures of src/analysis/time/bands.def: bands.py PTXLINT [FOLDER...].

Reads testdata/measured (timed, further, later, compilers) and each FOLDER: one with launches.json, measured.jsonl and PTX, or one with spaces.jsonl (configs of
autotuners). Of each kind that `ptxlint report` names as `band`: the 5th and 95th percentile of measured over predicted time, a family of kernels counting as 20
launches at most; then, with each family held apart in turn, how many of its launches lie in the band of the others, and how wide that is."""
import collections, glob, json, math, os, sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tests/measured"))

from launched import launches_of, report       # pylint: disable=wrong-import-position

FAMILY_MOST, LOW, HIGH, FEW = 20, 0.05, 0.95, 10

def estimates(ptxlint, paths, launches, gpu):
    return {name: k["estimate"] for (_, name), k in report(ptxlint, paths, launches, gpu).items()}

def of_times(ptxlint, folder):
    launches = launches_of(folder)
    rounds = collections.defaultdict(dict)
    for line in open(f"{folder}/times.jsonl"):
        row = json.loads(line)
        turn = sum(row["kernel"] in some for key, some in rounds.items() if key[0] == row["file"])
        rounds[row["file"], turn][row["kernel"]] = launches[row["kernel"]].pop(0), row["duration_ns"] / 1e3
    for (file, _), some in rounds.items():
        found = estimates(ptxlint, [f"{folder}/{file}"], {k: launch for k, (launch, _) in some.items()}, "h200")
        for kernel, (_, us) in some.items():
            yield kernel, "h200", us, found[kernel]

def of_truth(ptxlint, folder):
    launches = json.load(open(f"{folder}/launches.json"))["kernels"]
    found = estimates(ptxlint, sorted(glob.glob(f"{folder}/*.ptx")), launches, "h200")
    for line in open(f"{folder}/measured.jsonl"):
        row = json.loads(line)
        if row["kernel"] in found and row.get("duration_ns"):
            yield row["kernel"], "h200", row["duration_ns"] / 1e3, found[row["kernel"]]

def of_spaces(ptxlint, folder):
    for line in open(f"{folder}/spaces.jsonl"):
        row = json.loads(line)
        if not row.get("ncu_us"):
            continue
        family = row["kernel"] if row["space"] == "q2" else row["space"]
        yield family, row["device"], row["ncu_us"], estimates(ptxlint, [f"{folder}/{row['ptx']}"], {row["kernel"]: row["launch"]}, row["device"])[row["kernel"]]

def rows_of(ptxlint, folders):
    sources = [of_times(ptxlint, f"{ROOT}/testdata/measured/{name}") for name in ("timed", "further", "later", "compilers")]
    sources += [of_spaces(ptxlint, f) if os.path.exists(f"{f}/spaces.jsonl") else of_truth(ptxlint, f) for f in folders]
    for source in sources:
        for family, gpu, us, estimate in source:
            if estimate["predicted_time_us"]:
                yield {"family": family, "gpu": gpu, "ratio": us / estimate["predicted_time_us"], "kind": estimate["band"],
                       "inside": estimate["predicted_low_us"] <= us <= estimate["predicted_high_us"], "width": estimate["predicted_high_us"] / estimate["predicted_low_us"]}

def percentile(rows, share):
    sizes = collections.Counter(r["family"] for r in rows)
    weighted = sorted((r["ratio"], min(1, FAMILY_MOST / sizes[r["family"]])) for r in rows)
    left = share * sum(w for _, w in weighted)
    for ratio, weight in weighted:
        left -= weight
        if left <= 0:
            return ratio
    return weighted[-1][0]

def band(rows):
    return min(1, percentile(rows, LOW)), max(1, percentile(rows, HIGH))

def main(ptxlint, *folders):
    rows = list(rows_of(ptxlint, folders))
    for gpu in sorted({r["gpu"] for r in rows}):
        here = [r for r in rows if r["gpu"] == gpu]
        print(f"{gpu}: {len(here)} launches, {100 * sum(r['inside'] for r in here) / len(here):.1f} % inside, median width {sorted(r['width'] for r in here)[len(here) // 2]:.2f}")
    rows = [r for r in rows if r["gpu"] == "h200"]
    for kind in sorted({r["kind"] for r in rows}):
        here = [r for r in rows if r["kind"] == kind]
        inside, widths = 0, []
        for family in {r["family"] for r in here}:
            others = [r for r in here if r["family"] != family]
            if len(others) < FEW:
                continue
            low, high = band(others)
            held = [r for r in here if r["family"] == family]
            inside += sum(low <= r["ratio"] <= high for r in held)
            widths += [high / low] * len(held)
        apart = f"held apart {100 * inside / len(widths):.1f} % inside, median width {sorted(widths)[len(widths) // 2]:.2f}" if widths else "too few to hold apart"
        low, high = band(here)
        print(f"{kind:8} {len(here):4} launches of {len({r['family'] for r in here}):3} families: {low:.2f} to {high:.2f}; {apart}")

main(*sys.argv[1:])
