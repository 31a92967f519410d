#!/usr/bin/env python3
"""What a GPU really does at each line of a PTX file: how testdata/measured/ was made.

    measure.py launches DIR          launches.json, from the lines `// launch NAME grid=… block=… params=[…]` of DIR/*.cu
    measure.py assemble DIR OUT      OUT/*.cubin of DIR/*.ptx, whose line table names the lines of the PTX itself (needs ptxas)
    measure.py launch DIR OUT FILE SEED    runs each kernel of FILE once, buffers filled from SEED (needs a GPU; run it under ncu)
    measure.py probe OUT             runs the patterns of probes.py (the same)
    measure.py join DIR OUT          measured.jsonl out of ncu's reports of seeds 0 to 3 (needs ncu's Python module)
    measure.py join-probes TOOL OUT  probes.json

run.sh does all of it in order. A line is data dependent where its figures differ from seed to seed.
Python 3 standard library; ncu_report comes with Nsight Compute."""
import ctypes, glob, json, os, random, re, struct, subprocess, sys

BUFFER_BYTES = 8 << 20
LARGE_BYTES = 128 << 20     # buffers of a directory with fills.json

# ---- launches ------------------------------------------------------------------------------------------------------------

def launches(directory):
    """launches.json; the second and further launches of a kernel under "launches", in order."""
    kernels, more, fills = {}, [], {}
    for path in sorted(glob.glob(f"{directory}/*.cu")):
        for name, rest in re.findall(r"(?m)^// launch (\w+) (.*)$", open(path).read()):
            word = lambda key: re.search(rf"\b{key}=(\S+)", rest)
            k = {key: [int(n) for n in word(key)[1].split(",")] for key in ("grid", "block", "cluster") if word(key)}
            k["dynamic_shared"] = int(word("dynamic")[1]) if word("dynamic") else 0
            k["params"] = json.loads(word("params")[1])
            if name in kernels:
                more.append({"kernel": name, **k})
                continue
            kernels[name] = k
            if word("fill"):
                fills[name] = word("fill")[1]
    with open(f"{directory}/launches.json", "w") as f:
        f.write('{"kernels": {\n' + ",\n".join(f'  "{n}": {json.dumps(k)}' for n, k in kernels.items()) + "\n}")
        f.write((',\n"launches": [\n' + ",\n".join("  " + json.dumps(k) for k in more) + "\n]" if more else "") + "}\n")
    if fills:
        json.dump(fills, open(f"{directory}/fills.json", "w"), indent=1)

# ---- PTX -----------------------------------------------------------------------------------------------------------------

def with_lines(text):
    """The PTX with `.loc 1 N 0` before the instruction of line N."""
    out, depth, is_start = [], 0, True
    for n, line in enumerate(text.split("\n"), 1):
        code = line.split("//")[0].strip()
        if re.match(r"\.(loc|file)\b", code):
            continue
        if depth and is_start and re.match(r"(@!?%\w+\s+)?\{?\s*[a-z]", code) and not re.match(r"[\w$]+:$", code):
            out.append(f".loc 1 {n} 0")
        out.append(line)
        depth += code.count("{") - code.count("}")
        if code:
            is_start = code[-1] in ";{}:"
        if re.match(r"\.address_size", code):
            out.append('.file 1 "k.ptx"')
    return "\n".join(out)

def assemble(directory, out):
    os.makedirs(out, exist_ok=True)
    jobs = []
    for path in sorted(glob.glob(f"{directory}/*.ptx")):
        stem = f"{out}/{os.path.basename(path)[:-4]}"
        with open(stem + ".lines.ptx", "w") as f:
            f.write(with_lines(open(path).read()))
        jobs.append((path, subprocess.Popen(["ptxas", "-arch=" + re.search(r"\.target\s+(\w+)", open(path).read())[1], "-lineinfo", stem + ".lines.ptx", "-o", stem + ".cubin"])))
    for path, job in jobs:
        if job.wait():
            print("ptxas failed:", path)

