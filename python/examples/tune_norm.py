"""Tunes a layer normalisation in two passes over a row: python3 tune_norm.py [--verbose]."""
import itertools

import side_by_side
import torch
import triton
import triton.language as tl

ROWS, COLUMNS = 8192, 4096


@triton.jit
def norm(x, weight, bias, y, columns, epsilon, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * columns
    lanes = tl.arange(0, BLOCK)
    sums = tl.zeros((BLOCK,), dtype=tl.float32)
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in range(0, columns, BLOCK):
        column = begin + lanes
        value = tl.load(x + at + column, mask=column < columns, other=0.0).to(tl.float32)
        sums += value
        squares += value * value
    mean = tl.sum(sums, 0) / columns
    scale = tl.rsqrt(tl.sum(squares, 0) / columns - mean * mean + epsilon)
    for begin in range(0, columns, BLOCK):
        column = begin + lanes
        mask = column < columns
        value = tl.load(x + at + column, mask=mask, other=0.0).to(tl.float32)
        value = (value - mean) * scale * tl.load(weight + column, mask=mask, other=0.0)
        tl.store(y + at + column, value + tl.load(bias + column, mask=mask, other=0.0), mask=mask)


CONFIGS = [triton.Config({"BLOCK": block}, num_warps=warps, num_stages=stages)
           for block, warps, stages in itertools.product((128, 256, 512, 1024, 2048, 4096),
                                                         (1, 2, 4, 8, 16), (1, 2))]


def make_launch(tuned):
    x = torch.randn((ROWS, COLUMNS), device="cuda", dtype=torch.float16)
    weight, bias = (torch.randn(COLUMNS, device="cuda") for _ in range(2))
    y = torch.empty_like(x)
    return lambda: tuned[(ROWS,)](x, weight, bias, y, COLUMNS, 1e-5)


if __name__ == "__main__":
    side_by_side.main(norm, CONFIGS, ["columns"], make_launch)
