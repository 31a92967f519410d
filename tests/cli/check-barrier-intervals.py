#!/usr/bin/env python3
"""check-barrier-intervals.py PTXLINT -- kernels that load, store and wait at barriers, drawn at random, against the sets of threads that touch each
element between two barriers: COR147 names two threads of which one reads what the other's warp alone writes, in each kernel that has such."""
import collections
import json
import random
import re
import subprocess
import sys
import tempfile

KERNELS, THREADS, ELEMENTS = 800, 128, 256
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
KERNEL = """.visible .entry k{number}(.param .u64 p, .param .u64 q)
{{
	.reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<3>;
	ld.param.u64 %rd1, [p];
	ld.param.u64 %rd2, [q];
	mov.u32 %r1, %tid.x;
	ld.global.u32 %r9, [%rd2+65536];
	mov.u32 %r10, 0;
L:
{body}	add.u32 %r10, %r10, 1;
	setp.lt.u32 %p2, %r10, {turns};
	@%p2 bra L;
	st.global.u32 [%rd2+131072], %r9;
	ret;
}}
"""
ACCESS = """	mad.lo.s32 %r2, %r1, {step}, {first};
	and.b32 %r2, %r2, {mask};
	mul.wide.u32 %rd3, %r2, 4;
	add.s64 %rd4, %rd{array}, %rd3;
	setp.lt.u32 %p1, %r1, {threads};
	{access};
"""
LOAD = "@%p1 ld.global.u32 %r3, [%rd4];\n\t@%p1 add.u32 %r9, %r9, %r3"
STORE = "@%p1 st.global.u32 [%rd4], %r9"
Access = collections.namedtuple("Access", "is_load step first threads array")
SEED = random.Random(1)


def draw():
    """A list of accesses, and None for a barrier; how often it is run."""
    items = [None if SEED.random() < .2 else
             Access(SEED.random() < .5, SEED.choice((0, 1, 1, 1, 2, -1, 3)), SEED.choice((0, 0, 1, 31, 32, 64, 127)),
                    SEED.choice((THREADS, THREADS, 1, 16, 32, 64)), SEED.choice((1, 1, 1, 2)))
             for _ in range(SEED.randint(2, 6))]
    return items, SEED.choice((1, 1, 2, 3))


def write(number, items, turns):
    body = "".join("\tbar.sync 0;\n" if item is None else
                   ACCESS.format(**item._asdict(), mask=ELEMENTS - 1, access=LOAD if item.is_load else STORE)
                   for item in items)
    return KERNEL.format(number=number, body=body, turns=turns)


def races_of(items, turns):
    """All (parameter, element, thread that reads, thread that writes)."""
    readers, writers = collections.defaultdict(set), collections.defaultdict(set)
    interval = 0
    for item in items * turns:
        if item is None:
            interval += 1
            continue
        for thread in range(item.threads):
            element = (thread * item.step + item.first) & ELEMENTS - 1
            (readers if item.is_load else writers)[interval, "pq"[item.array - 1], element].add(thread)
    return {(place[1], place[2], reader, writer)
            for place, threads in writers.items() if len({thread // 32 for thread in threads}) == 1
            for writer in threads for reader in readers[place] if reader // 32 != writer // 32}


def main():
    kernels = [draw() for _ in range(KERNELS)]
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(HEAD + "".join(write(number, *kernel) for number, kernel in enumerate(kernels)))
        file.flush()
        done = subprocess.run([sys.argv[1], "check", "--select", "COR147", "--block", str(THREADS), "--format", "json", file.name],
                              capture_output=True, text=True)
    want = {f"k{number}": races for number, kernel in enumerate(kernels) if (races := races_of(*kernel))}
    wrong = [] if len(want) > KERNELS / 10 else ["too few kernels have races"]
    for found in json.loads(done.stdout)["diagnostics"]:
        reader, byte, param, writer = re.match(r"thread \((\d+), 0, 0\) reads byte (\d+) of what `(.)` points to, which thread \((\d+)",
                                               found["message"]).groups()
        races = want.pop(found["kernel"], set())
        if (param, int(byte) // 4, int(reader), int(writer)) not in races:
            wrong.append(f"{found['kernel']}: {found['message']}")
    wrong += [f"{kernel}: none is reported" for kernel in want]
    print("\n".join(wrong[:9]))
    return bool(wrong)


sys.exit(main())
