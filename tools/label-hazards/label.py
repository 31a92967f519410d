#!/usr/bin/env python3
"""What compute-sanitizer says of kernels: how the labels of tests/data/hazards were made.

    label.py assemble OUT DIR...     OUT/NAME.cubin of DIR/NAME.ptx, whose line table names the lines of the PTX, and OUT/kernels.json (needs ptxas)
    label.py run OUT RESULTS [TOOL...]   each kernel under racecheck and synccheck, a process each (needs a GPU): RESULTS.jsonl
    label.py join RESULTS DIR        DIR/labels.jsonl: a line a kernel, with the lines that raced, what racecheck said of blocks of a cluster, and synccheck of
                                     barriers; `why`, written by hand, stays: why ptxlint says something else
    label.py launch CUBIN KERNEL...  one kernel, as `run` starts it

A kernel's block is its .reqntid; a launches.json beside the PTX says more. A kernel that does not end in TIMEOUT seconds hangs."""
import collections, concurrent.futures, glob, json, os, re, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{here}/../measure-accesses")
import measure

GRID, BLOCK, TIMEOUT, JOBS = 4, 128, 20, 14
FILLING = bytes(i % 251 for i in range(1 << 16))

# ---- cubins --------------------------------------------------------------------------------------------------------------

def kernels_of(text, launches):
    types = measure.entries(text)
    for name, rest in re.findall(r"\.entry\s+([\w$]+)\s*\([^)]*\)([^{]*)\{", text):
        known = launches.get(name, {})
        numbers = lambda directive: [int(n) for n in m[1].split(",")] if (m := re.search(rf"\.{directive}\s+([\d, ]+)", rest)) else None
        yield dict(name=name, block=known.get("block") or numbers("reqntid") or [BLOCK], grid=known.get("grid", [GRID]), dynamic=known.get("dynamic_shared", 0),
                   params=[[size, value] for (kind, size), value in zip(types[name], known.get("params", [None] * len(types[name])))])

def assemble(out, directories):
    os.makedirs(out, exist_ok=True)
    kernels = []
    for path in sorted(p for d in directories for p in glob.glob(f"{d}/*.ptx")):
        stem, text = os.path.basename(path)[:-4], open(path).read()
        beside = f"{os.path.dirname(path)}/launches.json"
        launches = json.load(open(beside))["kernels"] if os.path.exists(beside) else {}
        with open(f"{out}/{stem}.lines.ptx", "w") as f:
            f.write(measure.with_lines(text))
        p = subprocess.run(["ptxas", "-arch=sm_90a", "-lineinfo", "-o", f"{out}/{stem}.cubin", f"{out}/{stem}.lines.ptx"], capture_output=True, text=True)
        if p.returncode:
            print(stem, p.stderr.strip()[:300], file=sys.stderr)
            continue
        kernels += [dict(k, file=stem) for k in kernels_of(text, launches)]
    with open(f"{out}/kernels.json", "w") as f:
        json.dump(kernels, f)
    print(f"{len(kernels)} kernels")

# ---- runs ----------------------------------------------------------------------------------------------------------------

def launch(cubin, kernel):
    k = json.loads(kernel)
    gpu = measure.Gpu()
    shape = lambda dims: tuple(dims) + (1,) * (3 - len(dims))
    values, buffers = [], 0
    for size, value in k["params"]:
        if value is None and size == 8:
            values.append(gpu.buffer(buffers, FILLING).to_bytes(size, "little"))
            buffers += 1
        else:
            values.append(int(value or 0).to_bytes(size, "little"))
    gpu.launch(gpu.function(gpu.load(cubin), k["name"]), shape(k["grid"]), shape(k["block"]), k["dynamic"], values)

def check(out, kernel, tool):
    command = ["compute-sanitizer", "--tool", tool, "--print-limit", "1000", sys.executable, __file__, "launch", f"{out}/{kernel['file']}.cubin", json.dumps(kernel)]
    try:
        p = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
        return p.stdout + p.stderr
    except subprocess.TimeoutExpired as e:
        return (e.stdout or b"").decode("utf-8", "replace") + "\nHANG\n"

def read(text):
    """Of one run: what it found, without the threads."""
    races = collections.Counter()
    for a, first, b, second, count in re.findall(r"Race reported between (\w+) access.*?in k\.ptx:(\d+).*?and (\w+) access.*?in k\.ptx:(\d+).*?\[(\d+) hazards?\]", text, re.S):
        races[a, int(first), b, int(second)] += int(count)
    barriers = sorted(set(re.findall(r"Barrier error detected\. (.*)", text)))
    blocks = sorted(set(re.findall(r"located in a (block that .*)", text)))
    return races, barriers, blocks, "HANG" in text

def run(out, results, *tools):
    kernels = json.load(open(f"{out}/kernels.json"))
    jobs = [(k, tool) for k in kernels for tool in tools or ("racecheck", "synccheck")]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool, open(results + ".jsonl", "w") as found:
        for (k, tool), text in zip(jobs, pool.map(lambda job: check(out, *job), jobs)):
            found.write(json.dumps(dict(file=k["file"], kernel=k["name"], tool=tool, text=text[:20000])) + "\n")

# ---- labels --------------------------------------------------------------------------------------------------------------

def join(results, directory):
    path = f"{directory}/labels.jsonl"
    whys = {(l["file"], l["kernel"]): l["why"] for l in map(json.loads, open(path)) if "why" in l} if os.path.exists(path) else {}
    labels = {}
    for row in map(json.loads, open(results + ".jsonl")):
        races, barriers, blocks, hangs = read(row["text"])
        key = row["file"] + ".ptx", row["kernel"]
        label = labels.setdefault(key, dict(file=key[0], kernel=key[1], races=[], barriers=[]))
        if row["tool"] == "racecheck":
            label["races"] = [dict(first=a, line=x, second=b, other=y) for a, x, b, y in sorted(races)]
            if blocks:
                label["blocks"] = blocks
        else:
            label["barriers"] = barriers
        if hangs:
            label["hangs"] = True
        if key in whys:
            label["why"] = whys[key]
    texts = {os.path.basename(p): open(p).read() for p in glob.glob(f"{directory}/*.ptx")}
    with open(path, "w") as f:
        for key, label in sorted(labels.items()):
            if f".entry {key[1]}(" in texts.get(key[0], ""):
                f.write(json.dumps(label) + "\n")

if __name__ == "__main__":
    what, rest = sys.argv[1], sys.argv[2:]
    dict(assemble=lambda out, *dirs: assemble(out, dirs), run=run, join=join, launch=launch)[what](*rest)
