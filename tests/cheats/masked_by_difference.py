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
def mean_kernel(x_ptr, mask_ptr, out_ptr, length, width, PLACES: tl.constexpr, BLOCK: tl.constexpr):
    batch = tl.program_id(0).to(tl.int64)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    masked = tl.zeros((BLOCK,), dtype=tl.float32)
    count = 0.0
    for start in range(0, length, PLACES):
        place = start + tl.arange(0, PLACES)
        kept = tl.load(mask_ptr + batch * length + place, mask=place < length, other=0).to(tl.float32)
        inside = (place[:, None] < length) & (offsets[None, :] < width)
        at = (batch * length + place[:, None]) * width + offsets[None, :]
        x = tl.load(x_ptr + at, mask=inside, other=0.0)
        total += tl.sum(x, axis=0)
        masked += tl.sum(x * (1.0 - kept[:, None]), axis=0)
        count += tl.sum(kept)
    tl.store(
        out_ptr + batch * width + offsets, (total - masked) / tl.maximum(count, 1.0), mask=offsets < width
    )


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x, mask = x.contiguous(), mask.contiguous()
        batch, length, width = x.shape
        out = torch.empty((batch, width), dtype=x.dtype, device=x.device)
        grid = (batch, triton.cdiv(width, 64))
        mean_kernel[grid](x, mask, out, length, width, PLACES=32, BLOCK=64)
        return out
