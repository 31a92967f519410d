#!/usr/bin/env python3
"""make.py - writes kernels.cu, of kernels that could be several, has nvcc make kernels.ptx of it, and asks ptxas for the registers of
each kernel, of each of its parts as a kernel of its own, and of its parts in one kernel, one loop behind the other: ../../tests/data/fission.tsv."""
import pathlib
import re
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent.parent / "tests/data/fission.tsv"
TARGET = "-arch=sm_90"
HEAD = """extern "C" __global__ __launch_bounds__({threads}) void {name}({params}, int n, int m)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
{guard}"""
GUARD = "    if (i >= n)\n        return;\n"


def each(count, pattern):
    return [pattern.replace("@", str(j)) for j in range(count)]


def moments(source, target, count, s, real="double", end=None):
    """Sums of the powers of what is read."""
    return {"params": [f"const {real} *__restrict__ {source}", f"{real} *__restrict__ {target}"],
            "begin": each(count, f"{real} {s}@ = 0;"),
            "body": [f"{real} {s}v = {source}[(size_t)k * n + i], {s}w = {s}v;", *each(count, f"{s}@ += {s}w; {s}w *= {s}v;")],
            "end": each(count, end or f"{target}[(size_t)@ * n + i] = {s}@;")}


def spans(source, target, count, s):
    """Maxima less minima."""
    return {"params": [f"const float *__restrict__ {source}", f"float *__restrict__ {target}"],
            "begin": each(count, f"float {s}h@ = -1e30f, {s}l@ = 1e30f;"),
            "body": each(count, f"{{ float v = {source}[((size_t)k * {count} + @) * n + i]; {s}h@ = fmaxf({s}h@, v); {s}l@ = fminf({s}l@, v); }}"),
            "end": each(count, f"{target}[(size_t)@ * n + i] = {s}h@ - {s}l@;")}


def polynomials(source, target, count, s):
    """An array assignment: coefficients stay in registers."""
    return {"params": [f"const double *__restrict__ {source}", f"double *__restrict__ {target}", f"const double *__restrict__ c{s}"],
            "begin": each(count, f"double {s}@ = c{s}[(size_t)@ * n + i];"),
            "body": [f"double {s}v = {source}[(size_t)k * n + i], {s}r = 0;", *each(count, f"{s}r = {s}r * {s}v + {s}@;"),
                     f"{target}[(size_t)k * n + i] = {s}r;"],
            "end": []}


def filters(source, target, count, s):
    """Linear recurrences."""
    return {"params": [f"const float *__restrict__ {source}", f"float *__restrict__ {target}"],
            "begin": each(count, f"float {s}@ = 0;"),
            "body": [f"float {s}v = {source}[(size_t)k * n + i];", *each(count, f"{s}@ = {s}@ * {s}v + @.5f;")],
            "end": each(count, f"{target}[(size_t)@ * n + i] = {s}@;")}


def atomics(source, target, count, s):
    return moments(source, target, count, s, "float", f"atomicAdd(&{target}[@], {s}@);")


def scaled(source, target, count, s):
    """Each part scales by the same root, which nvcc computes once."""
    part = moments(source, target, count, s, "float")
    part["begin"].append(f"float {s}c = sqrtf((float)i);")
    part["body"][0] = f"float {s}v = {source}[(size_t)k * n + i] * {s}c, {s}w = {s}v;"
    return part


def tiles(source, target, count, s):
    """What is read goes through shared memory, between barriers."""
    part = moments(source, target, count, s, "float")
    part["begin"].append(f"__shared__ float {s}p[512];")
    part["body"][:1] = [f"{s}p[threadIdx.x] = {source}[(size_t)k * n + i];", "__syncthreads();",
                        f"float {s}v = {s}p[511 - threadIdx.x], {s}w = {s}v;"]
    part["body"].append("__syncthreads();")
    return part | {"guard": ""}


KERNELS = {
    "moments": (256, [moments("x", "a", 14, "s"), moments("y", "b", 14, "t")]),
    "moments3": (256, [moments("x", "a", 8, "s"), moments("y", "b", 8, "t"), moments("z", "c", 8, "u")]),
    "uneven": (256, [moments("x", "a", 20, "s"), moments("y", "b", 6, "t")]),
    "floats": (512, [moments("x", "a", 24, "s", "float"), moments("y", "b", 24, "t", "float")]),
    "spans": (512, [spans("x", "a", 12, "s"), spans("y", "b", 12, "t")]),
    "polynomials": (256, [polynomials("x", "a", 12, "s"), polynomials("y", "b", 12, "t")]),
    "filters": (512, [filters("x", "a", 20, "s"), filters("y", "b", 28, "t")]),
    "atomics": (512, [atomics("x", "a", 22, "s"), atomics("y", "b", 22, "t")]),
    "scaled": (512, [scaled("x", "a", 22, "s"), scaled("y", "b", 22, "t")]),
    "tiles": (512, [tiles("x", "a", 22, "s"), tiles("y", "b", 22, "t")]),
}


def lines(indent, statements):
    return "".join(" " * indent + statement + "\n" for statement in statements)


def write_kernel(name, threads, loops):
    """loops: lists of parts, a loop each."""
    params = ", ".join(param for parts in loops for part in parts for param in part["params"])
    text = HEAD.format(threads=threads, name=name, params=params, guard=loops[0][0].get("guard", GUARD))
    for parts in loops:
        text += "    {\n" + "".join(lines(8, part["begin"]) for part in parts) + "        for (int k = 0; k < m; k++) {\n"
        text += "".join(lines(12, part["body"]) for part in parts) + "        }\n" + "".join(lines(8, part["end"]) for part in parts) + "    }\n"
    return text + "}\n"


def compile_ptx(source, ptx):
    subprocess.run(["nvcc", TARGET, "-ptx", "-o", ptx, source], check=True)


def ask_registers(ptx):
    said = subprocess.run(["ptxas", TARGET, "-v", "-o", "/dev/null", ptx], capture_output=True, text=True, check=True).stderr
    return {name: int(count) for name, count in re.findall(r"function '(\w+)'.*?Used (\d+) registers", said, re.S)}


def main():
    (HERE / "kernels.cu").write_text("\n".join(write_kernel(name, threads, [parts]) for name, (threads, parts) in KERNELS.items()))
    compile_ptx(HERE / "kernels.cu", HERE / "kernels.ptx")
    whole = ask_registers(HERE / "kernels.ptx")
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = pathlib.Path(folder, "parts.cu"), pathlib.Path(folder, "parts.ptx")
        source.write_text("\n".join(write_kernel(f"{name}_{p}", threads, [[part]])
                                    for name, (threads, parts) in KERNELS.items() for p, part in enumerate(parts))
                          + "\n".join(write_kernel(f"{name}_loops", threads, [[part] for part in parts])
                                      for name, (threads, parts) in KERNELS.items()))
        compile_ptx(source, ptx)
        split = ask_registers(ptx)
    TABLE.write_text("".join("\t".join([name, str(whole[name]), " ".join(str(split[f"{name}_{p}"]) for p in range(len(parts))),
                                        str(split[f"{name}_loops"])]) + "\n" for name, (_, parts) in KERNELS.items()))


main()
