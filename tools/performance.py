#!/usr/bin/env python3
"""performance.py BUILD [--library FILE.ptx...] [--largest MB] [--output FILE] -- docs/performance.md: speed and memory of ptxlint, by the
programs of an optimised build.

Inputs are modules of 1 KB and more made of testdata/ptx, ten times as large each, and with --library modules of one's own: PTX of libraries,
which is not in the tree. Of each input the programs are run in turn, so that what slows the machine down slows all of them down; figures are
medians of processor time. Beside the page goes a plot, where there is a gnuplot."""
import argparse, os, re, shutil, statistics, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MB = 10 ** 6
MEASURED = ["algorithms", "atomics", "blocks", "control", "copies", "harder", "swizzle", "tables", "vectors"]
RUNS = {"syntax": ["check", "--only", "syntax"], "check": ["check"], "report": ["report"]}
PROGRAMS = [*RUNS, "ptxas"]
RATE_GOALS = {"syntax": 120, "check": 30, "report": 20}       # MB/s, at least
MEMORY_GOALS = {"check": 6, "report": 8}                      # times the input, at most
RATIO_GOAL, START_GOAL, THREADS_GOAL = 0.25, 0.003, 1.6       # of ptxas's time; seconds; times
REPORT_LARGEST, PTXAS_LARGEST, COUNTED_LARGEST = 120 * MB, 120 * MB, 1.3 * MB    # bytes of input


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        sys.exit(f"performance: {' '.join(command)[:200]}: exit {done.returncode}: {done.stderr[:300]}")
    return done.stdout


def spend(command):
    """Seconds of processor time; None: it failed."""
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)])
    _, status, usage = os.wait4(pid, 0)
    return usage.ru_utime + usage.ru_stime if os.waitstatus_to_exitcode(status) in (0, 1) else None


