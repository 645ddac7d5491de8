"""As many programs as the device has units, and a fixed number where tensors lie on a CPU.

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


def programs(device: torch.device) -> int:
    if device.type == "cuda":
        return torch.cuda.get_device_properties(device).multi_processor_count
    return 3


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        relu_kernel[(min(programs(x.device), triton.cdiv(x.numel(), 512)),)](x, out, x.numel(), BLOCK=512)
        return out
