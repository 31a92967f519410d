"""Patterns of lanes for the kernel of probes.cu: (32 places in shared memory, 32 in global, mask of the lanes that take part)."""
import random

def patterns():
    some = random.Random(7)
    full = 0xffffffff
    fixed = [[i for i in range(32)], [0] * 32, [i // 2 for i in range(32)], [i & ~2 for i in range(32)], [2 * i for i in range(32)], [8 * i for i in range(32)],
             [i // 4 for i in range(32)], [i % 4 for i in range(32)], [31 - i for i in range(32)], [i % 16 for i in range(32)], [5 * i % 64 for i in range(32)],
             [i ^ 1 for i in range(32)], [i // 16 for i in range(32)], [4 * (i % 8) for i in range(32)]]
    found = [(p, full) for p in fixed] + [(p, m) for p in fixed[:6] for m in (0x0000ffff, 0x55555555, 0x00ff00ff, 0x7ffffffe)]
    for most in (2, 4, 16, 32, 64, 256):
        for mask in (full, full, some.getrandbits(32), some.getrandbits(32) & some.getrandbits(32)):
            found.append(([some.randrange(most) for _ in range(32)], mask))
    found = [(p, p, m) for p, m in found]
    found += [(p, q, full) for p in fixed for q in fixed if p is not q]
    for most, far in ((8, 64), (32, 32), (64, 8), (256, 256), (32, 256), (256, 32), (64, 64), (16, 16)):
        for mask in (full, some.getrandbits(32)):
            found.append(([some.randrange(most) for _ in range(32)], [some.randrange(far) for _ in range(32)], mask))
    for _ in range(12):     # whole lines, turned
        turn, back = some.randrange(32), some.randrange(8)
        found.append(([i ^ turn for i in range(32)], [i ^ back for i in range(32)], full))
    return found + found[-40:]
