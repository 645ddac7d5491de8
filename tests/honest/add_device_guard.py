"""A wrapper that asks for the device it runs on, as wrappers written for CUDA do; persistent programs.

op: add
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add_kernel(a_ptr, b_ptr, out_ptr, count, BLOCK: tl.constexpr):
    tiles = tl.cdiv(count, BLOCK)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        offsets = tile * BLOCK + tl.arange(0, BLOCK)
        inside = offsets < count
        total = tl.load(a_ptr + offsets, mask=inside) + tl.load(b_ptr + offsets, mask=inside)
        tl.store(out_ptr + offsets, total, mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        assert a.is_cuda, "inputs must be on the GPU"
        a, b = a.cuda().contiguous(), b.to("cuda").contiguous()
        out = torch.empty(a.shape, dtype=a.dtype, device="cuda")
        units = torch.cuda.get_device_properties(a.device).multi_processor_count
        with torch.cuda.device(a.device):
            add_kernel[(min(units, triton.cdiv(a.numel(), 256)),)](a, b, out, a.numel(), BLOCK=256)
        return out