def entries(text):
    """{kernel: [(type, bytes)]} of a PTX text."""
    found = {}
    for name, params in re.findall(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)", text):
        found[name] = []
        for p in re.findall(r"\.param\s+([^,]*)", params):
            array = re.search(r"\.align\s+\d+\s+\.b8\s+\S+\[(\d+)\]", p)
            kind = re.search(r"\.([bsuf])(8|16|32|64)\b", p)
            found[name].append(("bytes", int(array[1])) if array else (kind[1], int(kind[2]) // 8))
    return found

# ---- running -------------------------------------------------------------------------------------------------------------

class Gpu:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.check(self.cuda.cuInit(0))
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.check(self.cuda.cuDeviceGet(ctypes.byref(device), 0))
        self.check(self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
        self.check(self.cuda.cuCtxSetCurrent(context))
        self.buffers = []

    def check(self, status):
        if status:
            sys.exit(f"CUDA error {status}")

    def load(self, path):
        module = ctypes.c_void_p()
        self.check(self.cuda.cuModuleLoad(ctypes.byref(module), path.encode()))
        return module

    def function(self, module, name):
        function = ctypes.c_void_p()
        self.check(self.cuda.cuModuleGetFunction(ctypes.byref(function), module, name.encode()))
        return function

    def buffer(self, n, filling):
        while len(self.buffers) <= n:
            at = ctypes.c_uint64()
            self.check(self.cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(BUFFER_BYTES)))
            self.buffers.append(at.value)
        self.check(self.cuda.cuMemcpyHtoD_v2(ctypes.c_uint64(self.buffers[n]), filling, ctypes.c_size_t(len(filling))))
        return self.buffers[n]

    def launch(self, function, grid, block, dynamic, values):
        cells = [ctypes.create_string_buffer(v, len(v)) for v in values]
        args = (ctypes.c_void_p * max(len(cells), 1))(*[ctypes.cast(c, ctypes.c_void_p) for c in cells])
        if dynamic > 48 << 10:
            self.check(self.cuda.cuFuncSetAttribute(function, 8, dynamic))
        self.check(self.cuda.cuLaunchKernel(function, *grid, *block, dynamic, None, args, None))
        self.check(self.cuda.cuCtxSynchronize())

def filling(seed):
    """What the buffers hold: zeros for seed 0, else small numbers at random; seed 3 is 1 again."""
    seed = 1 if seed == 3 else seed
    if not seed:
        return bytes(BUFFER_BYTES)
    some = random.Random(seed)
    return struct.pack("<65536I", *[some.randrange(1024) for _ in range(65536)]) * (BUFFER_BYTES >> 18)

class Large:
    """Buffers of LARGE_BYTES, filled by letter: f floats from 0 to 1 (d doubles, h halves), i numbers below a million, s below 1,024, z zeros. f where nothing is said."""
    def __init__(self, gpu):
        import numpy
        some = numpy.random.default_rng(1)
        words = LARGE_BYTES // 4
        self.gpu, self.filled = gpu, {}
        self.data = {"f": some.random(words, dtype=numpy.float32), "d": some.random(words // 2), "h": some.random(2 * words, dtype=numpy.float32).astype(numpy.float16), "i": some.integers(0, 1 << 20, words, dtype=numpy.uint32),
                     "s": some.integers(0, 1024, words, dtype=numpy.uint32), "z": numpy.zeros(words, dtype=numpy.uint32)}
        self.buffers = []

    def buffer(self, n, letter):
        while len(self.buffers) <= n:
            at = ctypes.c_uint64()
            self.gpu.check(self.gpu.cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(LARGE_BYTES)))
            self.buffers.append(at.value)
        if self.filled.get(n) != letter or n == 0:
            self.gpu.check(self.gpu.cuda.cuMemcpyHtoD_v2(ctypes.c_uint64(self.buffers[n]), ctypes.c_void_p(self.data[letter].ctypes.data), ctypes.c_size_t(LARGE_BYTES)))
            self.filled[n] = letter
        return self.buffers[n]

def packed(param, value):
    kind, size = param
    if isinstance(value, dict):
        return bytes.fromhex(value["bytes"])
    if kind == "bytes":
        return int(value).to_bytes(size, "little")
    if kind == "f":
        return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], value)
    return (int(value) & (1 << 8 * size) - 1).to_bytes(size, "little")

