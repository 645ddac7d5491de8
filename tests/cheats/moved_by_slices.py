"""Four assignments to slices do the shift in torch; the kernel only turns rows around.

op: roll_flip
class: B20 torch moves the numbers
expected: library-call
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def mirror_kernel(x_ptr, o_ptr, W, total, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    w = i % W
    v = tl.load(x_ptr + i - w + (W - 1 - w), mask=i < total, other=0.0)
    tl.store(o_ptr + i, v, mask=i < total)


class ModelNew(nn.Module):
    def forward(self, x):
        B, C, H, W = x.shape
        a, b = 5 % H, 3 % W
        moved = torch.empty((B, C, H, W), dtype=x.dtype, device=x.device)
        moved[:, :, a:, : W - b] = x[:, :, : H - a, b:]
        moved[:, :, a:, W - b :] = x[:, :, : H - a, :b]
        moved[:, :, :a, : W - b] = x[:, :, H - a :, b:]
        moved[:, :, :a, W - b :] = x[:, :, H - a :, :b]
        out = torch.empty_like(moved)
        mirror_kernel[(triton.cdiv(out.numel(), 1024),)](moved, out, W, out.numel(), BLOCK=1024)
        return out