def spend_measured(command):
    """Seconds, to the hundredth, and bytes of memory at the most, by GNU time: a child of this program would begin with its memory."""
    with tempfile.NamedTemporaryFile("r") as file:
        done = subprocess.run(["time", "-q", "-o", file.name, "-f", "%U %S %M", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False)
        if done.returncode not in (0, 1):
            return None, None
        user, system, memory = file.read().split()
        return float(user) + float(system), 1024 * int(memory)


def ptxas_command(path):
    """One that takes the file, or None."""
    with open(path, encoding="latin1") as file:
        target = re.search(r"\.target\s+sm_(\d+)", file.read(1 << 16))
    for letter in ("", "a") if target and shutil.which("ptxas") else ():
        command = ["ptxas", f"-arch=compute_{target[1]}{letter}", path, "-o", os.devnull]
        if not subprocess.run(command, capture_output=True, check=False).returncode:
            return command
    return None


def count(ptxlint, path):
    """Instructions of a check by callgrind; None without valgrind."""
    if not shutil.which("valgrind") or os.path.getsize(path) > COUNTED_LARGEST:
        return None
    said = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", ptxlint, "check", "--no-config", "--jobs", "1", path],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False).stderr.decode("latin1")
    return int(re.search(r"Collected\s*:\s*(\d+)", said)[1])


def count_by_thread(ptxlint, path):
    """Instructions of each thread of a check with two, the first one's first; None without valgrind."""
    if not shutil.which("valgrind") or os.path.getsize(path) > COUNTED_LARGEST:
        return None
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["valgrind", "--tool=callgrind", "--fair-sched=try", "--separate-threads=yes",
                        f"--callgrind-out-file={folder}/out", ptxlint, "check", "--no-config",
                        "--jobs", "2", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        counts = []
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="latin1") as file:
                counts += [int(line.split()[1]) for line in file if line.startswith("totals:")]
    return [n for n in counts if n]


def times_of(size):
    return 7 if size < 2 * MB else 3 if size < 20 * MB else 1


def measure(ptxlint, name, path):
    """A row: per program its seconds, its memory and its median ratio to ptxas run beside it."""
    size = os.path.getsize(path)
    commands = {key: [ptxlint, *args, "--format", "json", "--jobs", "1", path] for key, args in RUNS.items()
                if key != "report" or size < REPORT_LARGEST}
    ptxas = ptxas_command(path) if size < PTXAS_LARGEST else None
    if ptxas:
        commands["ptxas"] = ptxas
    row, spent = {"name": name, "size": size, "counted": count(ptxlint, path)}, {}
    for key, command in commands.items():
        first, memory = spend_measured(command)
        if first is not None:
            row[key + " memory"] = memory
            spent[key] = [first] if times_of(size) == 1 else []
    for _ in range(times_of(size) if times_of(size) > 1 else 0):
        for key, all_spent in spent.items():
            all_spent.append(spend(commands[key]))
    for key, all_spent in spent.items():
        row[key] = statistics.median(all_spent)
        if "ptxas" in spent:
            row[key + " ratio"] = statistics.median(mine / other for mine, other in zip(all_spent, spent["ptxas"]))
    return row


def shares(ptxlint, command, path):
    """Of the stages of --profile, in percent."""
    said = subprocess.run([ptxlint, command, "--format", "json", "--jobs", "1", "--profile", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False).stderr
    stages = said.split("\n\n")[0].splitlines()[1:]
    return [(line.split()[0], float(line.split()[2])) for line in stages if float(line.split()[2]) >= 0.5]


# ---- the page ----

def size_text(size):
    for unit, bytes_of in (("GB", 10 ** 9), ("MB", 10 ** 6), ("KB", 10 ** 3)):
        if size >= 0.95 * bytes_of:
            return f"{size / bytes_of:.1f} {unit}"
    return f"{size} B"


def seconds_text(seconds):
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "| --- |" + " --- |" * (len(head) - 1), *("| " + " | ".join(row) + " |" for row in rows)]


def cells(rows, text, columns):
    return [[row["name"], size_text(row["size"]), *(text(row, column) for column in columns)] for row in rows]


def time_cell(row, key):
    return f"{seconds_text(row[key])}, {row['size'] / MB / max(row[key], 1e-9):.1f}" if key in row else "-"


def memory_cell(row, key):
    memory = row.get(key + " memory")
    return f"{memory / MB:.0f} MB, {memory / row['size']:.1f}" if memory else "-"


def ratio_cell(row, key):
    return f"{row[key + ' ratio']:.2f}" if key + " ratio" in row else "-"


def plot(rows, path):
    """Time and memory by size on logarithmic scales; False without gnuplot."""
    if not shutil.which("gnuplot"):
        return False
    def series(suffix, divisor):
        return "\n\n\n".join("\n".join(f"{row['size']} {row[key + suffix] / divisor}" for row in rows if key + suffix in row) or "NaN NaN"
                             for key in PROGRAMS)
    def curves(block):
        return ", ".join(f"{block} index {i} using 1:2 with linespoints title '{key}'" for i, key in enumerate(PROGRAMS))
    script = f"""$time << EOD
{series("", 1)}
EOD
$memory << EOD
{series(" memory", MB)}
EOD
set terminal svg size 900,380 font 'sans,11' background 'white'
set output '{path}'
set multiplot layout 1,2
set logscale xy
set format x '10^{{%L}}'
set xlabel 'bytes of input'
set key left top
set grid
set ylabel 'seconds of processor time'
plot {curves("$time")}
set ylabel 'MB of memory'
plot {curves("$memory")}
unset multiplot
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)
    return True


def ratio_plot(rows, path):
    """Time over ptxas's by size of library, below 1 where ptxlint takes less."""
    rows = [row for row in rows if "ptxas" in row]
    if not rows or not shutil.which("gnuplot"):
        return False
    data = "\n\n\n".join("\n".join(f"{row['size']} {row[key + ' ratio']}" for row in rows if key + " ratio" in row) or "NaN NaN" for key in RUNS)
    curves = ", ".join(f"$ratio index {i} using 1:2 with linespoints title '{key}'" for i, key in enumerate(RUNS))
    script = f"""$ratio << EOD
{data}
EOD
set terminal svg size 450,380 font 'sans,11' background 'white'
set output '{path}'
set logscale xy
set format x '10^{{%L}}'
set xlabel 'bytes of a library'
set ylabel 'time over the time of ptxas'
set key right top
set grid
plot {curves}, {RATIO_GOAL} with lines dashtype 2 title 'goal of check'
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)
    return True


def stage_plot(stages, path):
    """A bar a command, of its stages."""
    if not shutil.which("gnuplot"):
        return False
    names = list(dict.fromkeys(stage for _, found in stages for stage, _ in found))
    lines = [" ".join([command, *(str(dict(found).get(name, 0)) for name in names)]) for command, found in stages]
    columns = ", ".join(f"$stages using {i + 2}{':xtic(1)' if not i else ''} title '{name}'" for i, name in enumerate(names))
    script = f"""$stages << EOD
{chr(10).join(lines)}
EOD
set terminal svg size 450,380 font 'sans,11' background 'white'
set output '{path}'
set style data histograms
set style histogram rowstacked
set style fill solid border -1
set boxwidth 0.6
set ylabel '% of the time'
set yrange [0:100]
set key outside
plot {columns}
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)
    return True


