#!/usr/bin/env python3
"""Times of shapes.ptx over block shapes with events, caches warm, data larger than L2: sweep.py SHAPES CUBINS OUT. Needs a GPU and numpy;
CUBINS: what `measure.py assemble SHAPES CUBINS` of ../measure-accesses makes."""
import ctypes, json, os, struct, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../measure-accesses"))
import measure

SHAPES, CUBINS, OUT = sys.argv[1:4]
gpu = measure.Gpu(); cuda = gpu.cuda
WORDS = 1 << 27
import numpy
r = numpy.random.default_rng(3)
buffers = []
for n in range(3):
    at = ctypes.c_uint64(); gpu.check(cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(4 * WORDS)))
    data = r.random(WORDS, dtype=numpy.float32)
    gpu.check(cuda.cuMemcpyHtoD_v2(at, ctypes.c_void_p(data.ctypes.data), ctypes.c_size_t(4 * WORDS))); buffers.append(at.value)
module = gpu.load(f"{CUBINS}/shapes.cubin")
types = measure.entries(open(f"{SHAPES}/shapes.ptx").read())
def event():
    e = ctypes.c_void_p(); gpu.check(cuda.cuEventCreate(ctypes.byref(e), 0)); return e
a, b = event(), event()
rows = []
def launch(f, grid, block, dynamic, values):
    cells = [ctypes.create_string_buffer(v, len(v)) for v in values]
    args = (ctypes.c_void_p * len(cells))(*[ctypes.cast(c, ctypes.c_void_p) for c in cells])
    gpu.check(cuda.cuLaunchKernel(f, *grid, *block, dynamic, None, args, None))
def shape(name, grid, block, dynamic, params, most=12):
    f = gpu.function(module, name)
    p = 0; values = []
    for n, v in enumerate(params):
        if v is None: values.append(struct.pack("<Q", buffers[p])); p += 1
        else: values.append(measure.packed(types[name][n], v))
    launch(f, grid, block, dynamic, values); gpu.check(cuda.cuCtxSynchronize())
    best = 1e30; spent = 0
    for _ in range(most):
        gpu.check(cuda.cuEventRecord(a, None)); 
        for _ in range(3): launch(f, grid, block, dynamic, values)
        gpu.check(cuda.cuEventRecord(b, None)); gpu.check(cuda.cuEventSynchronize(b))
        t = ctypes.c_float(); gpu.check(cuda.cuEventElapsedTime(ctypes.byref(t), a, b)); best = min(best, t.value * 1e3 / 3); spent += t.value
        if spent > 60: break
    rows.append(dict(kernel=name, grid=grid, block=block, dynamic_shared=dynamic, params=params, us=round(best, 3)))
two = [(x, y) for t in (64, 128, 256, 512, 1024) for x in (1, 2, 4, 8, 16, 32, 64, 128, 256) for y in [t // x] if 1 <= y <= 256]
for x, y in two:
    if x >= 2: shape("sh_blur", [8192 // x, 8192 // y, 1], [x, y, 1], 0, [None, None, 8192, 8192])
    if 1: shape("sh_transpose", [8192 // x, 8192 // y, 1], [x, y, 1], 0, [None, None, 8192, 8192])
    if x * y <= 1024 and y <= 64: shape("sh_gemm", [1024 // x, 1024 // y, 1], [x, y, 1], 0, [None, None, None, 1024])
    shape("sh_julia", [2048 // x, 2048 // y, 1], [x, y, 1], 0, [None, 2048, 256])
    if y <= 64 and x >= 8: shape("sh_columns", [8192 // x, max(256 // y, 1), 1], [x, y, 1], 0, [None, None, 8192, 8192])
for t in (32, 64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1024):
    shape("sh_axpy", [-(-(1 << 26) // t), 1, 1], [t, 1, 1], 0, [None, None, 2.0, 1 << 26])
    for k in (1, 4): shape("sh_stride_sum", [132 * k, 1, 1], [t, 1, 1], 0, [None, None, 1 << 26])
    shape("sh_histogram", [132 * 4, 1, 1], [t, 1, 1], 0, [None, None, 1 << 25])
for t in (32, 64, 128, 256, 512, 1024): shape("sh_row_softmax", [8192, 1, 1], [t, 1, 1], 4 * t, [None, None, 4096])
with open(f"{OUT}/sweep.jsonl", "w") as o:
    for row in sorted(rows, key=lambda r: r["kernel"]): o.write(json.dumps(row) + "\n")
print(len(rows), "shapes")
