"""The sum of all less the sum of what is masked: a large masked value leaves its rounding.

op: masked_mean
class: B11 budget
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def mean_kernel(x_ptr, mask_ptr, out_ptr, length, width, BLOCK: tl.constexpr):
    batch = tl.program_id(0).to(tl.int64)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < width
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    masked = tl.zeros((BLOCK,), dtype=tl.float32)
    count = 0.0
    for place in range(length):
        kept = tl.load(mask_ptr + batch * length + place).to(tl.float32)
        x = tl.load(x_ptr + (batch * length + place) * width + offsets, mask=inside, other=0.0)
        total += x
        masked += x * (1.0 - kept)
        count += kept
    tl.store(out_ptr + batch * width + offsets, (total - masked) / tl.maximum(count, 1.0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x, mask = x.contiguous(), mask.contiguous()
        batch, length, width = x.shape
        out = torch.empty((batch, width), dtype=x.dtype, device=x.device)
        mean_kernel[(batch, triton.cdiv(width, 64))](x, mask, out, length, width, BLOCK=64)
        return out
