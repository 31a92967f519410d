#!/usr/bin/env python3
"""check-gains.py PTXLINT FOLDER -- gains that findings on accesses promise, against the same kernel repaired, as predicted and as measured.

FOLDER/times.json: us of NAME_before and NAME_after on an H200, events, medians of 21; L2 was written before each."""
import json, subprocess, sys

PREDICTED, MEASURED = 8, 15     # points, of the time before
RULES = ("MEM201", "MEM202", "MEM203")

def main(ptxlint, folder):
    command = [ptxlint, "report", "--no-config", "--format", "json", "--gpu", "h200", "--launch", f"{folder}/launches.json", f"{folder}/repairs.ptx"]
    document = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    predicted = {k["name"]: k["estimate"]["predicted_time_us"] for k in document["files"][0]["kernels"]}
    measured = json.load(open(f"{folder}/times.json", encoding="utf-8"))
    complaints = []
    for before in sorted(k for k in measured if k.endswith("_before")):
        after = before.replace("_before", "_after")
        saved = [100 * (1 - times[after] / times[before]) for times in (predicted, measured)]
        gains = [d["gain_percent"] or 0 for d in document["diagnostics"] if d["kernel"] == before and d["rule"] in RULES]
        promised = max(gains, default=None)
        print(f"{before}: promised {promised or 0:.0f} %, predicted {saved[0]:.0f}, measured {saved[1]:.0f}")
        if promised is None:
            complaints.append(f"{before}: no finding")
        elif abs(promised - saved[0]) > PREDICTED or abs(promised - saved[1]) > MEASURED:
            complaints.append(f"{before}: {promised:.0f} % are promised")
    print("\n".join(complaints))
    sys.exit(bool(complaints))

main(*sys.argv[1:3])
