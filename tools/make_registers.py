#!/usr/bin/env python3
"""make_registers.py DIR [--programs 400] [--seed 1] [--of NAME,...] [--tiles] -- programs of many kinds, compiled, with the registers of each kernel.

Writes DIR/pNNNN.cu, DIR/pNNNN.computeNN.ptx and DIR/measured.jsonl, a line a kernel and target (file, kernel, sm, regs, spill_st, spill_ld).
A program is some kernels of the kinds in tools/register_kinds, with sizes, types, depths and shapes drawn at random; --of draws from the modules
or kinds of these names only. NVCC and PTXAS name the tools, of CUDA 13.0; what is there already is not made again. tools/fit_registers.py
reads the result.

A module of tools/register_kinds lists functions as KINDS. Each takes a Draw and the kernel's name, and gives the text of a kernel with all that it
needs, under names that end in the kernel's. A module that defines HEAD (#include lines) has programs of its own. With --tiles the programs are
PTX of one kernel each, DIR/pNNNN.ptx, of the functions that a module lists as TILE_KINDS: what compilers of tiles write.
"""
import argparse, concurrent.futures, glob, importlib.util, json, os, random, re, subprocess, sys

TARGETS = {75: (75, 80, 86, 90, 100, 120), 80: (80, 86, 90, 100, 120), 90: (90,), 100: (100,), 120: (120,)}     # sm_87 to sm_89 take what sm_86 does, sm_121 what sm_120 does
INCLUDES = (("half|__h[a-z]|bfloat16", "cuda_fp16"), ("bfloat|bf16", "cuda_bf16"), ("wmma", "mma"), ("__pipeline_", "cuda_pipeline"),
            ("cooperative_groups", "cooperative_groups"), ("cooperative_groups", "cooperative_groups/reduce"))      # what a program uses, and its header

class Draw:
    """Random choices, and the words that templates are made of."""
    def __init__(self, r): self.r = r
    def of(self, *v): return self.r.choice(v)
    def n(self, low, high): return self.r.randint(low, high)
    def maybe(self, p, text): return text if self.r.random() < p else ""
    def unroll(self): return self.of("\n#pragma unroll 1\n", "", "\n#pragma unroll\n", "\n#pragma unroll 2\n", "\n#pragma unroll 4\n", "\n#pragma unroll 8\n")
    def restrict(self): return self.of("__restrict__ ", "__restrict__ ", "")
    def bounds(self): return self.maybe(0.2, f"__launch_bounds__({self.of('64', '128', '256', '512', '1024', '256, 2', '256, 4', '128, 8', '128, 4', '512, 2', '96', '192, 4', '1024, 1', '32, 16')}) ")
    def index(self): return self.of("int i = blockIdx.x * blockDim.x + threadIdx.x;", "unsigned i = blockIdx.x * blockDim.x + threadIdx.x;",
                                    "int i = threadIdx.x + blockIdx.x * 256;", "long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;", "size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;")
    def cuda(self, text, k, **words):
        """Text with its choices made: of @{a@b@} one, $word by its value (what is called for a value is called for each), $k the kernel's name."""
        words = dict(bounds=self.bounds, restrict=self.restrict, unroll=self.unroll, index=self.index, k=k) | words
        choices = 1
        while choices: text, choices = re.subn(r"@\{((?:(?!@\{).)*?)@\}", lambda m: self.of(*m[1].split("@")), text, flags=re.S)    # inner ones first
        assert "@" not in text, text
        value = lambda w: str(w() if callable(w) else w)
        return re.sub(r"\$(?:(\w+)|\{(\w+)\})", lambda m: value(words[m[1] or m[2]]), text)
    def fexpr(self, names, depth):
        """A random expression of floats."""
        if depth == 0: return self.of(*names, *names, f"{self.n(1, 9)}.{self.n(0, 9)}f")
        a, b = self.fexpr(names, depth - 1), self.fexpr(names, self.n(0, depth - 1)); k = self.r.random()
        if k < .35: return f"({a} * {b} + {self.of(*names)})"
        if k < .55: return f"({a} {self.of('+', '-', '*')} {b})"
        if k < .62: return f"f{self.of('max', 'min')}f({a}, {b})"
        if k < .82: return f"({a} {self.of('+', '*')} {self.of(*names)})"
        if k < .92: return f"{self.of('sqrtf', '__expf', 'expf', 'fabsf', 'rsqrtf', '__sinf', 'sinf', '__logf', 'logf', 'tanhf', 'floorf', 'erff', 'cosf')}({a})"
        if k < .97: return f"({a} > {b} ? {a} : {self.of(*names)})"
        return self.of(f"({a} / {b})", f"__fdividef({a}, {b})", f"powf({a}, {b})", f"fmodf({a}, {b})")
    def iexpr(self, names, depth):
        if depth == 0: return self.of(*names, *names, str(self.n(1, 31)), hex(self.n(1, 1 << 30)))
        a, b = self.iexpr(names, depth - 1), self.iexpr(names, self.n(0, depth - 1)); k = self.r.random()
        if k < .6: return f"({a} {self.of('+', '-', '*', '^', '&', '|', '+', '^')} {b})"
        if k < .75: return f"({a} {self.of('<<', '>>')} {self.n(1, 30)})"
        if k < .85: return f"__funnelshift_l({a}, {self.of(*names)}, {self.n(1, 31)})"
        if k < .9: return f"{self.of('__popc', '__clz', '__brev')}({a})"
        if k < .95: return f"({a} {self.of('/', '%')} {self.n(3, 1000)}u)"
        return self.of(f"({a} / ({b} | 1u))", f"__umulhi({a}, {b})", f"min({a}, {b})")