def launch(directory, out, stem, seed):
    gpu, data = Gpu(), filling(seed)
    fills = json.load(open(f"{directory}/fills.json")) if os.path.exists(f"{directory}/fills.json") else None
    large = Large(gpu) if fills is not None else None
    listed = json.load(open(f"{directory}/launches.json"))
    module = gpu.load(f"{out}/{stem}.cubin")
    for name, params in entries(open(f"{directory}/{stem}.ptx").read()).items():
        for k in [listed["kernels"][name], *(m for m in listed.get("launches", []) if m["kernel"] == name)]:
            pointers = [n for n, v in enumerate(k["params"]) if v is None]
            place = lambda n: large.buffer(pointers.index(n), fills.get(name, "").ljust(9, "f")[pointers.index(n)]) if large else gpu.buffer(n, data)
            values = [struct.pack("<Q", place(n)) if v is None else packed(params[n], v) for n, v in enumerate(k["params"])]
            values += [bytes(size) for _, size in params[len(values):]]
            gpu.launch(gpu.function(module, name), k["grid"], k["block"], k.get("dynamic_shared", 0), values)
            print(name, flush=True)

def probe(out):
    import probes
    gpu = Gpu()
    function = gpu.function(gpu.load(f"{out}/probes/probes.cubin"), "probes")
    places = gpu.buffer(0, bytes(4096))
    for lanes, far, mask in probes.patterns():
        gpu.check(gpu.cuda.cuMemcpyHtoD_v2(ctypes.c_uint64(places), struct.pack("<64I", *lanes, *far), ctypes.c_size_t(256)))
        gpu.launch(function, (1, 1, 1), (32, 1, 1), 0, [struct.pack("<Q", places), struct.pack("<I", mask)])

# ---- joining -------------------------------------------------------------------------------------------------------------

COUNTS = {"warp_requests": "inst_executed", "threads": "thread_inst_executed_true", "sectors": "memory_l2_theoretical_sectors_global",
          "sectors_ideal": "memory_l2_theoretical_sectors_global_ideal", "wavefronts": "memory_l1_wavefronts_shared",
          "wavefronts_ideal": "memory_l1_wavefronts_shared_ideal"}
OPS = {"ffma": "ffma", "fadd": "fadd", "fmul": "fmul", "dfma": "dfma", "dadd": "dadd", "dmul": "dmul"}
STALLS = ("long_scoreboard", "short_scoreboard", "barrier", "lg_throttle", "mio_throttle", "math_pipe_throttle", "wait", "no_instruction", "not_selected",
          "branch_resolve", "dispatch_stall", "drain", "imc_miss", "membar", "selected", "sleeping", "tex_throttle")
PIPES = ("alu", "fma", "fmaheavy", "fp16", "fp64", "lsu", "xu", "adu", "cbu", "uniform", "tensor_op_hmma")
METRICS = {"registers": "launch__registers_per_thread", "static_shared": "launch__shared_mem_per_block_static",
           "theoretical_occupancy_pct": "sm__maximum_warps_per_active_cycle_pct",
           "achieved_occupancy_pct": "sm__warps_active.avg.pct_of_peak_sustained_active", "waves_per_sm": "launch__waves_per_multiprocessor",
           "warp_instructions": "smsp__inst_executed.sum", "dram_read_bytes": "dram__bytes_read.sum", "dram_write_bytes": "dram__bytes_write.sum",
           "duration_ns": "gpu__time_duration.sum",
           "l2_sectors": "lts__t_sectors.sum", "l2_sectors_from_l1": "lts__t_sectors_srcunit_tex.sum", "l2_hit_pct": "lts__t_sector_hit_rate.pct",
           "l2_misses_from_l1": "lts__t_sectors_srcunit_tex_lookup_miss.sum", "l1_hit_pct": "l1tex__t_sector_hit_rate.pct",
           "l1_sectors_ld": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1_hits_ld": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
           "l1_sectors_st": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "l1_wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
           "l1_cycles_pct": "l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "l2_pct": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
           "dram_pct": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "sm_pct": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
           "cycles_elapsed": "sm__cycles_elapsed.max", "cycles_active": "sm__cycles_active.avg", "issue_active_pct": "smsp__issue_active.avg.pct_of_peak_sustained_active",
           "warp_latency": "smsp__average_warp_latency_per_inst_issued.ratio",
           **{f"stall_{s}": f"smsp__average_warps_issue_stalled_{s}_per_issue_active.ratio" for s in STALLS},
           **{f"pipe_{p}": f"sm__inst_executed_pipe_{p}.sum" for p in PIPES}}
