#!/usr/bin/env python3
"""seeds.py PTXLINT [--check] -- writes docs/seeds.md and docs/examples/seeds.md: the figures of the papers that the project goes back to,
beside what the program says, with the command that shows each.

--check: fails where a figure is no longer what the paper has (or what was recomputed where print errs), or a page is not current.
"""
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
PTXLINT = os.path.abspath(sys.argv[1])
RYOO, XARK, TORRES, MICIKEVICIUS = "Ryoo", "XARK", "Torres", "Micikevicius"
SEEDS = "testdata/seeds/"
MATMUL = "testdata/ptx/legacy/ryoo_matmul_"
ORDER = "order"           # of times: both say that it is faster
PART = "part"             # theirs is one of ours
problems, cache = [], {}


def run(arguments, plain=False):
    """What a command prints. Data are asked for without a config file, as are lines that are shown."""
    if arguments not in cache:
        words = [part for word in shlex.split(arguments) for part in ([str(path.relative_to(ROOT)) for path in sorted(ROOT.glob(word))] if "*" in word else [word])]
        words += ([] if arguments.startswith(("occupancy", "gpu")) else ["--no-config"])
        env = {key: value for key, value in os.environ.items() if key != "COLUMNS"} | {"NO_COLOR": "1"}
        done = subprocess.run([PTXLINT, *words], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        if done.returncode > 1:
            problems.append(f"ptxlint {arguments}: exit {done.returncode}: {done.stderr.strip()}")
        cache[arguments] = done.stdout
    return cache[arguments] if plain else json.loads(cache[arguments] or "null")


def fold(line, width):
    """As a terminal of 80 columns shows it: what is too long goes on further in."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) if len(line) > width else [line]


class Shown:
    """A figure of the program: the command that a reader types, and the value."""
    def __init__(self, command, value):
        self.command, self.value = command, value


def occupancy(gpu, key, **numbers):
    words = "occupancy --gpu " + gpu + "".join(f" --{name} {value}" for name, value in numbers.items())
    row = run(words + " --format json")["occupancies"][0]
    return Shown(words, row[key])


def kernel_of(arguments, file):
    return run(f"report --format json {arguments} {file}")["files"][0]["kernels"][0]


def reported(arguments, file, get):
    return Shown(f"report --details {arguments} {file}", get(kernel_of(arguments, file)))


def loop(file, key, arguments="--gpu g80 --block 16,16"):
    def get(kernel):
        loops = [l for l in kernel["loops"] if l["innermost"]] if key != "outer" else [l for l in kernel["loops"] if l["depth"] == 1]
        return loops[0]["peak"]["demand_gb_per_s" if key == "outer" else key]
    return reported(arguments, MATMUL + file, get)


def access(file, arguments, op, key, space="global"):
    """Mean over the accesses of that kind."""
    def get(kernel):
        found = [a[key] for a in kernel["accesses"] if a["space"] == space and a["op"] == op and a[key] is not None]
        return sum(found) / len(found) if found else None
    return reported(arguments, SEEDS + file, get)


def l1_hits(file, arguments, requests, stored):
    """Percent of the lines that loads ask for, at the most: each line that comes from memory is fetched once."""
    lines = access(file, arguments, "load", "lines_per_request").value * requests
    return reported(arguments, SEEDS + file, lambda k: 100 * (1 - (k["estimate"]["dram_bytes"] - stored) / 128 / lines))


def replays(file, arguments):
    """Mean over shared accesses of passes beyond the fewest."""
    def get(kernel):
        found = [a["wavefronts_per_request"] - a["ideal_wavefronts_per_request"] for a in kernel["accesses"] if a["space"] == "shared"]
        return sum(found) / len(found)
    return reported(arguments, SEEDS + file, get)


def share_of_replays(kernel):
    again, once = kernel["estimate"]["bottleneck"]["replays"], kernel["estimate"]["warp_instructions"]
    return 100 * again / (again + once)


def figure(gpu, key):
    return Shown(f"gpu {gpu}", run(f"gpu --format json {gpu}")["gpus"][0]["figures"][key]["value"])


def time(file, arguments):
    return reported(arguments, file, lambda kernel: kernel["estimate"]["predicted_time_us"])


def ratio(before, after):
    return Shown(f"{after.command}; {before.command}", before.value / after.value)


def share_of(part, whole):
    return Shown(f"{whole.command}; {part.command}", part.value / whole.value)


def concurrency(file, arguments, key, scale=1.0):
    return reported(arguments, file, lambda kernel: kernel["estimate"]["concurrency"][key] * scale)


def waves(arguments, file, key):
    return reported(arguments, file, lambda kernel: kernel["waves"][key])


SUITE = f"--gpu g80 --launch {SEEDS}ryoo.launch.json"


def of_suite(name, get):
    return reported(SUITE, f"{SEEDS}ryoo_{name}.ptx", get)


def threads(name):
    return of_suite(name, lambda k: k["occupancy"]["threads_per_sm"])


def residency(name):
    """What limits the blocks of an SM."""
    return of_suite(name, lambda k: ", ".join(k["occupancy"]["limiters"]))


def verdict(name):
    return of_suite(name, lambda k: k["estimate"]["bottleneck"]["verdict"])


def memory_share(kernel):
    """Time in memory over time at issue, of a launch."""
    return kernel["estimate"]["parts_us"]["dram"] / kernel["estimate"]["parts_us"]["issue"]


# table 3: the ratio of cycles for global memory to those for computation; the list of figures has SAXPY's alone
MEMORY_RATIOS = {"rc5": 0, "tpacf": 0.0002, "cp": 0.0005, "mri_fhd": 0.006, "sad": 0.006, "mri_q": 0.008, "rpes": 0.01, "pns": 0.241, "saxpy": 0.375,
                 "lbm": 0.415, "fdtd": 0.516}


# what table 3 says is limited by instruction issue, and by global memory bandwidth
BY_ISSUE, BY_BANDWIDTH = ["rc5", "rpes", "mri_q", "mri_fhd", "cp"], ["saxpy", "fdtd"]


def demand(name):
    """Over bandwidth, at full issue."""
    return of_suite(name, lambda k: k["peak"]["demand_gb_per_s"] / k["peak"]["memory_gb_per_s"]).value


def rank_of_ratios():
    """Of what they have with demand over bandwidth."""
    return Shown(f"report --details {SUITE} {SEEDS}ryoo_*.ptx", spearman(list(MEMORY_RATIOS.values()), [demand(name) for name in MEMORY_RATIOS]))


def pairs_by_limiter():
    """A kernel limited by issue and one limited by bandwidth: how many pairs in which the second asks for more."""
    by_issue = [demand(name) for name in BY_ISSUE] + [ratio(loop("unrolled.ptx", "demand_gb_per_s"), figure("g80", "memory_gb_per_s")).value]
    return Shown(f"report --details {SUITE} {SEEDS}ryoo_*.ptx", sum(issue < demand(name) for issue in by_issue for name in BY_BANDWIDTH))


def space(name, key):
    words = "optspace --gpu g80 --grid 256,256 --block 16,16 --param 3=4096"
    rows = run(f"{words} --format json {MATMUL}{{}}".format("naive.ptx") + f" {MATMUL}tiled.ptx {MATMUL}unrolled.ptx {MATMUL}prefetch.ptx")["variants"]
    return Shown(f"{words} {MATMUL}*.ptx", next(row[key] for row in rows if row["kernel"] == "matmul_" + name))


def rules(arguments, file, select):
    words = f"check --all --select {select} {arguments} {SEEDS}{file}"
    found = run(words.replace("check", "check --format json", 1))["diagnostics"]
    return Shown(words, ", ".join(sorted({d["rule"] for d in found})) or "none")


def spearman(a, b):
    def ranks(values):
        return [sum(v < x for v in values) + (sum(v == x for v in values) - 1) / 2 for x in values]
    x, y = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    both = sum((p - mean) * (q - mean) for p, q in zip(x, y))
    return both / math.sqrt(sum((p - mean) ** 2 for p in x) * sum((q - mean) ** 2 for q in y))


ADD = SEEDS + "torres_add.ptx"
TORRES_MS = {256: [45.08, 20.05, 9.06, 4.94, 3.13, 3.05, 2.98, 3.01, 2.98], 512: [52.23, 24.45, 11.64, 5.57, 3.45, 3.12, 3.04, 3.13, 3.04, 3.02]}


def tuned(threads, key):
    """Per number of columns, 1, 2, 4, ...: from one table of shapes."""
    words = "tune --gpu c2050 --grid 128,512 --block 32,8 --param n=4096"
    shapes = {tuple(s["block"]): s[key] for s in run(f"{words} --format json {ADD}")["kernels"][0]["shapes"]}
    return words + " " + ADD, [shapes[(1 << i, threads >> i, 1)] for i in range(len(TORRES_MS[threads]))]


def torres_rank(threads):
    command, lines = tuned(threads, "lines_per_request")
    return Shown(command, spearman(lines, TORRES_MS[threads]))


def torres_lines(columns, threads=256):
    command, lines = tuned(threads, "lines_per_request")
    return Shown(command, lines[int(math.log2(columns))])


def split_gain():
    def l2(gpu):
        return reported(f"--gpu {gpu} --grid 1000 --block 256", SEEDS + "table_reread.ptx", lambda k: k["estimate"]["parts_us"]["l2"])
    before, after = l2("c2050"), l2("c2050:shared=16k")
    return Shown(f"{after.command}; {before.command}", 100 * (1 - after.value / before.value))


CONSTANTS = "--gpu g80 --grid 1024 --block 256"
ONE = "--gpu c2050 --grid 1 --block 32"
CG = "--gpu c2050:dlcm=cg --grid 1 --block 32"
RTM = "--gpu c2050 --grid 4,512 --block 128"
TURN = "--gpu c2050 --grid 64,64 --block 32,32"
SUM = "--gpu c2050 --grid 4096 --block 128"

# row of the list of figures, source, claim, theirs, ours, how far they may differ (a share; ORDER; None: they are set side by side), remark
ROWS = [
    (1, RYOO, "G80: registers of an SM", 8192, lambda: figure("g80", "registers_per_sm"), 0, "section 1 prints 8096"),
    (1, RYOO, "threads of an SM", 768, lambda: figure("g80", "threads_per_sm"), 0, ""),
    (2, RYOO, "issue rate, G op/s", 172.8, lambda: loop("naive.ptx", "issue_gops"), 1e-9, ""),
    (3, RYOO, "peak of multiply-adds, GFLOPS", 345.6, lambda: loop("naive.ptx", "peak_gflops"), 1e-9, ""),
    (5, RYOO, "bandwidth, GB/s", 86.4, lambda: figure("g80", "memory_gb_per_s"), 0, ""),
    (7, RYOO, "naive product: potential, GFLOPS", 43.2, lambda: loop("naive.ptx", "potential_gflops"), 1e-6, "1 in 8 instructions"),
    (8, RYOO, "its demand, GB/s", 172.8, lambda: loop("naive.ptx", "demand_gb_per_s"), 1e-6, "printed 173"),
    (9, RYOO, "its roofline, GFLOPS", 21.6, lambda: loop("naive.ptx", "attainable_gflops"), 1e-6, "derived from the two before"),
    (10, RYOO, "tiled: demand, GB/s", 10.8, lambda: loop("tiled.ptx", "outer"), 0.12, "theirs leaves out loads and barriers of the tile"),
    (11, RYOO, "unrolled: potential, GFLOPS", 93.72, lambda: loop("unrolled.ptx", "potential_gflops"), 5e-5, "16 in 59 instructions"),
    (12, RYOO, "its demand, GB/s", 23.43, lambda: loop("unrolled.ptx", "demand_gb_per_s"), 5e-5, ""),
    (13, RYOO, "its ratio of memory to computation", 0.276, lambda: ratio(loop("unrolled.ptx", "demand_gb_per_s"), figure("g80", "memory_gb_per_s")), 0.02, "theirs counts 58 instructions"),
    (14, RYOO, "measured 10.58, 46.49, 91.14 GFLOPS: naive over tiled, predicted times", 4.39, lambda: ratio(time(MATMUL + "naive.ptx", "--gpu g80 --grid 256,256 --block 16,16 --param 3=4096"), time(MATMUL + "tiled.ptx", "--gpu g80 --grid 256,256 --block 16,16")), ORDER, ""),
    (14, RYOO, "tiled over unrolled, predicted times", 1.96, lambda: ratio(time(MATMUL + "tiled.ptx", "--gpu g80 --grid 256,256 --block 16,16"), time(MATMUL + "unrolled.ptx", "--gpu g80 --grid 256,256 --block 16,16")), ORDER, ""),
    (15, RYOO, "prefetch over unrolled, predicted times", 1.044, lambda: ratio(time(MATMUL + "prefetch.ptx", "--gpu g80 --grid 256,256 --block 16,16"), time(MATMUL + "unrolled.ptx", "--gpu g80 --grid 256,256 --block 16,16")), ORDER, "printed \"5 %\" slower; recomputed 4.43 %"),
    (16, RYOO, "10 registers, 256 threads: blocks", 3, lambda: occupancy("g80", "blocks_per_sm", registers=10, block=256), 0, ""),
    (17, RYOO, "11 registers: threads of an SM", 512, lambda: occupancy("g80", "threads_per_sm", registers=11, block=256), 0, "8,448 registers would be needed; printed 8488"),
    (18, RYOO, "unrolled: live registers", 9, lambda: reported("--gpu g80 --block 16,16", MATMUL + "unrolled.ptx", lambda k: k["registers"]["max_live"]), 0, ""),
    (19, RYOO, "prefetch: live registers", 11, lambda: reported("--gpu g80 --block 16,16", MATMUL + "prefetch.ptx", lambda k: k["registers"]["max_live"]), 0, ""),
    (20, RYOO, "4 x 4 tiles: threads of an SM", 128, lambda: occupancy("g80", "threads_per_sm", block="4,4"), 0, ""),
    (21, RYOO, "8 x 8 tiles: threads of an SM", 512, lambda: occupancy("g80", "threads_per_sm", block="8,8"), 0, ""),
    (22, RYOO, "12 x 12 tiles: warps of 24", 20, lambda: occupancy("g80", "warps_per_sm", block="12,12"), 0, ""),
    (23, RYOO, "16 x 16 tiles: percent", 100, lambda: occupancy("g80", "occupancy_percent", block="16,16"), 0, ""),
    (24, RYOO, "tiled: bytes of shared memory", 2048, lambda: reported("--gpu g80 --block 16,16", MATMUL + "tiled.ptx", lambda k: k["resources"]["static_shared_bytes"]), 0, "8.0 a thread; the table has 8.1, with parameters"),
    (27, RYOO, "H.264: threads of an SM", 246, lambda: threads("sad"), 0, "three searches by 41 threads each: 27 of the 33 x 33 places a thread"),
    (27, RYOO, "limited by register file capacity", "registers", lambda: residency("sad"), PART, "unconfirmed; a tie, as in their figures: 30 registers, ours takes 24, and 55.1 B a thread"),
    (28, RYOO, "LBM: threads of an SM", 200, lambda: threads("lbm"), 0.05, "in blocks of 64; 200 x 84.2 B are more than there are"),
    (28, RYOO, "limited by shared memory capacity", "shared", lambda: residency("lbm"), 0, ""),
    (29, RYOO, "RC5-72: threads of an SM", 192, lambda: threads("rc5"), 0, ""),
    (29, RYOO, "limited by instruction issue", "instruction-limited", lambda: verdict("rc5"), 0, "unconfirmed"),
    (29, RYOO, "its ratio of memory to computation, of a launch that finds no key", 0, lambda: of_suite("rc5", memory_share), 0, "unconfirmed"),
    (29, RYOO, "RC5-72, 42 registers, blocks of 192: threads of an SM", 192, lambda: occupancy("g80", "threads_per_sm", registers=42, block=192), 0, ""),
    (30, RYOO, "FEM, 61 B a thread, blocks of 128: threads", 256, lambda: occupancy("g80", "threads_per_sm", registers=18, block=128, shared=7808), 0, ""),
    (31, RYOO, "RPES: threads of an SM", 256, lambda: threads("rpes"), 0, ""),
    (31, RYOO, "limited by instruction issue", "instruction-limited", lambda: verdict("rpes"), 0, "unconfirmed"),
    (33, RYOO, "SAXPY: threads of an SM", 768, lambda: threads("saxpy"), 0, ""),
    (33, RYOO, "limited by global memory bandwidth", "memory-limited", lambda: verdict("saxpy"), 0, "unconfirmed"),
    (34, RYOO, "TPACF: threads of an SM", 256, lambda: threads("tpacf"), 0, ""),
    (34, RYOO, "limited by shared memory capacity", "shared", lambda: residency("tpacf"), PART, "a tie: 28 registers, theirs takes 24"),
    (35, RYOO, "FDTD: limited by global memory bandwidth", "memory-limited", lambda: verdict("fdtd"), 0, "unconfirmed"),
    (36, RYOO, "MRI-Q, 11 registers, blocks of 256: threads", 512, lambda: occupancy("g80", "threads_per_sm", registers=11, block=256, shared=5146), 0, ""),
    (36, RYOO, "MRI-Q: threads of an SM", 512, lambda: threads("mri_q"), 0, ""),
    (36, RYOO, "limited by instruction issue", "instruction-limited", lambda: verdict("mri_q"), 0, "unconfirmed"),
    (36, RYOO, "MRI-FHD: threads of an SM", 512, lambda: threads("mri_fhd"), 0, ""),
    (36, RYOO, "limited by instruction issue", "instruction-limited", lambda: verdict("mri_fhd"), 0, "unconfirmed"),
    (37, RYOO, "CP: threads of an SM", 384, lambda: threads("cp"), 0, ""),
    (37, RYOO, "limited by instruction issue", "instruction-limited", lambda: verdict("cp"), 0, "unconfirmed"),
    (0, RYOO, "order: pairs of a kernel limited by issue, of six with the product, and one by bandwidth, of two: the second has the greater ratio of memory to computation", 12, pairs_by_limiter, 0, "unconfirmed, but for the product's 0.276 and SAXPY's 0.375"),
    (0, RYOO, "the eleven kernels by that ratio: rank correlation", 1, rank_of_ratios, None, "unconfirmed, but for SAXPY's; their kernels are not published; ours compute the same; the last section says where they differ"),
    (37, RYOO, "CP, 20 registers, blocks of 128: threads", 384, lambda: occupancy("g80", "threads_per_sm", registers=20, block=128), 0, ""),
    (39, RYOO, "latency of global memory 200 to 300 clocks: bytes under way on an SM, low", 800, lambda: concurrency(MATMUL + "unrolled.ptx", "--gpu g80 --grid 256,256 --block 16,16", "bytes_needed_low"), 1e-9, "4 B/clock x 200"),
    (39, RYOO, "the same, high", 1200, lambda: concurrency(MATMUL + "unrolled.ptx", "--gpu g80 --grid 256,256 --block 16,16", "bytes_needed_high"), 1e-9, ""),
    (39, RYOO, "texture: more than, clocks", 100, lambda: figure("g80", "texture_latency_min"), 0, ""),
    (41, RYOO, "one constant address for a warp: what lint says", "none", lambda: rules(CONSTANTS, "constant_one.ptx", "MEM204"), 0, ""),
    (41, RYOO, "an address a lane", "MEM204", lambda: rules(CONSTANTS, "constant_lanes.ptx", "MEM204"), 0, "they are served one after the other"),
    (41, RYOO, "its limiter", "constant", lambda: reported(CONSTANTS, SEEDS + "constant_lanes.ptx", lambda k: k["estimate"]["limiter"]), 0, ""),
    (0, RYOO, "pruning (CGO 2008): regions of the unrolled product", 769, lambda: space("unrolled", "regions_per_thread"), 0, "unconfirmed"),
    (0, RYOO, "pruning: instructions of a thread", 15150, lambda: space("prefetch", "instructions_per_thread"), 1e-3, "unconfirmed; compiled otherwise"),
    (0, RYOO, "pruning: utilization with two blocks of an SM", 227, lambda: space("prefetch", "utilization"), 5e-3, "unconfirmed"),
    (42, XARK, "16 threads a block: percent", 33.3, lambda: occupancy("g80", "occupancy_percent", block=16), 2e-3, ""),
    (43, XARK, "128 threads, 12 registers: percent", 83.3, lambda: occupancy("g80", "occupancy_percent", registers=12, block=128), 1e-3, ""),
    (44, XARK, "512 threads: percent", 66.7, lambda: occupancy("g80", "occupancy_percent", block=512), 1e-3, ""),
    (46, XARK, "caps of 16 registers at 128 threads: percent", 66.7, lambda: occupancy("g80", "occupancy_percent", registers=16, block=128), 1e-3, ""),
    (46, XARK, "caps of 20: percent", 50, lambda: occupancy("g80", "occupancy_percent", registers=20, block=128), 0, ""),
    (48, XARK, "a shared index that data decide: conflicts \"possible\"", "unknown", lambda: reported("--gpu g80 --grid 1 --block 32", SEEDS + "access_data.ptx", lambda k: next(a["certainty"] for a in k["accesses"] if a["space"] == "shared" and a["op"] == "load")), 0, "the access has no figures, and says why"),
    (50, TORRES, "blocks of 96: percent", 50, lambda: occupancy("c2050", "occupancy_percent", block=96), 0, ""),
    (50, TORRES, "blocks of 192: percent", 100, lambda: occupancy("c2050", "occupancy_percent", block=192), 0, ""),
    (50, TORRES, "blocks of 1024: percent", 66.7, lambda: occupancy("c2050", "occupancy_percent", block=1024), 1e-3, ""),
    (49, TORRES, "16 KB of shared memory instead of 48, 8 KB a block: blocks", 2, lambda: occupancy("c2050:shared=16k", "blocks_per_sm", block=256, shared=8192), 0, "with 48 KB 6 blocks"),
    (49, TORRES, "48 KB of L1 instead of 16, a table of 24 KB read 8 times: sectors from L2 take less, percent", 98.8, lambda: split_gain(), None, "a kernel of ours: the paper has the sizes alone"),
    (51, TORRES, "1 column: lines of a warp's request", 32, lambda: torres_lines(1), 0, ""),
    (51, TORRES, "4 columns", 8, lambda: torres_lines(4), 0, ""),
    (51, TORRES, "32 columns", 1, lambda: torres_lines(32), 0, ""),
    (51, TORRES, "2 x 128: what lint says", "MEM201", lambda: rules("--gpu c2050 --grid 2048,32 --block 2,128 --param n=4096", "torres_add.ptx", "MEM"), 0, ""),
    (51, TORRES, "4 x 64", "MEM201", lambda: rules("--gpu c2050 --grid 1024,64 --block 4,64 --param n=4096", "torres_add.ptx", "MEM"), 0, ""),
    (51, TORRES, "32 x 8", "none", lambda: rules("--gpu c2050 --grid 128,512 --block 32,8 --param n=4096", "torres_add.ptx", "MEM201"), 0, ""),
    (52, TORRES, "256 threads: rank correlation of lines with measured times", 0.961, lambda: torres_rank(256), 1e-3, "columns and rows are exchanged in the table's head"),
    (52, TORRES, "512 threads", 0.940, lambda: torres_rank(512), 1e-3, ""),
    (54, MICIKEVICIUS, "GK110: registers of a thread", 255, lambda: figure("k20", "registers_per_thread"), 0, ""),
    (55, MICIKEVICIUS, "fp32 operations under way to saturate an SM of GK104", 1728, lambda: concurrency(SEEDS + "copy_4.ptx", "--gpu k10 --grid 8000 --block 128", "operations_needed"), 0, "\"1.7K\": 192 cores x 9 clocks"),
    (56, MICIKEVICIUS, "lines under way on an SM of GK104 at 400 clocks", 84, lambda: concurrency(SEEDS + "copy_4.ptx", "--gpu k10 --grid 8000 --block 128", "bytes_needed_low", 1 / 128), 5e-3, "\"100+\""),
    (56, MICIKEVICIUS, "at 800 clocks", 168, lambda: concurrency(SEEDS + "copy_4.ptx", "--gpu k10 --grid 8000 --block 128", "bytes_needed_high", 1 / 128), 5e-3, ""),
    (57, MICIKEVICIUS, "blocks of one warp on Kepler: percent", 25, lambda: occupancy("k10", "occupancy_percent", block=32), 0, ""),
    (59, MICIKEVICIUS, "study 1: 63 registers, 3,840 B a warp, blocks of 32: warps", 8, lambda: occupancy("c2050", "warps_per_sm", registers=63, block=32, shared=3840), 0, ""),
    (60, MICIKEVICIUS, "blocks of 64: warps", 12, lambda: occupancy("c2050", "warps_per_sm", registers=63, block=64, shared=7680), 0, ""),
    (60, MICIKEVICIUS, "limited by", "shared", lambda: occupancy("c2050", "limited_by", registers=63, block=64, shared=7680), 0, ""),
    (61, MICIKEVICIUS, "1,536 B a warp: warps", 16, lambda: occupancy("c2050", "warps_per_sm", registers=63, block=64, shared=3072), 0, ""),
    (61, MICIKEVICIUS, "limited by", "registers, blocks", lambda: occupancy("c2050", "limited_by", registers=63, block=64, shared=3072), 0, "a tie; the talk names registers"),
    (63, MICIKEVICIUS, "12 blocks on 8 SMs, one each: utilisation, percent", 75, lambda: waves("--gpu k10 --grid 12 --block 1024 --dynamic-shared 40000", SEEDS + "copy_4.ptx", "utilisation_percent"), 1e-9, ""),
    (64, MICIKEVICIUS, "large blocks: 1.25 waves, percent", 62.5, lambda: waves("--gpu k10 --grid 10 --block 1024 --dynamic-shared 40000", SEEDS + "copy_4.ptx", "utilisation_percent"), 1e-9, ""),
    (64, MICIKEVICIUS, "small blocks: 3.75 waves, percent", 93.75, lambda: waves("--gpu k10 --grid 30 --block 1024 --dynamic-shared 40000", SEEDS + "copy_4.ptx", "utilisation_percent"), 1e-9, "the caption has 2 waves for 4"),
    (64, MICIKEVICIUS, "small over large blocks: faster by, times", 1.5, lambda: share_of(waves("--gpu k10 --grid 30 --block 1024 --dynamic-shared 40000", SEEDS + "copy_4.ptx", "utilisation_percent"), waves("--gpu k10 --grid 10 --block 1024 --dynamic-shared 40000", SEEDS + "copy_4.ptx", "utilisation_percent")), 1e-9, "33 % less time"),
    (65, MICIKEVICIUS, "many waves, 95 % of the time full: percent", 97.5, lambda: waves("--gpu k10 --grid 156 --block 1024 --dynamic-shared 40000", SEEDS + "copy_4.ptx", "utilisation_percent"), 1e-9, ""),
    (65, MICIKEVICIUS, "few waves, 80 % of the time full and the last half empty: percent", 90, lambda: waves("--gpu k10 --grid 36 --block 1024 --dynamic-shared 40000", SEEDS + "copy_4.ptx", "utilisation_percent"), 1e-9, ""),
    (67, MICIKEVICIUS, "aligned: lines", 1, lambda: access("access_aligned.ptx", ONE, "load", "lines_per_request"), 0, ""),
    (67, MICIKEVICIUS, "aligned, past L1: segments", 4, lambda: access("access_aligned.ptx", CG, "load", "sectors_per_request"), 0, "-dlcm=cg"),
    (68, MICIKEVICIUS, "one word behind: lines", 2, lambda: access("access_offset.ptx", ONE, "load", "lines_per_request"), 0, ""),
    (68, MICIKEVICIUS, "one word behind: percent used", 50, lambda: Shown((got := access("access_offset.ptx", ONE, "load", "efficiency")).command, 100 * got.value), 1e-9, ""),
    (68, MICIKEVICIUS, "past L1: segments", 5, lambda: access("access_offset.ptx", CG, "load", "sectors_per_request"), 0, ""),
    (69, MICIKEVICIUS, "one word: percent used", 3.125, lambda: Shown((got := access("access_same.ptx", ONE, "load", "efficiency")).command, 100 * got.value), 1e-9, ""),
    (69, MICIKEVICIUS, "one word, past L1", 12.5, lambda: Shown((got := access("access_same.ptx", CG, "load", "efficiency")).command, 100 * got.value), 1e-9, ""),
    (70, MICIKEVICIUS, "scattered: lines", 32, lambda: access("access_scattered.ptx", ONE, "load", "lines_per_request"), 0, ""),
    (70, MICIKEVICIUS, "scattered: percent used", 3.125, lambda: Shown((got := access("access_scattered.ptx", ONE, "load", "efficiency")).command, 100 * got.value), 1e-9, ""),
    (70, MICIKEVICIUS, "scattered, past L1: percent", 12.5, lambda: Shown((got := access("access_scattered.ptx", CG, "load", "efficiency")).command, 100 * got.value), 1e-9, ""),
    (72, MICIKEVICIUS, "stride of 16 bytes: segments", 16, lambda: access("access_stride.ptx", ONE, "load", "segments_per_request"), 0, ""),
    (73, MICIKEVICIUS, "symptom of an offset: pattern", "offset", lambda: reported(ONE, SEEDS + "access_offset.ptx", lambda k: k["accesses"][2]["pattern"]), 0, ""),
    (73, MICIKEVICIUS, "of a stride", "strided", lambda: reported(ONE, SEEDS + "access_stride.ptx", lambda k: k["accesses"][2]["pattern"]), 0, ""),
    (73, MICIKEVICIUS, "of an irregular access", "irregular", lambda: reported(ONE, SEEDS + "access_irregular.ptx", lambda k: k["accesses"][2]["pattern"]), 0, ""),
    (73, MICIKEVICIUS, "of none: contiguous", "contiguous", lambda: reported(ONE, SEEDS + "access_aligned.ptx", lambda k: k["accesses"][2]["pattern"]), 0, ""),
    (73, MICIKEVICIUS, "too little under way: what lint says", "THR207", lambda: rules("--gpu k10 --grid 80000 --block 64 --dynamic-shared 40000", "copy_4.ptx", "THR207"), 0, "their sign is bandwidth below 60 % of what there is"),
    (73, MICIKEVICIUS, "of a stretch for each thread", "per-thread", lambda: reported(SUM, SEEDS + "cs5_rows_before.ptx", lambda k: next(a["pattern"] for a in k["accesses"] if a["space"] == "global" and a["op"] == "load")), 0, ""),
    (75, MICIKEVICIUS, "study 2: lines of a store", 2, lambda: access("cs2_rtm_before.ptx", RTM, "store", "lines_per_request"), 0, "rows of 520 floats and a halo"),
    (76, MICIKEVICIUS, "lines of a load", 1.78, lambda: access("cs2_rtm_before.ptx", RTM, "load", "lines_per_request"), None, "measured over a whole stencil: offsets of -4 to 4 give 1.75 to 2"),
    (76, MICIKEVICIUS, "hits of L1 at the most, percent", 15.6, lambda: l1_hits("cs2_rtm_before.ptx", RTM, 2 * 64 * 4 * 512 * 4, 4 * 64 * 4 * 512 * 128), None, "a bound: each line fetched once; measured over a whole stencil"),
    (77, MICIKEVICIUS, "rows of 544: lines of a load", 1, lambda: access("cs2_rtm_after.ptx", RTM, "load", "lines_per_request"), 0, ""),
    (77, MICIKEVICIUS, "faster by, times", 1.20, lambda: ratio(time(SEEDS + "cs2_rtm_before.ptx", RTM), time(SEEDS + "cs2_rtm_after.ptx", RTM)), ORDER, "these loads alone, without what the kernel computes"),
    (78, MICIKEVICIUS, "study 3: lines of a load", 2, lambda: access("cs3_transpose_before.ptx", TURN, "load", "lines_per_request"), 0, ""),
    (78, MICIKEVICIUS, "lines of a store", 32, lambda: access("cs3_transpose_before.ptx", TURN, "store", "lines_per_request"), 0, ""),
    (79, MICIKEVICIUS, "through shared memory: lines of a store", 2, lambda: access("cs3_transpose_after.ptx", TURN, "store", "lines_per_request"), 0, ""),
    (79, MICIKEVICIUS, "16.7 to 11.2 ms: faster by, times", 1.49, lambda: ratio(time(SEEDS + "cs3_transpose_before.ptx", TURN), time(SEEDS + "cs3_transpose_after.ptx", TURN)), ORDER, ""),
    (80, MICIKEVICIUS, "study 4: lines of a load of structures", 32, lambda: access("cs4_fields_before.ptx", SUM, "load", "lines_per_request"), 0, "measured 24.5: a mix with uniform accesses"),
    (81, MICIKEVICIUS, "least lines of such a load", 2, lambda: access("cs4_fields_after.ptx", SUM, "load", "lines_per_request"), 0, "(1 - 0.73) x 24.5 = 6.6 is 3.31 times that"),
    (81, MICIKEVICIUS, "hits of L1 at the most, percent", 73, lambda: l1_hits("cs4_fields_before.ptx", SUM, 20 * 4096 * 4, 8 * 4096 * 128), None, "a bound: each line fetched once; measured over a mix"),
    (82, MICIKEVICIUS, "arrays with a halo", 3, lambda: access("cs4_fields_halo.ptx", SUM, "load", "lines_per_request"), 0, ""),
    (82, MICIKEVICIUS, "22.8 to 8.9 ms: faster by, times", 2.56, lambda: ratio(time(SEEDS + "cs4_fields_before.ptx", SUM), time(SEEDS + "cs4_fields_after.ptx", SUM)), ORDER, ""),
    (83, MICIKEVICIUS, "study 5: 16 doubles a thread: lines", 32, lambda: access("cs5_rows_before.ptx", SUM, "load", "lines_per_request"), 0, "measured 31.4"),
    (83, MICIKEVICIUS, "lanes side by side: lines", 2, lambda: access("cs5_rows_after.ptx", SUM, "load", "lines_per_request"), 0, ""),
    (84, MICIKEVICIUS, "2.30 to 0.52 ms: faster by, times", 4.42, lambda: ratio(time(SEEDS + "cs5_rows_before.ptx", SUM), time(SEEDS + "cs5_rows_after.ptx", SUM)), ORDER, "printed 4.45"),
    (85, MICIKEVICIUS, "copy of 8 bytes: lines of a request", 2, lambda: access("copy_8.ptx", "--gpu k10 --grid 8000 --block 128", "load", "lines_per_request"), 0, ""),
    (85, MICIKEVICIUS, "of 16 bytes", 4, lambda: access("copy_16.ptx", "--gpu k10 --grid 8000 --block 128", "load", "lines_per_request"), 0, ""),
    (91, MICIKEVICIUS, "study 7: replays of a shared access, mean", 15, lambda: replays("cs7_tile_before.ptx", TURN), 0, "a column of doubles 30, a row none"),
    (91, MICIKEVICIUS, "replays of what is issued, percent", 56, lambda: reported(TURN, SEEDS + "cs7_tile_before.ptx", share_of_replays), 0.1, "their kernel computes a little less"),
    (92, MICIKEVICIUS, "rows of 33: replays", 0, lambda: replays("cs3_transpose_after.ptx", TURN), 0, "\"stride 17\" must be 33"),
    (93, MICIKEVICIUS, "22.6 to 11.2 ms: faster by, times", 2.02, lambda: ratio(time(SEEDS + "cs7_tile_before.ptx", TURN), time(SEEDS + "cs3_transpose_after.ptx", TURN)), ORDER, ""),
    (96, MICIKEVICIUS, "study 8: GK110, 96 registers: warps", 20, lambda: occupancy("k20", "warps_per_sm", registers=96, block=32), None, "16 blocks of a warp are the most; with two warps 20"),
    (96, MICIKEVICIUS, "the same in blocks of 64", 20, lambda: occupancy("k20", "warps_per_sm", registers=96, block=64), 0, "65,536 / 96 / 32 in four partitions"),
    (98, MICIKEVICIUS, "-dlcm=cg for scattered loads: what lint says", "MEM210", lambda: rules(ONE, "access_irregular.ptx", "MEM210"), 0, ""),
    (98, MICIKEVICIUS, "compiled so", "none", lambda: rules(CG, "access_irregular.ptx", "MEM210"), 0, ""),
    (98, MICIKEVICIUS, "its segments", 28, lambda: access("access_irregular.ptx", CG, "load", "sectors_per_request"), 0, "28 lanes have one of their own"),
    (97, MICIKEVICIUS, "GK104: bytes of L2", 524288, lambda: figure("k10", "l2_bytes"), 0, ""),
]

# what Nsight Compute's rules ask of a measured launch and a static tool can answer, and the rules that do
NCU = [
    ("Theoretical Occupancy", ["OCC101", "OCC103", "OCC108", "OCC109", "OCC111"]), ("Achieved Occupancy", ["LCH103", "THR210", "THR211"]),
    ("Workload Imbalance", ["LCH103", "THR210", "THR211"]), ("High and Slow Pipe Utilization", ["THR212", "THR203", "THR208", "THR114"]),
    ("Launch Configuration", ["OCC102", "LCH102", "LCH105"]), ("Uncoalesced Global Accesses", ["MEM201", "MEM202", "MEM210"]), ("Shared Bank Conflicts", ["MEM203"]),
    ("Thread Divergence", ["THR116", "THR201", "THR202"]), ("FP32 Non-Fused Instructions", ["THR104"]), ("FP64 where fp32 would do", ["THR101", "THR114"]),
    ("Roofline, Bound Analysis", ["THR209"]), ("Issue Slot Utilization, stalls", ["THR204", "THR205", "THR206", "THR207"]),
]

# what a static tool does not say, and why
LEFT_OUT = [
    (4, "388.8 GFLOPS with special function units: the report's peak is that of multiply-adds."),
    (13, "Table 3's ratio of memory to computation in its other rows: the list of figures asks for the product's alone, as SAXPY's does not follow from the formula. Where ours stand elsewhere in the order, rows 27, 29 and 33 say why."),
    (27, "H.264's 0.006 of that: ours keeps and stores the sums of all places, as a search needs that joins blocks of 4 x 4 pixels to larger ones. What theirs stores is not published: by the formula a seventh of that. Texels are counted as read from memory each: what a texture's cache has follows from its layout, which is not in PTX."),
    (29, "RC5-72's 0: it stores a key that it has found. How often data decide: the report's demand counts an `if` whole, the table never."),
    (31, "RPES's 0.01: how many primitives a thread goes through for what it loads once is data; ours takes each of its block's 128 once."),
    (32, "PNS is limited by the capacity of global memory, which is no property of its code; `testdata/seeds/ryoo_pns.ptx` is said to be limited by instructions."),
    (33, "SAXPY's 0.375: by the formula 64 instructions for three accesses, where a multiply-add with its addresses needs no more than ours, 18."),
    (35, "FDTD, 11 registers and 768 threads: contradicts 8,192 registers of an SM; the program says 744 at most."),
    (38, "Speed-ups of whole programs: what runs on the host is not in PTX."),
    (62, "Study 1, 6.89 to 3.23 ms: the kernel is not published; occupancy of its three forms is above."),
    (76, "1.78 lines and hits of 15.6 %: the kernel is not published. Whether a line that is asked for again still is in L1 depends on the order in which warps of several blocks run, and on what L1 replaces, which NVIDIA does not publish. So the least is 0; the most is above: each line is fetched once by an SM."),
    (81, "73 % hits of L1: a mix with accesses that are not published, and for hits the same holds as in row 76; above is what the strided ones can have at the most. Round robin leaves none: between two loads of a line 32 warps ask for 128 KB, and L1 has 16."),
    (95, "Study 6, 1.14 to 1.29 times: the gain is that of a share of 80 or 74 % of a kernel that is not published (Amdahl), so it does not follow from the interleaving. The mode of 8 bytes is `shared_bank_bytes` of a launch file."),
    (98, "The list of lint is the rules THR101, THR102, THR108, MEM103, MEM106, MEM202, MEM210, OCC106 ([rules](rules/README.md)); replays are above."),
]

WALKS = [
    ("Ryoo et al.: how many blocks, and what the next register costs", ["occupancy --gpu g80 --registers 10 --block 16,16 --shared 2048"]),
    ("What each step of their matrix product leaves for the next", [f"optspace --gpu g80 --grid 256,256 --block 16,16 --param 3=4096 {MATMUL}naive.ptx {MATMUL}tiled.ptx {MATMUL}unrolled.ptx {MATMUL}prefetch.ptx"]),
    ("Eleven kernels of the suite, and what limits each", ["report --gpu g80 --launch testdata/seeds/ryoo.launch.json testdata/seeds/ryoo_*.ptx"]),
    ("XARK: block sizes of a G80 at a cap of 12 registers", ["occupancy --gpu g80 --registers 12 --block 64 --block 128 --block 192 --block 256 --block 384 --block 512"]),
    ("Torres et al.: the shape of a block, by what lint says", [f"check --all --gpu c2050 --grid 1024,64 --block 4,64 --param n=4096 --select MEM {ADD}"]),
    ("The same store of an SM, shared memory or L1", [f"rank --gpu c2050,c2050:shared=16k --grid 1000 --block 256 {SEEDS}table_reread.ptx", "occupancy --gpu c2050,c2050:shared=16k --block 256 --shared 8192"]),
    ("Micikevicius: 8 warps, 12, 16 (study 1)", ["occupancy --gpu c2050 --registers 63 --block 32 --block 64 --shared 3840", "occupancy --gpu c2050 --registers 63 --block 64 --shared 7680", "occupancy --gpu c2050 --registers 63 --block 64 --shared 3072"]),
    ("A transpose, straight to memory (study 3), in a tile (7), and padded", [f"report {TURN} {SEEDS}cs3_transpose_before.ptx {SEEDS}cs7_tile_before.ptx {SEEDS}cs3_transpose_after.ptx", f"check {TURN} --select MEM {SEEDS}cs3_transpose_before.ptx {SEEDS}cs7_tile_before.ptx {SEEDS}cs3_transpose_after.ptx"]),
    ("Structures of 20 doubles, and arrays (study 4)", [f"report {SUM} {SEEDS}cs4_fields_before.ptx {SEEDS}cs4_fields_halo.ptx {SEEDS}cs4_fields_after.ptx"]),
]


def shown(value):
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.4g}"
    return "-" if value is None else str(int(value) if isinstance(value, float) else value)


def agrees(theirs, ours, tolerance):
    if tolerance == ORDER:
        return (theirs > 1) == (ours > 1)
    if tolerance == PART:
        return theirs in ours.split(", ")
    if isinstance(theirs, str) or ours is None or isinstance(ours, str):
        return theirs == ours
    return abs(ours - theirs) <= tolerance * abs(theirs) + 1e-12


def table(source):
    lines = ["| row | what | theirs | ours | | command |", "| ---: | --- | ---: | ---: | --- | --- |"]
    for row, of, claim, theirs, ours, tolerance, remark in ROWS:
        if of != source:
            continue
        found = ours()
        if tolerance is not None and not agrees(theirs, found.value, tolerance):
            problems.append(f"row {row}: {claim}: {theirs} is theirs, {found.value} ours")
        words = "; ".join(filter(None, [{None: "beside it", ORDER: "beside it, the same order"}.get(tolerance, ""), remark]))
        command = "<br>".join(f"`{part}`" for part in found.command.split("; "))
        lines.append(f"| {row or ''} | {claim} | {shown(theirs)} | {shown(found.value)} | {words} | {command} |")
    return lines


HEAD = """# The seeds

ptxlint stands on five documents. Here are their figures beside what the program says, each with the command that shows it (behind `ptxlint`; run them at the top
of the source tree). `tools/seeds.py` writes this page, and the tests fail where a figure is no longer theirs. Where print errs, *theirs* is what recomputing gives, and
the remark says so. *Beside it*: measured on hardware or of a whole program, so that the program's figure, of a kernel made for it, is set beside it;
of times the order is held. *Unconfirmed*: what the paper is said to have, and the list of figures does not.
The numbers of rows are those of the project's list of figures; a walk through them with output is [examples/seeds.md](examples/seeds.md).
"""
TITLES = {
    RYOO: "Ryoo, Rodrigues, Baghsorkhi, Stone, Kirk and Hwu, \"Optimization Principles and Application Performance Evaluation of a Multithreaded GPU Using CUDA\", PPoPP 2008, and slides on it",
    XARK: "The XARK paper on mapping heuristics for GPUs",
    TORRES: "Torres et al., \"CUDA tuning and configuration parameters on Fermi architecture\"",
    MICIKEVICIUS: "Micikevicius, \"GPU Performance Analysis and Optimization\", GTC 2012",
}
WALK_HEAD = """# A walk through the seeds

The documents that ptxlint goes back to, by commands and what they print at 80 columns;
[seeds.md](../seeds.md) has all figures. Run them at the top of the source tree.
`tools/seeds.py` writes this page.
"""


def pages():
    lines = [HEAD]
    for source, title in TITLES.items():
        lines += [f"## {source}", "", title + ".", "", *table(source), ""]
    known = {rule["code"]: rule["name"] for rule in run("rules --format json")["rules"]}
    lines += ["## Nsight Compute's rules", "", "Its rules that code and launch can answer, and the rules of ptxlint that do.", "", "| of Nsight Compute | here |", "| --- | --- |"]
    for theirs, ours in NCU:
        problems.extend(f"there is no rule {code}" for code in ours if code not in known)
        lines.append(f"| {theirs} | " + ", ".join(f"[{code}](rules/{code}.md) {known.get(code)}" for code in ours) + " |")
    lines += ["", "## Not said by a static tool", "", "| row | why |", "| ---: | --- |", *(f"| {row or ''} | {why} |" for row, why in LEFT_OUT), ""]
    walk = [WALK_HEAD]
    for title, commands in WALKS:
        walk += [f"## {title}", ""]
        for command in commands:
            walk += ["```text", " \\\n".join(fold(f"$ ptxlint {command}", 78)), *(line for text in run(command, plain=True).rstrip("\n").split("\n")
                                                                              for line in fold(text, 80)), "```", ""]
    return {ROOT / "docs/seeds.md": "\n".join(lines), ROOT / "docs/examples/seeds.md": "\n".join(walk)}


def main():
    made = pages()
    if "--check" not in sys.argv:
        for path, text in made.items():
            path.write_text(text, encoding="utf-8")
    for path, text in made.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            problems.append(f"{path.relative_to(ROOT)} is not current: tools/docs.sh writes it anew")
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(bool(problems))


main()
