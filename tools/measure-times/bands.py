#!/usr/bin/env python3
"""Makes the figures of src/analysis/time/bands.def: bands.py PTXLINT [FOLDER...].

Reads testdata/measured (timed, further, later, compilers) and each FOLDER: one with launches.json, measured.jsonl and PTX, or one with spaces.jsonl (configs of
autotuners). Of each kind that `ptxlint report` names as `band`: the percentiles of measured over predicted time, as far out as it takes for nine in ten launches of a
family that is held apart to lie in the band of the others; how many that are, and how wide that band is. A family of kernels counts as 20 launches at most."""
import collections, glob, json, math, os, sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tests/measured"))

from launched import launches_of, report       # pylint: disable=wrong-import-position

FAMILY_MOST, FEW, WANTED, SHARES = 20, 10, 0.9, (0.05, 0.04, 0.03, 0.02, 0.01, 0.005)

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

def band(rows, share):
    return min(1, percentile(rows, share)), max(1, percentile(rows, 1 - share))

def held_apart(rows, share):
    """With each family held apart in turn: the part of its launches that lies in the band of the others, and the median width of these bands; None: too few."""
    sizes = collections.Counter(r["family"] for r in rows)
    inside, total, widths = 0, 0, []
    for family in sizes:
        others = [r for r in rows if r["family"] != family]
        if len(others) < FEW:
            return None
        low, high = band(others, share)
        weight = min(1, FAMILY_MOST / sizes[family])
        inside += weight * sum(low <= r["ratio"] <= high for r in rows if r["family"] == family)
        total += weight * sizes[family]
        widths.append(high / low)
    return inside / total, sorted(widths)[len(widths) // 2]

def describe(kind, rows):
    found = None
    for share in SHARES:
        found = held_apart(rows, share)
        if not found or found[0] >= WANTED:
            break
    low, high = band(rows, share)
    apart = f"held apart {100 * found[0]:.1f} % inside, median width {found[1]:.2f}" if found else "too few to hold apart"
    return f"{kind:8} {len(rows):4} launches of {len({r['family'] for r in rows}):3} families: percentiles {100 * share:g} and {100 - 100 * share:g}: {low:.2f} to {high:.2f}; {apart}"

def main(ptxlint, *folders):
    rows = list(rows_of(ptxlint, folders))
    for gpu in sorted({r["gpu"] for r in rows}):
        here = [r for r in rows if r["gpu"] == gpu]
        print(f"{gpu}: {len(here)} launches, {100 * sum(r['inside'] for r in here) / len(here):.1f} % inside, median width {sorted(r['width'] for r in here)[len(here) // 2]:.2f}")
    rows = [r for r in rows if r["gpu"] == "h200"]
    for kind in sorted({r["kind"] for r in rows}):
        print(describe(kind, [r for r in rows if r["kind"] == kind]))

main(*sys.argv[1:])
