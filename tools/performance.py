#!/usr/bin/env python3
"""performance.py BUILD [--library FILE.ptx...] [--output FILE] -- docs/performance.md: speed and memory of ptxlint, by the benchmarks of an optimised build.

Inputs are modules of 1 and 10 MB made of testdata/ptx, and with --library modules of one's own: PTX of libraries, which is not in the tree. Beside the page
goes a plot of the speeds, where there is a gnuplot."""
import argparse, os, re, shutil, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STAGES = ["scan", "parse", "syntax", "lint", "report"]
MEASURED = ["algorithms", "atomics", "blocks", "control", "copies", "harder", "swizzle", "tables", "vectors"]
GOALS = {"lint": 100, "report": 20}

def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        sys.exit(f"performance: {' '.join(command)[:200]}: exit {done.returncode}: {done.stderr[:300]}")
    return done.stdout

def rows_of(text, name):
    """A row for each line of figures behind the head."""
    rows = []
    for line in text.splitlines()[1:]:
        cells = line.split()
        row = {"name": name, "mb": float(cells[0]), "ptxas": None if cells[-1] == "-" else float(cells[-1])}
        for i, stage in enumerate(STAGES):
            row[stage], row[stage + " memory"] = float(cells[1 + 2 * i]), float(cells[2 + 2 * i])
        rows.append(row)
    return rows

def table_of(rows):
    out = ["| input | MB | " + " | ".join(STAGES) + " | ptxas, parsing only |", "| --- |" + " --- |" * (len(STAGES) + 2)]
    for r in rows:
        ptxas = f"{r['ptxas']:.1f}" if r["ptxas"] else "-"
        out.append(f"| {r['name']} | {r['mb']:.1f} | " + " | ".join(f"{r[s]:.1f}" for s in STAGES) + f" | {ptxas} |")
    return out

def memory_of(rows):
    out = ["| input | MB | " + " | ".join(STAGES) + " |", "| --- |" + " --- |" * (len(STAGES) + 1)]
    for r in rows:
        out.append(f"| {r['name']} | {r['mb']:.1f} | " + " | ".join(f"{r[s + ' memory']:.1f}" for s in STAGES) + " |")
    return out

def plot(rows, path):
    """Bars on a logarithmic scale; nothing without gnuplot."""
    if not shutil.which("gnuplot"):
        return False
    data = "\n".join(f'"{r["name"]}, {r["mb"]:.0f} MB" ' + " ".join(str(r[s]) for s in STAGES) + f' {r["ptxas"] or "NaN"}' for r in rows)
    columns = ", ".join(f"$d using {i + 2}{':xtic(1)' if not i else ''} title '{s}'" for i, s in enumerate([*STAGES, "ptxas, parsing only"]))
    script = f"""$d << EOD
{data}
EOD
set terminal svg size 760,320 font 'sans,11' background 'white'
set output '{path}'
set style data histograms
set style fill solid 0.8
set logscale y
set yrange [1:*]
set ylabel 'MB/s'
set key outside right
set grid ytics
plot {columns}
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)
    return True

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--library", nargs="*", default=[])
    parser.add_argument("--output", default=os.path.join(ROOT, "docs/performance.md"))
    options = parser.parse_args()
    bench = os.path.join(os.path.abspath(options.build), "tests/bench/ptxlint-bench")
    rows = rows_of(run(bench, "testdata/ptx", "1", "10"), "`testdata/ptx`")
    for path in options.library:
        rows += rows_of(run(bench, os.path.abspath(path)), "libraries")
    pairs = [p for name in MEASURED for p in (f"testdata/measured/{name}.ptx", "testdata/measured/launches.json")]
    estimate = re.sub(r" *\([^)]*\)$", "", run(bench + "-estimate", "h200", *pairs).strip())
    has_plot = plot(rows, os.path.splitext(options.output)[0] + ".svg")
    page = ["# Speed and memory", "",
            "Made by `tools/performance.py` of what `tests/bench` prints; an optimised build, one core. `testdata/ptx` are modules made of the",
            "kernels in the tree, \"libraries\" of kernels of cuBLAS, cuBLASLt, cuFFT, cuSOLVER and cuSPARSE, which have no comments and no lines of CUDA.", "",
            "MB/s are 10^6 bytes a second of processor time, the median of five runs.", "", *table_of(rows), ""]
    page += ["![MB/s of each stage](performance.svg)", ""] if has_plot else []
    page += ["- `scan`, `parse`: tokens; statements.", "- `syntax`: `ptxlint check --only syntax`, what ptxas rejects.", "- `lint`: `ptxlint check`, all findings.",
             "- `report`: `ptxlint report --format json`, every figure, without a launch.", "- `ptxas, parsing only`: `ptxas -arch=compute_XX`, for the same file.", "",
             "The goals are " + " and ".join(f"{goal} MB/s for {stage}" for stage, goal in GOALS.items()) + " on libraries; they are not reached.", "",
             "## Memory", "", "The peak resident set over the size of the input, of which it holds one copy itself.", "", *memory_of(rows), "",
             "## Estimates", "", f"Of the kernels of `testdata/measured`, for their launches: {estimate}."]
    with open(options.output, "w", encoding="utf-8") as file:
        file.write("\n".join(page) + "\n")

if __name__ == "__main__":
    main()
