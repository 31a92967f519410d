"""Tunes the forward pass of attention: python3 tune_attention.py [--verbose]."""
import itertools

import side_by_side
import torch
import triton
import triton.language as tl

HEADS, LENGTH, DEPTH = 64, 2048, 64


@triton.jit
def attention(q, k, v, out, scale, length, DEPTH: tl.constexpr, BLOCK_M: tl.constexpr,
              BLOCK_N: tl.constexpr):
    base = tl.program_id(1).to(tl.int64) * length * DEPTH
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)
    depth = tl.arange(0, DEPTH)
    query = tl.load(q + base + rows[:, None] * DEPTH + depth[None, :])
    largest = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    weight = tl.zeros((BLOCK_M,), dtype=tl.float32)
    total = tl.zeros((BLOCK_M, DEPTH), dtype=tl.float32)
    for begin in range(0, length, BLOCK_N):
        at = begin + columns
        key = tl.load(k + base + at[None, :] * DEPTH + depth[:, None])
        score = tl.dot(query, key) * scale
        next_largest = tl.maximum(largest, tl.max(score, 1))
        score = tl.exp2(score - next_largest[:, None])
        faded = tl.exp2(largest - next_largest)
        weight = weight * faded + tl.sum(score, 1)
        value = tl.load(v + base + at[:, None] * DEPTH + depth[None, :])
        total = tl.dot(score.to(tl.float16), value, total * faded[:, None])
        largest = next_largest
    total = total / weight[:, None]
    tl.store(out + base + rows[:, None] * DEPTH + depth[None, :], total.to(tl.float16))


CONFIGS = [triton.Config({"BLOCK_M": m, "BLOCK_N": n}, num_warps=warps, num_stages=stages)
           for m, n, warps, stages in itertools.product((64, 128), (32, 64, 128), (4, 8),
                                                        (2, 3, 4))]


def make_launch(tuned):
    q, k, v = (torch.randn((HEADS, LENGTH, DEPTH), device="cuda", dtype=torch.float16)
               for _ in range(3))
    out = torch.empty_like(q)
    scale = 1.44269504 / DEPTH ** 0.5
    return lambda: tuned[lambda meta: (LENGTH // meta["BLOCK_M"], HEADS)](
        q, k, v, out, scale, LENGTH, DEPTH=DEPTH)


if __name__ == "__main__":
    side_by_side.main(attention, CONFIGS, ["length"], make_launch)
