#!/usr/bin/env python3
"""compiler_ptx.py COMPILER SEED SECONDS DIR -- PTX of random programs, as inductor, xla or numba write it for the GPU of this machine.

Runs where PyTorch, JAX or Numba is, on a GPU (Numba needs none). Programs are drawn from SEED until SECONDS are over; each kernel is
written once, as DIR/COMPILER-HASH.ptx without debug information. tools/label_registers.py reads the folders.
"""
import glob
import hashlib
import os
import random
import re
import sys
import tempfile
import time

UNARY = """torch.exp(%s) torch.sin(%s) torch.cos(%s) torch.atan(%s) torch.tanh(%s) torch.erf(%s) torch.floor(%s) torch.sigmoid(%s) torch.relu(%s)
torch.sqrt(%s.abs()+1) torch.log1p(%s.abs()) torch.rsqrt(%s*%s+1e-5) torch.pow(%s.abs()+0.1,1.7) torch.clamp(%s,-1,1) torch.where(%s>0,%s,-%s)
torch.nn.functional.gelu(%s) torch.nn.functional.silu(%s) torch.nn.functional.softplus(%s) (%s)*0.5 (%s).half().float() (%s).bfloat16().float()""".split()
BINARY = "(%s+%s) (%s-%s) (%s*%s) (%s/(%s.abs()+1)) torch.maximum(%s,%s) torch.minimum(%s,%s)".split()
ROWS, COLUMNS = (64, 300, 1024, 4096), (64, 100, 256, 1000, 1024, 3072, 4096, 8192, 32768)
# Statements with the chance of each: V is a new variable, E an expression, O another variable.
STATEMENTS = [(30, "V = D"), (8, "V = torch.softmax(E, -1)"), (10, "V = torch.nn.functional.layer_norm(E, (C,))"),
              (8, "mV = (E).sum(-1, keepdim=True); V = O - mV"), (6, "V = (E) / ((E).norm(dim=-1, keepdim=True) + 1e-6)"),
              (5, "mV = (E).amax(0, keepdim=True); V = O * mV"), (5, "mV = (E).var(1, keepdim=True); V = O + mV"),
              (5, "V = torch.cumsum(E, -1)"), (5, "V = (E)[i]"), (4, "mV = (E).argmax(-1, keepdim=True); V = O + mV"),
              (4, "V = torch.cat([E, O], 1)[:, ::2]"), (3, "V = torch.roll(E, 3, 1) + O"), (3, "V = ((E) > 0).float().mean() * O"),
              (4, "V = torch.nn.functional.dropout(E, 0.3)")]
RESULTS = """O|(O).half()|(O).sum(0)|(O).t().contiguous()|O, O * 2|(O).bfloat16()|(O).sum()|(O).to(torch.int8)|(O).mean(-1)""".split("|")
OF_JAX = [("torch.nn.functional.", "jax.nn."), ("torch.sigmoid", "jax.nn.sigmoid"), ("torch.relu", "jax.nn.relu"), ("torch.softmax", "jax.nn.softmax"),
          ("torch.erf", "jax.scipy.special.erf"), ("torch.rsqrt", "jax.lax.rsqrt"), ("torch.clamp", "jnp.clip"), ("torch.atan", "jnp.arctan"),
          ("torch.cat", "jnp.concatenate"), (".half()", ".astype(jnp.float16)"), (".float()", ".astype(jnp.float32)"),
          (".bfloat16()", ".astype(jnp.bfloat16)"), (".amax(", ".max("), (".t().contiguous()", ".T"), (".to(", ".astype("), ("keepdim=", "keepdims="),
          (".abs()", ".__abs__()"), ("torch.", "jnp.")]


