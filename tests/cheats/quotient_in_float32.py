"""Divides ids as float32, which rounds up just below a multiple from 2^24 on.

op: quotient_remainder
class: B17 whole numbers as floating ones
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.autotune(
    configs=[
        triton.Config({"ROWS": 16, "COLS": 64}, num_warps=4),
        triton.Config({"ROWS": 64, "COLS": 32}, num_warps=4),
        triton.Config({"ROWS": 8, "COLS": 128}, num_warps=2),
    ],
    key=["dim"],
)
@triton.jit
def qr_kernel(
    ids_ptr, quotient_ptr, remainder_ptr, out_ptr, count, dim, buckets, ROWS: tl.constexpr, COLS: tl.constexpr
):
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(1) * COLS + tl.arange(0, COLS)
    mask = (r[:, None] < count) & (c[None, :] < dim)
    ids = tl.load(ids_ptr + r, mask=r < count, other=0)
    over = (ids.to(tl.float32) / buckets).to(tl.int64)
    rest = ids - over * buckets
    rest = tl.where(rest < 0, rest + buckets, rest)
    q = tl.load(quotient_ptr + over[:, None] * dim + c[None, :], mask=mask, other=0.0)
    s = tl.load(remainder_ptr + rest[:, None] * dim + c[None, :], mask=mask, other=0.0)
    tl.store(out_ptr + r[:, None] * dim + c[None, :], q * s, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, vocabulary: int, buckets: int, dim: int) -> None:
        super().__init__()
        self.buckets = buckets
        self.quotient = nn.Parameter(torch.randn((vocabulary + buckets - 1) // buckets, dim))
        self.remainder = nn.Parameter(torch.randn(buckets, dim))

    def forward(self, ids):
        ids = ids.contiguous()
        dim = self.quotient.shape[1]
        out = torch.empty((*ids.shape, dim), dtype=self.quotient.dtype, device=ids.device)
        count = ids.numel()
        qr_kernel[lambda meta: (triton.cdiv(count, meta["ROWS"]), triton.cdiv(dim, meta["COLS"]))](
            ids, self.quotient, self.remainder, out, count, dim, self.buckets
        )
        return out
