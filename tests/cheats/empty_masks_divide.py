"""No clamp: a sequence whose mask is empty gives NaN where the reference has zero.

op: masked_mean
class: B6 legal inputs that an op file never ships
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def masked_mean_kernel(x, mask, o, L, W, LP: tl.constexpr, WP: tl.constexpr):
    b = tl.program_id(0)
    i = tl.arange(0, LP)
    j = tl.arange(0, WP)
    on = tl.load(mask + b * L + i, mask=i < L, other=0) != 0
    v = tl.load(x + (b * L + i[:, None]) * W + j[None, :], mask=on[:, None] & (j[None, :] < W), other=0.0)
    s = tl.sum(v, 0)
    tl.store(o + b * W + j, s / tl.sum(on.to(tl.float32)), mask=j < W)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x, mask = x.contiguous(), mask.contiguous()
        B, L, W = x.shape
        o = torch.empty((B, W), dtype=x.dtype, device=x.device)
        masked_mean_kernel[(B,)](x, mask, o, L, W, LP=triton.next_power_of_2(L), WP=triton.next_power_of_2(W))
        return o