class Programs:
    """Functions f(x, y, b, i) of arrays of R x C, a row b and row numbers i, written for PyTorch."""
    def __init__(self, seed):
        self.r = random.Random(seed)

    def expression(self, names, depth):
        if depth <= 0:
            return self.r.choice(names)
        if self.r.random() < .45:
            return self.r.choice(UNARY).replace("%s", self.expression(names, depth - 1))
        return self.r.choice(BINARY) % (self.expression(names, depth - 1), self.expression(names, depth - 1))

    def draw(self):
        names, lines = ["x", "y", "(x+b)"], []
        for n in range(self.r.choice((1, 1, 2, 2, 3, 4))):
            line = self.r.choices([s for _, s in STATEMENTS], [w for w, _ in STATEMENTS])[0]
            deep, short = (self.expression(names, self.r.choice(d)) for d in ((1, 2, 2, 3, 4), (0, 1, 1, 2)))
            words = {"V": f"t{n}", "mV": f"mt{n}", "D": deep, "E": short, "O": self.r.choice(names)}
            lines.append(re.sub(r"\b(mV|V|D|E|O)\b", lambda m: words[m[1]], line))
            names.append(f"t{n}")
        lines.append("return " + self.r.choice(RESULTS).replace("O", names[-1]))
        return lines, self.r.choice(ROWS), self.r.choice(COLUMNS)


def function(lines, space):
    exec("def f(x, y, b, i):\n" + "".join(f"    {line}\n" for line in lines), space)
    return space["f"]


def inductor(programs, work):
    os.environ.update(TORCHINDUCTOR_CACHE_DIR=f"{work}/inductor", TRITON_CACHE_DIR=f"{work}/triton", TORCHINDUCTOR_COMPILE_THREADS="1")
    import torch
    types = (torch.float32, torch.float32, torch.float16, torch.bfloat16)
    while True:
        lines, rows, columns = programs.draw()
        dtype = programs.r.choice(types)
        x, y = (torch.randn(rows, columns, device="cuda", dtype=dtype) for _ in range(2))
        b, i = torch.randn(columns, device="cuda", dtype=dtype), torch.randint(0, rows, (rows,), device="cuda")
        torch._dynamo.reset()
        try:
            torch.compile(function(lines, {"torch": torch, "C": columns}), dynamic=programs.r.random() < .3)(x, y, b, i)
        except Exception:               # a program that makes no sense
            pass
        yield


def xla(programs, work):
    os.environ["XLA_FLAGS"] = f"--xla_dump_to={work} --xla_dump_emitter_re=.* --xla_gpu_autotune_level=0"
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    import jax
    import jax.numpy as jnp

    def layer_norm(v):
        return (v - v.mean(-1, keepdims=True)) * jax.lax.rsqrt(v.var(-1, keepdims=True) + 1e-5)
    while True:
        lines, rows, columns = programs.draw()
        text = re.sub(r"torch\.nn\.functional\.layer_norm\(", "layer_norm(", "\n".join(lines)).replace(", (C,))", ")")
        for old, new in OF_JAX:
            text = text.replace(old, new)
        dtype = programs.r.choice((jnp.float32, jnp.float32, jnp.float16, jnp.bfloat16))
        x, b, i = (jax.ShapeDtypeStruct(*s) for s in (((rows, columns), dtype), ((columns,), dtype), ((rows,), jnp.int32)))
        try:
            jax.jit(function(text.split("\n"), {"jnp": jnp, "jax": jax, "layer_norm": layer_norm})).lower(x, x, b, i).compile()
        except Exception:
            pass
        yield


def numba_expression(r, depth, names):
    if depth <= 0:
        return r.choice([*names, "1.5", "0.25", "float(k)"])
    if r.random() < .35:
        unary = "math.exp(%s) math.sin(%s) math.sqrt(abs(%s)) abs(%s) (%s)*0.5 math.log(abs(%s)+1.0) min(%s,3.0) math.floor(%s) math.tanh(%s)"
        return r.choice(unary.split()) % numba_expression(r, depth - 1, names)
    binary = "(%s+%s) (%s-%s) (%s*%s) (%s/(abs(%s)+1.0)) max(%s,%s)"
    return r.choice(binary.split()) % (numba_expression(r, depth - 1, names), numba_expression(r, depth - 1, names))


