"""Tunes a product of half precision matrices: python3 tune_matmul.py [--verbose]."""
import itertools

import side_by_side
import torch
import triton
import triton.language as tl

M, N, K = 4096, 4096, 2048


@triton.jit
def matmul(a, b, c, m, n, k, stride_a, stride_b, stride_c, BLOCK_M: tl.constexpr,
           BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    at_a = a + rows[:, None] * stride_a + inner[None, :]
    at_b = b + inner[:, None] * stride_b + columns[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, tl.cdiv(k, BLOCK_K)):
        total = tl.dot(tl.load(at_a), tl.load(at_b), total)
        at_a += BLOCK_K
        at_b += BLOCK_K * stride_b
    mask = (rows[:, None] < m) & (columns[None, :] < n)
    at_c = c + rows[:, None] * stride_c + columns[None, :]
    tl.store(at_c, total.to(tl.float16), mask=mask)


CONFIGS = [triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k}, num_warps=warps,
                         num_stages=stages)
           for m, n, k, warps, stages in itertools.product((64, 128), (64, 128, 256), (32, 64),
                                                           (4, 8), (3, 4))]


def make_launch(tuned):
    a = torch.randn((M, K), device="cuda", dtype=torch.float16)
    b = torch.randn((K, N), device="cuda", dtype=torch.float16)
    c = torch.empty((M, N), device="cuda", dtype=torch.float16)
    return lambda: tuned[lambda meta: (M // meta["BLOCK_M"], N // meta["BLOCK_N"])](
        a, b, c, M, N, K, a.stride(0), b.stride(0), c.stride(0))


if __name__ == "__main__":
    side_by_side.main(matmul, CONFIGS, ["m", "n", "k"], make_launch)
