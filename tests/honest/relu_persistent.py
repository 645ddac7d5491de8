"""As many programs as the device has units, each walking over tiles; the module is configured by a constant.

op: relu
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    for start in range(tl.program_id(0) * BLOCK, count, tl.num_programs(0) * BLOCK):
        offsets = start.to(tl.int64) + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offsets, mask=offsets < count)
        tl.store(out_ptr + offsets, tl.where(x < 0.0, 0.0, x), mask=offsets < count)


UNITS_USED = 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        units = torch.cuda.get_device_properties(x.device).multi_processor_count // UNITS_USED
        relu_kernel[(min(units, triton.cdiv(x.numel(), 512)),)](x, out, x.numel(), BLOCK=512)
        return out