def modules():
    found, sys.dont_write_bytecode = [], True
    for path in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "register_kinds", "*.py"))):
        spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
        found.append(importlib.util.module_from_spec(spec)); spec.loader.exec_module(found[-1])
    return found

def pools(names):
    """(HEAD, kinds) of what programs are drawn from: all modules without a HEAD are one, and the first."""
    plain, own = [], []
    for m in modules():
        kinds = [kind for kind in getattr(m, "KINDS", []) if not names or m.__name__ in names or kind.__name__ in names]
        if not hasattr(m, "HEAD"): plain += kinds
        elif kinds: own.append((m.HEAD, kinds))
    assert len({kind.__name__ for kind in plain}) == len(plain), "two kinds of one name"
    return [("", plain)] * bool(plain) + own

def program(which, seed, number):
    r = random.Random(seed * 100003 + number); d = Draw(r)
    head, kinds = r.choice(which[1:]) if len(which) > 1 and number % 8 == 5 else which[0]
    some = r.sample(kinds, 7) if len(kinds) > 7 else [r.choice(kinds) for _ in range(4)]
    text = "\n".join(kind(d, f"{kind.__name__}_{number}_{j}") for j, kind in enumerate(some)) + "\n"
    includes = "".join(f"#include <{name}.h>\n" for uses, name in INCLUDES if re.search(uses, text))
    return "#include <cassert>\n#include <cstdint>\n" + includes + head + text

def registers(ptx, sm, arch=""):
    """Lines of measured.jsonl, without the file. arch: where it is not the target's name alone."""
    p = subprocess.run([os.environ.get("PTXAS", "ptxas"), "-v", f"-arch={arch or f'sm_{sm}'}", ptx, "-o", "/dev/null"], capture_output=True, text=True)
    for m in re.finditer(r"Compiling entry function '(\S+)' for 'sm_\w+'\n.*?Function properties for \S+\n\s+(\d+) bytes stack frame, "
                         r"(\d+) bytes spill stores, (\d+) bytes spill loads\n.*?Used (\d+) registers", p.stderr, re.S):
        yield dict(kernel=m[1], sm=str(sm), regs=int(m[5]), stack=int(m[2]), spill_st=int(m[3]), spill_ld=int(m[4]))

def make(directory, which, seed, number):
    name = f"{directory}/p{number:04}"; rows = []
    if os.path.exists(f"{name}.jsonl"): return
    open(f"{name}.cu", "w").write(program(which, seed, number))
    for compute in random.Random(seed + number).choice([[75], [75], [80], [80], [90], [75, 90], [80, 100], [80, 120], [90, 120]]):
        ptx = f"{name}.compute{compute}.ptx"
        p = subprocess.run([os.environ.get("NVCC", "nvcc"), "-std=c++17", "-w", f"-arch=compute_{compute}", "-ptx", f"{name}.cu", "-o", ptx], capture_output=True, text=True)
        if p.returncode: print(name, p.stderr[:300]); continue
        for sm in TARGETS[compute]: rows += [dict(file=os.path.basename(ptx), **r) for r in registers(ptx, sm)]
    open(f"{name}.jsonl", "w").write("".join(json.dumps(r) + "\n" for r in rows))

def make_tile(directory, kinds, seed, number):
    name = f"{directory}/p{number:04}"; r = random.Random(seed * 100003 + number); kind = r.choice(kinds)
    if os.path.exists(f"{name}.jsonl"): return
    target, text = kind(Draw(r), f"{kind.__name__}_{number}_0")
    open(f"{name}.ptx", "w").write(text)
    later = [sm for sm in (80, 86, 90, 100, 120) if sm >= int(target[3:5])]
    rows = []
    for sm in [90] if target == "sm_90a" else sorted(r.sample(later, min(3, len(later)))):
        rows += [dict(file=os.path.basename(name) + ".ptx", **row) for row in registers(f"{name}.ptx", sm, target if target == "sm_90a" else "")]
    open(f"{name}.jsonl", "w").write("".join(json.dumps(row) + "\n" for row in rows))

if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("dir"); a.add_argument("--programs", type=int, default=400); a.add_argument("--first", type=int, default=0); a.add_argument("--seed", type=int, default=1)
    a.add_argument("--jobs", type=int, default=os.cpu_count()); a.add_argument("--of", default=""); a.add_argument("--tiles", action="store_true")
    a = a.parse_args(); os.makedirs(a.dir, exist_ok=True); names = set(filter(None, a.of.split(",")))
    tiles = [kind for m in modules() for kind in getattr(m, "TILE_KINDS", []) if not names or m.__name__ in names or kind.__name__ in names]
    if not a.tiles: which = pools(names)
    one = (lambda n: make_tile(a.dir, tiles, a.seed, n)) if a.tiles else lambda n: make(a.dir, which, a.seed, n)
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool: list(pool.map(one, range(a.first, a.first + a.programs)))
    with open(f"{a.dir}/measured.jsonl", "w") as out:
        for f in sorted(glob.glob(f"{a.dir}/p*.jsonl")): out.write(open(f).read())
