"""check-chains.py PTXLINT FOLDER -- the predicted latency of one operation after the other against what a GPU took: within a third,
but for those that times.json says are missed."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

LEAST, MOST = 0.75, 1.33
ptxlint, folder = sys.argv[1], Path(sys.argv[2])
times = json.loads((folder / "times.json").read_text())


def predict(iterations):
    """{kernel: predicted microseconds}"""
    launches = [{"kernel": name, "grid": [1, 1, 1], "block": [32, 1, 1], "params": [None, *row["params"], iterations]}
                for name, row in times["kernels"].items()]
    with tempfile.TemporaryDirectory() as made:
        launch = Path(made) / "launch.json"
        launch.write_text(json.dumps({"launches": launches}))
        command = [ptxlint, "report", "--format", "json", "--gpu", times["gpu"], "--launch", str(launch), str(folder / "chains.ptx")]
        report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {kernel["name"]: kernel["estimate"]["predicted_time_us"] for kernel in report["files"][0]["kernels"]}


short, long = (predict(iterations) for iterations in times["iterations"])
wrong = 0
for name, row in times["kernels"].items():
    ratio = (long[name] - short[name]) / row["us"]
    is_near = LEAST <= ratio <= MOST
    if is_near == ("missed" in row):
        print(f"{name}: predicted {ratio:.2f} of the {row['us']} us measured" + (": no longer missed" if is_near else ""))
        wrong += 1
print(f"{len(times['kernels'])} chains, {wrong} wrong")
sys.exit(wrong != 0)