def numba_program(r, is_flat):
    """The text of a kernel f(a, b, c, n) over arrays of one dimension or two."""
    if is_flat:
        lines = ["i = cuda.grid(1)", "t = cuda.threadIdx.x", "k = i", "u = a[i % a.shape[0]]", f"v = b[(i*{r.choice((1, 3, 32))}+1) % b.shape[0]]"]
        loads = ["a[k % a.shape[0]]", "b[(i+k) % b.shape[0]]", "a[(k*7) % a.shape[0]]"]
        if r.random() < .4:
            lines += ["s = cuda.shared.array(256, float32)", "s[t % 256] = u", "cuda.syncthreads()"]
            loads.append("s[(t+k) % 256]")
    else:
        lines = ["i, j = cuda.grid(2)", "if i >= a.shape[0] or j >= a.shape[1]: return", "k = j", "u = a[i, j]", "v = b[j, i]"]
        loads = ["a[k, j]", "a[i, k]", "b[k, j]"]
    names = ["u", "v"]
    if r.random() < .8:
        sums = [f"w{q}" for q in range(r.choice((1, 2, 3, 4)))]
        lines += [f"{w} = 0.0" for w in sums] + [f"for k in range({r.choice(('n', '4', '16', 'a.shape[0]'))}):"]
        for w in sums:
            lines.append(f"    {w} += {numba_expression(r, r.choice((0, 1, 2)), names)} * {r.choice(loads)}")
            if r.random() < .3:
                lines.append(f"    if {w} > {r.choice(('u', '10.0'))}: {r.choice(('break', f'{w} = {w} * 0.5', 'continue'))}")
        names += sums
    lines += [f"u = {numba_expression(r, r.choice((1, 2, 3)), names)}" for _ in range(r.choice((0, 1, 2)))]
    where = "i % c.shape[0]" if is_flat else "i, j"
    atomic = f"cuda.atomic.add(c, {where if is_flat else f'({where})'}, {numba_expression(r, 2, names)})"
    lines.append(atomic if r.random() < .25 else f"c[{where}] = {numba_expression(r, r.choice((1, 2, 3)), names)}")
    return "def f(a, b, c, n):\n" + "".join(f"    {line}\n" for line in lines)


def numba(programs, work):
    import math
    import numpy
    numpy.row_stack = numpy.vstack      # which NumPy 2.5 has dropped and Numba 0.68 asks for
    from numba import cuda, float32, float64, int32, int64
    r = programs.r
    while True:
        is_flat, dtype, is_dense = r.random() < .6, r.choice((float32, float32, float64)), r.random() < .7
        array = (dtype[::1] if is_dense else dtype[:]) if is_flat else (dtype[:, ::1] if is_dense else dtype[:, :])
        space = {"cuda": cuda, "math": math, "float32": float32}
        try:
            exec(numba_program(r, is_flat), space)
            text, _ = cuda.compile_ptx(space["f"], (array, array, array, r.choice((int32, int64))), cc=(9, 0), fastmath=r.random() < .3)
            with open(f"{work}/kernel.ptx", "w", encoding="utf-8") as out:
                out.write(text)
        except Exception:
            pass
        yield


def keep(path, compiler, directory):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"(?m)^\s*\.(file|loc)\b.*\n", "", text)
    text = re.sub(r"(?s)\n\s*\.section.*", "\n", text)
    name = f"{directory}/{compiler}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.ptx"
    if ".entry" in text and len(text) < 400000 and not os.path.exists(name):
        with open(name, "w", encoding="utf-8") as out:
            out.write(text)


if __name__ == "__main__":
    compiler, seed, seconds, directory = sys.argv[1:]
    end = time.monotonic() + float(seconds)
    os.makedirs(directory, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        for _ in {"inductor": inductor, "xla": xla, "numba": numba}[compiler](Programs(int(seed)), work):
            for path in glob.glob(f"{work}/**/*.ptx", recursive=True):
                keep(path, compiler, directory)
                os.unlink(path)
            if time.monotonic() > end:
                break
