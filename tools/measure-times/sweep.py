#!/usr/bin/env python3
"""Times of shapes.ptx over block shapes with events, caches warm, launches in a graph: sweep.py SHAPES CUBINS OUT. Needs a GPU and numpy;
CUBINS: what `measure.py assemble SHAPES CUBINS` of ../measure-accesses makes. Out of the lines `// sweep NAME ... params=[...]` of shapes.cu:

    work=X,Y,Z      threads in all: the grid covers them       grid=X,Y,Z   as many blocks, whatever the block
    blocks=plane    all x by y of 64 to 1,024 threads          blocks=line  x alone, 32 to 1,024
    blocks=square   x by x, 8 to 32                            blocks=lanes 2 to 32 by y, 64 to 512 threads; x of the grid is 1
    blocks=space    x by y by z of 128 to 1,024                dynamic=N    bytes of dynamic shared memory for each thread"""
import ctypes, json, os, re, struct, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../measure-accesses"))
import measure, numpy

WORDS = 1 << 27
BUFFERS, LAUNCHES, ROUNDS, ENOUGH_MS = 3, 10, 8, 60
LINE = (32, 64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1024)
POWERS = [1 << n for n in range(11)]
BLOCKS = {
    "line": [(x, 1, 1) for x in LINE],
    "square": [(x, x, 1) for x in (8, 16, 32)],
    "plane": [(x, t // x, 1) for t in POWERS[6:] for x in POWERS[:9] if 1 <= t // x <= 256],
    "lanes": [(x, t // x, 1) for t in POWERS[6:10] for x in POWERS[1:6]],
    "space": [(x, y, t // x // y) for t in (128, 256, 1024) for x in (4, 16, 32, 64) for y in (1, 2, 4, 8, 16) if 1 <= t // x // y <= 16],
}

def sweeps(path):
    """(kernel, launch) of each shape that work can be divided in."""
    for name, rest in re.findall(r"(?m)^// sweep (\w+) (.*)$", open(path).read()):
        word = lambda key: re.search(rf"\b{key}=(\S+)", rest)
        numbers = lambda key: [int(n) for n in word(key)[1].split(",")]
        for block in BLOCKS[word("blocks")[1]]:
            threads = block[0] * block[1] * block[2]
            grid = numbers("grid") if word("grid") else [1 if word("blocks")[1] == "lanes" and d == 0 else -(-n // block[d]) for d, n in enumerate(numbers("work"))]
            if grid[1] < 65536 and grid[2] < 65536:
                yield name, dict(grid=grid, block=list(block), dynamic_shared=threads * int(word("dynamic")[1]) if word("dynamic") else 0, params=json.loads(word("params")[1]))

class Sweep:
    def __init__(self, shapes, cubins):
        self.gpu = measure.Gpu()
        self.types = measure.entries(open(f"{shapes}/shapes.ptx").read())
        self.module = self.gpu.load(f"{cubins}/shapes.cubin")
        self.events = [self.event(), self.event()]
        self.stream = ctypes.c_void_p()
        self.gpu.check(self.gpu.cuda.cuStreamCreate(ctypes.byref(self.stream), 1))
        some = numpy.random.default_rng(3)
        self.buffers = [self.filled(some.random(WORDS, dtype=numpy.float32)) for _ in range(BUFFERS)]

    def event(self):
        event = ctypes.c_void_p()
        self.gpu.check(self.gpu.cuda.cuEventCreate(ctypes.byref(event), 0))
        return event

    def filled(self, data):
        at = ctypes.c_uint64()
        self.gpu.check(self.gpu.cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(data.nbytes)))
        self.gpu.check(self.gpu.cuda.cuMemcpyHtoD_v2(at, ctypes.c_void_p(data.ctypes.data), ctypes.c_size_t(data.nbytes)))
        return at.value

    def launch(self, function, k, values):
        cells = [ctypes.create_string_buffer(v, len(v)) for v in values]
        args = (ctypes.c_void_p * len(cells))(*[ctypes.cast(c, ctypes.c_void_p) for c in cells])
        self.gpu.check(self.gpu.cuda.cuLaunchKernel(function, *k["grid"], *k["block"], k["dynamic_shared"], self.stream, args, None))

    def recorded(self, function, k, values):
        """A graph of LAUNCHES launches: what the host does to launch one takes longer than some kernels."""
        cuda, check, graph, ready = self.gpu.cuda, self.gpu.check, ctypes.c_void_p(), ctypes.c_void_p()
        check(cuda.cuStreamBeginCapture_v2(self.stream, 0))
        for _ in range(LAUNCHES):
            self.launch(function, k, values)
        check(cuda.cuStreamEndCapture(self.stream, ctypes.byref(graph)))
        check(cuda.cuGraphInstantiateWithFlags(ctypes.byref(ready), graph, ctypes.c_ulonglong(0)))
        check(cuda.cuGraphDestroy(graph))
        return ready

    def replayed_ms(self, graph):
        cuda, check, (a, b), ms = self.gpu.cuda, self.gpu.check, self.events, ctypes.c_float()
        check(cuda.cuEventRecord(a, self.stream))
        check(cuda.cuGraphLaunch(graph, self.stream))
        check(cuda.cuEventRecord(b, self.stream))
        check(cuda.cuEventSynchronize(b))
        check(cuda.cuEventElapsedTime(ctypes.byref(ms), a, b))
        return ms.value

    def best_us(self, name, k):
        function, pointers = self.gpu.function(self.module, name), iter(self.buffers)
        values = [struct.pack("<Q", next(pointers)) if v is None else measure.packed(self.types[name][n], v) for n, v in enumerate(k["params"])]
        graph = self.recorded(function, k, values)
        self.replayed_ms(graph)
        best, spent = 1e30, 0
        for _ in range(ROUNDS):
            ms = self.replayed_ms(graph)
            best, spent = min(best, ms * 1e3 / LAUNCHES), spent + ms
            if spent > ENOUGH_MS:
                break
        self.gpu.check(self.gpu.cuda.cuGraphExecDestroy(graph))
        return best

def main(shapes, cubins, out):
    sweep = Sweep(shapes, cubins)
    with open(f"{out}/sweep.jsonl", "w") as rows:
        for name, k in sweeps(f"{shapes}/shapes.cu"):
            rows.write(json.dumps({"kernel": name, **k, "us": round(sweep.best_us(name, k), 3)}) + "\n")

main(*sys.argv[1:4])