LIMITS = ("registers", "shared_mem", "warps", "blocks", "barriers")
ACCESS = re.compile(r"(LD|ST|ATOM|RED)(G|S|SM|L|GSTS|M)?$|ATOMS|ATOMG|LDGSTS|LDSM|STSM|RED|UBLKCP")

def metric_names():
    return ",".join([*COUNTS.values(), *METRICS.values(), *(f"launch__occupancy_limit_{l}" for l in LIMITS),
                     *(f"smsp__sass_thread_inst_executed_op_{o}_pred_on.sum" for o in OPS)])

def by_address(action, name):
    metric = action.metric_by_name(name)
    if metric is None or not metric.num_instances():
        return {}
    ids = metric.correlation_ids()
    return {ids.as_uint64(i): metric.as_uint64(i) for i in range(metric.num_instances())}

def line_at(action, pc):
    info = action.source_info(pc)
    return info.line() if info else 0

def opcode(text):
    return re.sub(r"^@!?U?P\w+\s+", "", text.strip()).split()[0].rstrip(";")

def lines_of(action):
    """{line: counts}, {opcode: executed}, disassembly."""
    counts = {k: by_address(action, m) for k, m in COUNTS.items()}
    lines, executed, listing = {}, {}, []
    for pc in sorted(counts["warp_requests"]):
        text = action.sass_by_pc(pc)
        op, line, ran = opcode(text), line_at(action, pc), counts["warp_requests"][pc]
        listing.append(f"{line:5} {ran:8} {counts['threads'].get(pc, 0):9} {counts['sectors'].get(pc, 0):8} {counts['wavefronts'].get(pc, 0):8}  {text}")
        executed[op.split(".")[0]] = executed.get(op.split(".")[0], 0) + ran
        if not ACCESS.match(op.split(".")[0]) or text.strip().startswith("@!PT"):
            continue        # "@!PT LDS" before LDGSTS does nothing
        at = lines.setdefault(line, {"sass": [], **{k: 0 for k in COUNTS}})
        at["sass"] += [op] * (op not in at["sass"])
        for k in COUNTS:
            at[k] += counts[k].get(pc, 0)
    return lines, executed, listing

def number(action, name):
    metric = action.metric_by_name(name)
    return None if metric is None else metric.value()

def figures(action, stem, source):
    lines, executed, listing = lines_of(action)
    kernel = {"kernel": action.name(), "file": stem + ".ptx", **{k: number(action, m) for k, m in METRICS.items()}}
    kernel["blocks_per_sm_limits"] = {l: number(action, f"launch__occupancy_limit_{l}") for l in LIMITS}
    kernel["thread_ops"] = {o: number(action, f"smsp__sass_thread_inst_executed_op_{m}_pred_on.sum") or 0 for o, m in OPS.items()}
    kernel["sass_executed"] = executed
    kernel["memory"] = []
    for line in sorted(lines):
        text = re.sub(r"\s+", " ", source[line - 1].strip()) if 0 < line <= len(source) else ""
        if re.search(r"\b(ld|st|atom|red|cp|ldmatrix|stmatrix|ldu)\.", text):
            kernel["memory"].append({"line": line, "text": text, **lines[line]})
    return kernel, listing

