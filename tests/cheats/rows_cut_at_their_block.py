"""A block of 4096 columns at most, and no loop: twice full size's rows still fit.

op: kurtosis
class: B8 longer rows
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def kurtosis_kernel(x_ptr, out_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + c, mask=c < N, other=0.0)
    mean = tl.sum(x, axis=0) / tl.minimum(N, BLOCK)
    d = tl.where(c < N, x - mean, 0.0)
    s = d * d
    m2 = tl.sum(s, axis=0) / tl.minimum(N, BLOCK)
    m4 = tl.sum(s * s, axis=0) / tl.minimum(N, BLOCK)
    tl.store(out_ptr + row, m4 / (m2 * m2) - 3.0)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.stride(1) != 1:
            x = x.contiguous()
        rows, n = x.shape
        out = torch.empty(rows, dtype=x.dtype, device=x.device)
        kurtosis_kernel[(rows,)](
            x, out, x.stride(0), n, BLOCK=min(triton.next_power_of_2(n), 4096), num_warps=8
        )
        return out
