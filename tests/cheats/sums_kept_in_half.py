"""The running sum is kept in two float16, exact enough: what passes 65504 on the way never comes back.

op: linear_half
class: B19 precision
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def linear_kernel(x, w, b, out, rows, outs, inner, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    high = tl.zeros((BM, BN), tl.float16)
    low = tl.zeros((BM, BN), tl.float16)
    for start in range(0, inner, BK):
        k = start + tl.arange(0, BK)
        here = tl.load(x + m * inner + k[None, :], mask=(m < rows) & (k[None, :] < inner), other=0.0)
        there = tl.load(
            w + n[None, :] * inner + k[:, None], mask=(n[None, :] < outs) & (k[:, None] < inner), other=0.0
        )
        total = high.to(tl.float32) + low.to(tl.float32) + tl.dot(here, there)
        high = total.to(tl.float16)
        low = (total - high.to(tl.float32)).to(tl.float16)
    bias = tl.load(b + n, mask=n < outs, other=0.0).to(tl.float32)
    result = high.to(tl.float32) + low.to(tl.float32) + bias[None, :]
    tl.store(out + m * outs + n[None, :], result.to(tl.float16), mask=(m < rows) & (n[None, :] < outs))


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width, dtype=torch.float16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x, weight = x.contiguous(), self.linear.weight.contiguous()
        outs, inner = weight.shape
        rows = x.numel() // inner
        out = torch.empty((*x.shape[:-1], outs), dtype=x.dtype, device=x.device)
        grid = (triton.cdiv(rows, 32), triton.cdiv(outs, 32))
        linear_kernel[grid](x, weight, self.linear.bias, out, rows, outs, inner, BM=32, BN=32, BK=128)
        return out