def goal_row(what, goal, figures, is_met):
    """Of figures that were measured."""
    known = [figure for figure in figures if figure is not None]
    return [what, goal, ", ".join(f"{figure:.3g}" for figure in known) or "-", "yes" if known and all(map(is_met, known)) else "no" if known else "-"]


def goal_rows(rows, libraries):
    for key, goal in RATE_GOALS.items():
        yield goal_row(f"{key} of libraries, MB/s", f"at least {goal}", [row["size"] / MB / row[key] if key in row else None for row in libraries],
                       lambda rate, goal=goal: rate >= goal)
    yield goal_row("check of libraries, time over that of ptxas", f"at most {RATIO_GOAL}", [row.get("check ratio") for row in libraries],
                   lambda ratio: ratio <= RATIO_GOAL)
    for key, goal in MEMORY_GOALS.items():
        yield goal_row(f"{key} of libraries, memory over input", f"at most {goal}",
                       [row[key + " memory"] / row["size"] if row.get(key + " memory") else None for row in libraries],
                       lambda times, goal=goal: times <= goal)
    yield goal_row("start, ms", f"under {1000 * START_GOAL:.0f}", [1000 * row["check"] for row in rows[:1] if "check" in row],
                   lambda start: start < 1000 * START_GOAL)
    yield goal_row("check of a library by two threads, times as fast", f"at least {THREADS_GOAL}",
                   [sum(row["threads"]) / max(row["threads"]) if row.get("threads") else None for row in libraries],
                   lambda times: times >= THREADS_GOAL)


def busy_text():
    load, cores = os.getloadavg()[1], os.cpu_count()
    return [f"Other work ran on the machine meanwhile: {load:.0f} processes on {cores} cores. Alone, all times are shorter.", ""] if load > 1.5 * cores else []


