"""launched.py -- launches that were measured, their reports, and ranks of figures: for the scripts that hold the program to measurements."""
import json, os, subprocess, tempfile

LAUNCH_KEYS = ("grid", "block", "dynamic_shared", "cluster", "params")

def launches_of(folder):
    """{kernel: its launches}, in order; launches.json has the second and further ones of a kernel under "launches"."""
    with open(f"{folder}/launches.json", encoding="utf-8") as file:
        listed = json.load(file)
    launches = {k: [launch] for k, launch in listed["kernels"].items()}
    for more in listed.get("launches", []):
        launches[more["kernel"]].append({k: more[k] for k in LAUNCH_KEYS if k in more})
    return launches

def report(ptxlint, paths, launches, gpu="h200"):
    """{(file, kernel): its report}; launches: the path of a launch file, or {kernel: its launch}."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"kernels": {} if isinstance(launches, str) else launches}, file)
        file.flush()
        given = launches if isinstance(launches, str) else file.name
        command = [ptxlint, "report", "--no-config", "--format", "json", "--gpu", gpu, "--launch", given, *paths]
        document = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return {(os.path.basename(f["path"]), k["name"]): k for f in document["files"] for k in f["kernels"]}

def in_rounds(rows):
    """The rows in lists that hold each kernel at most once."""
    rounds, seen = [], {}
    for row in rows:
        n = seen[row["kernel"]] = seen.get(row["kernel"], -1) + 1
        rounds += [[]] if n == len(rounds) else []
        rounds[n].append(row)
    return rounds

def ranks(values):
    places = {}
    for n, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(n)
    return [sum(places[v]) / len(places[v]) for v in values]

def spearman(x, y):
    """NaN where there are not three, or all are alike."""
    a, b, middle = ranks(x), ranks(y), (len(x) - 1) / 2
    product = lambda p, q: sum((i - middle) * (j - middle) for i, j in zip(p, q))
    spread = (product(a, a) * product(b, b)) ** 0.5
    return product(a, b) / spread if spread and len(x) > 2 else float("nan")
