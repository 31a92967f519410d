#!/usr/bin/env python3
"""measure-predication.py [sm_75 ...] -- up to how many instructions ptxas puts the sides of a branch under predicates (src/analysis/sass/predication.h).

Kernels with one side, or two, of n like instructions behind a condition, n from 1 to 24, go through PTXAS and NVDISASM (environment; of CUDA 13.0).
A row for each target, condition, instruction and shape: the branches that are left before the end, `b` where lanes are told to meet again (BSSY).
"""
import os, re, subprocess, sys, tempfile

COUNTS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24)
BODIES = {
    "fma": "fma.rn.f32 %f1, %f1, %f2, %f1;",
    "ld.shared": "ld.shared.f32 %f3, [%r7+{at}]; add.f32 %f1, %f1, %f3;",
    "ld.global": "ld.global.f32 %f3, [%rd3+{at}]; add.f32 %f1, %f1, %f3;",
    "st.shared": "st.shared.f32 [%r7+{at}], %f1;",
    "st.global": "st.global.f32 [%rd3+{at}], %f1;",
    "ex2": "ex2.approx.ftz.f32 %f1, %f1;",
    "div": "div.rn.f32 %f1, %f1, %f2;",
    "red": "red.global.add.f32 [%rd3+{at}], %f1;",
}
CONDITIONS = {"thread": "setp.lt.s32 %p1, %r1, %r2;", "uniform": "setp.lt.s32 %p1, %r2, 5;", "loaded": "setp.lt.f32 %p1, %f1, %f2;"}
HEAD = """.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
.reg .pred %p<9>; .reg .b32 %r<99>; .reg .f32 %f<99>; .reg .b64 %rd<99>;
.shared .align 4 .b8 sh[4096];
ld.param.u64 %rd1, [a]; ld.param.u32 %r2, [n]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4096];
shl.b32 %r5, %r1, 2; mov.u32 %r6, sh; add.s32 %r7, %r6, %r5;
"""


def kernel(condition, body, count, has_two):
    side = "\n".join(body.format(at=4 * i + 16) for i in range(count))
    other = "bra F;\nE:\n" + "\n".join([BODIES["fma"]] * count) + "\nF:\n" if has_two else "E:\n"
    return f"{HEAD}{condition}\n@!%p1 bra E;\n{side}\n{other}st.global.f32 [%rd3], %f1; st.global.f32 [%rd3+8192], %f2; ret;\n}}\n"


def branches(folder, text, target):
    with open(f"{folder}/k.ptx", "w") as file:
        file.write(text)
    subprocess.run([os.environ.get("PTXAS", "ptxas"), f"-arch={target}", "k.ptx", "-o", "k.cubin"], cwd=folder, check=True)
    listing = subprocess.run([os.environ.get("NVDISASM", "nvdisasm"), "-c", "k.cubin"], cwd=folder, check=True, capture_output=True, text=True).stdout
    operations = re.findall(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\d\s+)?([A-Z0-9]+)", listing)
    operations = operations[:operations.index("EXIT")]
    return f"{operations.count('BRA')}{'b' if 'BSSY' in operations else ''}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        for target in sys.argv[1:] or ["sm_75", "sm_80", "sm_90"]:
            for name, condition in CONDITIONS.items():
                for key, body in BODIES.items():
                    for has_two in (False, True):
                        row = [branches(folder, kernel(condition, body, n, has_two), target) for n in COUNTS]
                        print(target, name, key, "two" if has_two else "one", *row, flush=True)


if __name__ == "__main__":
    main()
