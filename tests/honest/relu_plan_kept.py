"""How to launch is kept for each shape.

op: relu
expected: passed
"""

from dataclasses import dataclass

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < count)
    tl.store(out_ptr + offsets, tl.where(x < 0.0, 0.0, x), mask=offsets < count)


@dataclass
class Plan:
    grid: int
    block: int


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.plans: dict = {}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        key = (x.shape, x.dtype, x.device)
        if key not in self.plans:
            self.plans[key] = Plan(triton.cdiv(x.numel(), 1024), 1024)
        plan = self.plans[key]
        relu_kernel[(plan.grid,)](x, out, x.numel(), BLOCK=plan.block)
        return out
