#!/usr/bin/env python3
"""check-scans.py PTXLINT -- loops that sum an array and store to it, drawn at random, against a run of their memory: `recognize` says scan where
no load sees what a store of the loop has left, or, of sums in memory, where one load sees the last iteration's sum and the other nothing."""
import json
import random
import subprocess
import sys
import tempfile

KERNELS, ITERATIONS, LEAST_SHARE = 800, 40, .9
KERNEL = """.visible .entry k{number}(.param .u64 a, .param .u32 n)
{{
	.reg .b32 %r<3>; .reg .b64 %rd<2>; .reg .f32 %f<5>; .reg .pred %p<2>;
	ld.param.u64 %rd1, [a];
	ld.param.u32 %r2, [n];
	mov.u32 %r1, 0;
	mov.f32 %f1, 0f00000000;
L:
{body}	add.s64 %rd1, %rd1, {step};
	add.s32 %r1, %r1, 1;
	setp.lt.s32 %p1, %r1, %r2;
	@%p1 bra L;
	ret;
}}
"""
SEED = random.Random(1)


def draw_offset(grain=4):
    return SEED.randrange(-24, 28, grain)


def draw_sum():
    """A register is the sum of what is loaded, and stored: (step, PTX, whether it is a scan)."""
    step = SEED.choice((4, 8, 12, 16, -4, -8, -16, 2, 6))
    accesses = [(kind, draw_offset(SEED.choice((4, 4, 4, 2)))) for kind in "ls" for _ in range(SEED.randint(1, 3))]
    SEED.shuffle(accesses)
    text = "".join(f"\tld.global.f32 %f2, [%rd1+{at}];\n\tadd.f32 %f1, %f1, %f2;\n" if kind == "l" else f"\tst.global.f32 [%rd1+{at}], %f1;\n"
                   for kind, at in accesses)
    stored, is_scan = set(), True
    for i in range(ITERATIONS):
        for kind, at in accesses:
            touched = {step * i + at + byte for byte in range(4)}
            if kind == "s":
                stored |= touched
            elif stored & touched:
                is_scan = False
    return step, text, is_scan


def draw_sum_in_memory():
    """a[s] = a[s1] + a[s2], in some of them with another store between the loads."""
    step, to = SEED.choice((4, 4, 8, -4, -8, 12)), SEED.randrange(-8, 12, 4)
    loads = [to - step if SEED.random() < .6 else draw_offset(), SEED.choice((to, to + step, draw_offset()))]
    SEED.shuffle(loads)
    other = SEED.choice((None, None, draw_offset()))
    between = f"\tst.global.f32 [%rd1+{other}], %f1;\n" if other is not None else ""
    text = (f"\tld.global.f32 %f2, [%rd1+{loads[0]}];\n{between}\tld.global.f32 %f3, [%rd1+{loads[1]}];\n"
            f"\tadd.f32 %f4, %f2, %f3;\n\tst.global.f32 [%rd1+{to}], %f4;\n")
    left, is_scan = {}, True
    for i in range(ITERATIONS):
        seen = [left.get(step * i + loads[0])]
        if other is not None:
            left[step * i + other] = "other"
        seen.append(left.get(step * i + loads[1]))
        left[step * i + to] = i
        if i >= ITERATIONS // 2:
            is_scan &= seen in ([i - 1, None], [None, i - 1])
    return step, text, is_scan


def check(draw):
    drawn = [draw() for _ in range(KERNELS)]
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(".version 8.0\n.target sm_80\n.address_size 64\n")
        file.write("".join(KERNEL.format(number=number, body=text, step=step) for number, (step, text, _) in enumerate(drawn)))
        file.flush()
        said = json.loads(subprocess.run([sys.argv[1], "recognize", "--format", "json", file.name], capture_output=True, check=True).stdout)
    found = [any(row["class"] == "scan" for row in kernel["recognized"]) for kernel in said[0]["kernels"]]
    wrong = [step_text for step_text, is_found in zip(drawn, found) if is_found and not step_text[2]]
    scans = sum(is_scan for _, _, is_scan in drawn)
    told = sum(found) - len(wrong)
    print(f"{draw.__name__}: {told} of {scans} scans told, {len(wrong)} of {KERNELS - scans} others")
    if wrong:
        print(f"no scan, step {wrong[0][0]}:\n{wrong[0][1]}")
    return not wrong and scans > KERNELS // 8 and told >= LEAST_SHARE * scans and len(found) == KERNELS


sys.exit(not all([check(draw_sum), check(draw_sum_in_memory)]))