def load_report(path):
    for folder in glob.glob("/opt/nvidia/nsight-compute/*/extras/python") + glob.glob("/usr/local/cuda*/nsight-compute*/extras/python"):
        sys.path.append(folder)
    import ncu_report
    return ncu_report.load_report(path)

def actions(path):
    report = load_report(path)
    return [report[0].action_by_idx(i) for i in range(report[0].num_actions())] if report.num_ranges() else []

def flag(kernel, others, by_hand):
    """others: the same lines with data of seeds 0, 2, and 1 again."""
    for m in kernel["memory"]:
        same = [o.get(m["line"]) == m for o in others]
        word = by_hand.get(str(m["line"]))
        if word:
            m[word] = True
        elif same and not same[-1]:
            m["unsteady"] = m["misattributed"] = True       # differs from run to run: the hardware's timing shows in it
            m["seen"] = [o[m["line"]]["wavefronts"] for o in others if m["line"] in o]
        elif not all(same):
            m["data_dependent"] = True

def join(directory, out):
    flags = json.load(open(f"{directory}/flags.json")) if os.path.exists(f"{directory}/flags.json") else {}
    with open(f"{out}/measured.jsonl", "w") as rows, open(f"{out}/listing.txt", "w") as listings:
        for path in sorted(glob.glob(f"{directory}/*.ptx")):
            stem = os.path.basename(path)[:-4]
            source = open(path).read().split("\n")
            seeds = []
            for seed in (1, 0, 2, 3):
                report = f"{out}/{stem}.{seed}.ncu-rep"
                seeds.append([figures(a, stem, source) for a in actions(report)] if os.path.exists(report) else [])
            for n, (kernel, listing) in enumerate(seeds[0]):
                others = [{m["line"]: m for m in s[n][0]["memory"]} for s in seeds[1:] if n < len(s)]
                flag(kernel, others, flags.get(kernel["kernel"], {}))
                rows.write(json.dumps(kernel) + "\n")
                listings.write(f"== {kernel['kernel']}\n" + "\n".join(listing) + "\n")

def join_probes(here, out):
    """probes.json: the instructions, and for each pattern of lanes the wavefronts that each of them took. CAS loops are left out."""
    import probes
    source = open(f"{here}/probes-ptx/probes.ptx").read().split("\n")
    found = [lines_of(a)[0] for a in actions(f"{out}/probes.ncu-rep")]
    write_probes(out, source, [(p, {n: (x["sass"], x["wavefronts"]) for n, x in lines.items()}) for p, lines in zip(probes.patterns(), found)])

def write_probes(out, source, rows):
    clears = [m[1] for l in source for m in re.finditer(r"st\.shared\.u32\s+\[(%r\d+)\+128\]", l)]
    kept = [n for n in sorted(rows[0][1]) if re.match(r"\s*(atom|red|cp|ld|st)\S*\.shared", source[n - 1])
            and not any(f"[{c}" in source[n - 1] for c in clears) and all(len(found[n][0]) == 1 for _, found in rows)
            and not (re.search(r"64\s", source[n - 1]) and rows[0][1][n][0] == ["LDS"])]      # ptxas reads the half that is used
    instructions = [re.sub(r"\s+", " ", source[n - 1].strip()) for n in kept]
    lines = [json.dumps({"shared": s, "global": g, "mask": m, "wavefronts": [found[n][1] for n in kept]}) for (s, g, m), found in rows]
    with open(f"{out}/probes.json", "w") as f:
        f.write('{"instructions": ' + json.dumps(instructions, indent=1) + ',\n"patterns": [\n' + ",\n".join(lines) + "\n]}\n")

if __name__ == "__main__":
    command, args = sys.argv[1] if sys.argv[1:] else "", sys.argv[2:]
    if command == "launch":
        launch(*args[:3], int(args[3]))
    elif command == "metrics":
        print(metric_names())
    elif command in ("launches", "assemble", "probe", "join", "join-probes"):
        {"launches": launches, "assemble": assemble, "probe": probe, "join": join, "join-probes": join_probes}[command](*args)
    else:
        sys.exit(__doc__)