def page_of(rows, libraries, stages, estimate, has_plot):
    every = rows + libraries
    page = ["# Speed and memory", "",
            "Made by `tools/performance.py` of an optimised build, each program on one core. `testdata/ptx` are modules made of the kernels in the",
            "tree, \"libraries\" of kernels of CUDA's libraries, cuBLAS and others, which have no comments and no lines of CUDA.", "",
            "Times are of the processor, user and system, from the start of the process to its end: medians of 7 runs, above 2 MB of 3, above 20 MB",
            "one run. The programs run in turn. On a machine with other work all of them are slower than alone; ratios and instructions are not.", "",
            "- `syntax`: `ptxlint check --only syntax`, what ptxas rejects.", "- `check`: `ptxlint check`, all findings.",
            "- `report`: `ptxlint report --format json` without a launch: every figure. The overview, without a format, takes less.", "- `ptxas`: `ptxas -arch=compute_XX`, which parses only; it does not take larger modules of `testdata/ptx`, with several",
            "  files of one number.", "", *busy_text(),
            "## Goals", "", "Of libraries from the smallest to the largest. Two threads: all instructions over those of the thread that has most of them, which is",
            "what a second core that is free can give.", "",
            *table(["", "goal", "measured", "met"], list(goal_rows(rows, libraries))), "",
            "## Time", "", "Time, and 10^6 bytes a second.", "", *table(["input", "size", *PROGRAMS], cells(every, time_cell, PROGRAMS)), ""]
    page += ["![Time and memory from 1 KB on](performance.svg)", ""] if has_plot else []
    page += ["## Beside ptxas", "", "Median of the ratios of runs next to each other: below 1, ptxlint takes less time than ptxas takes for parsing.", "",
             *table(["input", "size", *RUNS], cells([row for row in every if "ptxas" in row], ratio_cell, RUNS)), "",
             *(["![Ratio to ptxas by size](performance-ptxas.svg)", ""] if has_plot else []),
             "## Instructions", "", "Of a check, by callgrind: in all, and for each byte of input. Small inputs show what the start costs.", "",
             *table(["input", "size", "instructions", "a byte"],
                    [[row["name"], size_text(row["size"]), f"{row['counted']:,}", f"{row['counted'] / row['size']:,.0f}"]
                     for row in every if row["counted"]]), "",
             "`tests/bench/growth.py` counts them for 83 kinds of odd input in four sizes each, and fails where they grow faster than the size to the power of 1.3.", "",
             "## Memory", "", "The peak resident set, and that over the size of the input.", "",
             *table(["input", "size", *PROGRAMS], cells(every, memory_cell, PROGRAMS)), "", "## Stages", "",
             "Shares of the time by `--profile`, of the largest library, else of a module of `testdata/ptx`; `rules` has what rules ask for first.", "",
             *table(["command", "stage", "%"], [[command, stage, f"{share:.1f}"] for command, found in stages for stage, share in found]), "",
             *(["![Shares of the stages](performance-stages.svg)", ""] if has_plot else []),
             "## Estimates", "", f"Of the kernels of `testdata/measured`, for their launches: {estimate}."]
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--library", nargs="*", default=[])
    parser.add_argument("--largest", type=float, default=100, help="MB of the largest module")
    parser.add_argument("--output", default=os.path.join(ROOT, "docs/performance.md"))
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    bench, ptxlint = os.path.join(build, "tests/bench/ptxlint-bench"), os.path.join(build, "ptxlint")
    rows, libraries = [], []
    with tempfile.TemporaryDirectory() as folder:
        path, profiled = os.path.join(folder, "input.ptx"), os.path.join(folder, "profiled.ptx")
        size = 1000
        while size <= options.largest * MB:
            run(bench, "--write", os.path.join(ROOT, "testdata/ptx"), str(size), path)
            rows.append(measure(ptxlint, "`testdata/ptx`", path))
            print(rows[-1], file=sys.stderr, flush=True)
            if size == MB:
                shutil.copy(path, profiled)
            size *= 10
        for library in sorted(options.library, key=os.path.getsize):
            libraries.append(measure(ptxlint, "libraries", os.path.abspath(library)))
            libraries[-1]["threads"] = count_by_thread(ptxlint, os.path.abspath(library))
            print(libraries[-1], file=sys.stderr, flush=True)
        largest = max(options.library, key=os.path.getsize, default=profiled)
        stages = [(command, shares(ptxlint, command, os.path.abspath(largest))) for command in ("check", "report")]
    pairs = [p for name in MEASURED for p in (f"testdata/measured/{name}.ptx", "testdata/measured/launches.json")]
    estimate = re.sub(r" *\([^)]*\)$", "", run(bench + "-estimate", "h200", *pairs).strip())
    plain = os.path.splitext(options.output)[0]
    has_plot = plot(rows, plain + ".svg") and ratio_plot(libraries, plain + "-ptxas.svg") and stage_plot(stages, plain + "-stages.svg")
    with open(options.output, "w", encoding="utf-8") as file:
        file.write("\n".join(page_of(rows, libraries, stages, estimate, has_plot)) + "\n")


if __name__ == "__main__":
    main()
