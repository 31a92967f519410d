#!/usr/bin/env python3
"""PTX that Triton writes for kernels of ours, compiled for sm_90 without being run: triton_kernels.py OUT.
OUT gets a .ptx a kernel, and launches.json. Needs Triton."""
import json, sys
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def tr_copy_cut(out, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=0.0) + 1.0, mask=i < n)

@triton.jit
def tr_transpose(out, x, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + r[:, None] * columns + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < columns))
    tl.store(out + c[:, None] * rows + r[None, :], tl.trans(v), mask=(c[:, None] < columns) & (r[None, :] < rows))

@triton.jit
def tr_row_norm(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + c, mask=c < columns, other=0.0)
    mean = tl.sum(v, 0) / columns
    tl.store(out + row * columns + c, v - mean, mask=c < columns)

@triton.jit
def tr_matmul(c, a, b, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    r = tl.program_id(0) * M + tl.arange(0, M)
    q = tl.program_id(1) * N + tl.arange(0, N)
    kk = tl.arange(0, K)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for at in range(0, k, K):
        left = tl.load(a + r[:, None] * k + at + kk[None, :], mask=at + kk[None, :] < k, other=0.0)
        right = tl.load(b + (at + kk[:, None]) * n + q[None, :], mask=at + kk[:, None] < k, other=0.0)
        sums = tl.dot(left, right, sums)
    tl.store(c + r[:, None] * n + q[None, :], sums.to(tl.float16))

@triton.jit
def tr_scan(out, x, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i), 0))

@triton.jit
def tr_column_sum(out, x, rows, columns, R: tl.constexpr, C: tl.constexpr):
    c = tl.program_id(0) * C + tl.arange(0, C)
    sums = tl.zeros((C,), dtype=tl.float32)
    for at in range(0, rows, R):
        r = at + tl.arange(0, R)
        sums += tl.sum(tl.load(x + r[:, None] * columns + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < columns), other=0.0), 0)
    tl.store(out + c, sums, mask=c < columns)

@triton.jit
def tr_gather(out, x, index, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(index + i, mask=i < n, other=0)
    tl.store(out + i, tl.load(x + (at & 1023), mask=i < n), mask=i < n)

#   kernel, types of parameters, constants, grid, values, warps; 16 divides what is in `even`
CASES = [
    (tr_copy_cut, ["*fp32", "*fp32", "i32"], {"BLOCK": 512}, [9, 1, 1], [None, None, 4321], 4, [0, 1]),
    (tr_transpose, ["*fp32", "*fp32", "i32", "i32"], {"BLOCK": 32}, [5, 4, 1], [None, None, 150, 100], 4, [0, 1]),
    (tr_row_norm, ["*fp32", "*fp32", "i32"], {"BLOCK": 1024}, [20, 1, 1], [None, None, 777], 8, [0, 1]),
    (tr_matmul, ["*fp16", "*fp16", "*fp16", "i32", "i32", "i32"], {"M": 32, "N": 32, "K": 32}, [3, 4, 1], [None, None, None, 96, 128, 160], 2, [0, 1, 2, 3, 4, 5]),
    (tr_scan, ["*fp32", "*fp32"], {"BLOCK": 1024}, [6, 1, 1], [None, None], 4, [0, 1]),
    (tr_column_sum, ["*fp32", "*fp32", "i32", "i32"], {"R": 16, "C": 64}, [5, 1, 1], [None, None, 50, 300], 4, [0, 1]),
    (tr_gather, ["*fp32", "*fp32", "*i32", "i32"], {"BLOCK": 256}, [7, 1, 1], [None, None, None, 1700], 4, [0, 1, 2]),
]

def main(out):
    kernels = {}
    for kernel, types, constants, grid, values, warps, even in CASES:
        names = kernel.arg_names
        signature = {n: (types[i] if i < len(types) else "constexpr") for i, n in enumerate(names)}
        constexprs = {(names.index(n),): v for n, v in constants.items()}
        source = ASTSource(kernel, signature, constexprs, {(i,): [["tt.divisibility", 16]] for i in even})
        made = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": warps})
        name = made.metadata.name
        text = made.asm["ptx"].split("\t.section\t.debug")[0].split("\t.file")[0]
        with open(f"{out}/{name}.ptx", "w") as f:
            f.write("\n".join(l for l in text.split("\n") if not l.strip().startswith((".loc", ".file"))))
        kernels[name] = {"grid": grid, "block": [warps * 32, 1, 1], "dynamic_shared": made.metadata.shared, "params": values + [0, 0]}
    with open(f"{out}/launches.json", "w") as f:
        f.write('{"kernels": {\n' + ",\n".join(f'  "{n}": {json.dumps(k)}' for n, k in kernels.items()) + "\n}}\n")

if __name__ == "__main__":
    main(sys.argv[1])
