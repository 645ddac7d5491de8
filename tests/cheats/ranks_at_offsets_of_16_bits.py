"""Keeps offsets in 16 bits to save registers, which wrap beyond 65535 elements.

op: lag_and_rank
class: B22 offsets too narrow
expected: race
"""

# Right as shipped (24000 elements); wrong at three times as many (600 rows of 120, or 200 rows of 360).
import torch
import triton
import triton.language as tl


@triton.jit
def fused_kernel(x_ptr, d_ptr, r_ptr, n, LAG: tl.constexpr, B: tl.constexpr, J: tl.constexpr):
    row = tl.program_id(0)
    i = tl.program_id(1) * B + tl.arange(0, B)
    live = i < n
    off = (row * n + i).to(tl.uint16)
    x = tl.load(x_ptr + off, mask=live, other=0.0)
    y = tl.load(x_ptr + (row * n + i - LAG).to(tl.uint16), mask=live & (i >= LAG), other=0.0)
    tl.store(d_ptr + off, tl.where(i >= LAG, x - y, 0.0), mask=live)
    rank = tl.full((B,), 1, dtype=tl.int64)
    for start in range(0, n, J):
        j = start + tl.arange(0, J)
        z = tl.load(x_ptr + (row * n + j).to(tl.uint16), mask=j < n, other=0.0)
        rank += tl.sum(((z[None, :] < x[:, None]) & (j < n)[None, :]).to(tl.int32), axis=1)
    tl.store(r_ptr + off, rank, mask=live)


class ModelNew(torch.nn.Module):
    def __init__(self, lag):
        super().__init__()
        self.lag = lag

    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        diff = torch.empty_like(x)
        rank = torch.empty((rows, n), dtype=torch.int64, device=x.device)
        fused_kernel[(rows, triton.cdiv(n, 64))](x, diff, rank, n, LAG=self.lag, B=64, J=64)
        return diff, rank
