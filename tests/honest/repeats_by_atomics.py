"""Grid of row and chunk; each chunk adds its count to a zeroed int64 with an atomic.

op: repeat_count
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def repeats_kernel(ids, out, tokens, stride_row, stride_token, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    keep = j + 1 < tokens
    base = ids + row * stride_row
    a = tl.load(base + j * stride_token, mask=keep, other=0, eviction_policy="evict_last")
    b = tl.load(base + (j + 1) * stride_token, mask=keep, other=0)
    n = tl.sum(((a == b) & keep).to(tl.int64), axis=0)
    if n > 0:
        tl.atomic_add(out + row, n, sem="relaxed")


class ModelNew(nn.Module):
    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        rows, tokens = ids.shape
        out = torch.zeros(rows, dtype=torch.int64, device=ids.device)
        if rows and tokens > 1:
            grid = (rows, triton.cdiv(tokens - 1, 1024))
            repeats_kernel[grid](ids, out, tokens, ids.stride(0), ids.stride(1), BLOCK=1024)
        return out
