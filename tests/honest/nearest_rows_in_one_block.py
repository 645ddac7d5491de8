"""Nearest neighbours: a program a query holds all its distances and takes the smallest one so many times.

op: knn_topk
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def knn_kernel(q_ptr, b_ptr, dist_ptr, idx_ptr, N, D, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    rn = tl.arange(0, BLOCK)
    ok = rn < N
    d2 = tl.zeros((BLOCK,), tl.float32)
    for d in range(0, D):
        qv = tl.load(q_ptr + row * D + d).to(tl.float32)
        bv = tl.load(b_ptr + rn * D + d, mask=ok, other=0.0).to(tl.float32)
        diff = qv - bv
        d2 += diff * diff
    d2 = tl.where(ok, d2, float("inf"))
    for j in range(0, K):
        low, arg = tl.min(d2, axis=0, return_indices=True)
        tl.store(dist_ptr + row * K + j, tl.sqrt_rn(low).to(tl.float16))
        tl.store(idx_ptr + row * K + j, arg.to(tl.int64))
        d2 = tl.where(rn == arg, float("inf"), d2)


class ModelNew(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, queries, bank):
        queries = queries.contiguous()
        bank = bank.contiguous()
        q, d = queries.shape
        n = bank.shape[0]
        if n > 16384:
            raise ValueError(f"a bank of {n} rows is more than one program holds")
        near = torch.empty((q, self.k), dtype=queries.dtype, device=queries.device)
        index = torch.empty((q, self.k), dtype=torch.int64, device=queries.device)
        knn_kernel[(q,)](
            queries, bank, near, index, n, d, self.k, BLOCK=triton.next_power_of_2(n), num_warps=8
        )
        return near, index
