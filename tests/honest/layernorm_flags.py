"""Constexpr flags for scale and shift, a named tuple of settings, and a method that launches.

op: layernorm
expected: passed
"""

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def layernorm_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, width, eps, SCALED: tl.constexpr, SHIFTED: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < width
    x = tl.load(x_ptr + row * width + offsets, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / width
    centred = tl.where(inside, x - mean, 0.0)
    value = centred / tl.sqrt(tl.sum(centred * centred, axis=0) / width + eps)
    if SCALED:
        value *= tl.load(weight_ptr + offsets, mask=inside)
    if SHIFTED:
        value += tl.load(bias_ptr + offsets, mask=inside)
    tl.store(out_ptr + row * width + offsets, value, mask=inside)


class Settings(NamedTuple):
    block: int
    num_warps: int


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def settings(self, width: int) -> Settings:
        block = triton.next_power_of_2(width)
        return Settings(block, 8 if block >= 2048 else 4)

    def launch(self, x: torch.Tensor, out: torch.Tensor, settings: Settings) -> None:
        norm, (rows, width) = self.norm, x.shape
        layernorm_kernel[(rows,)](
            x, norm.weight, norm.bias, out, width, norm.eps, SCALED=norm.weight is not None,
            SHIFTED=norm.bias is not None, BLOCK=settings.block, num_warps=settings.num_warps,
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        self.launch(x, out, self.settings(x.shape[-1]))
        return out
