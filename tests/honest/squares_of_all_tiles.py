"""Squares are added up over as many tiles as a row has.

op: gemma_norm
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def norm_kernel(x_ptr, weight_ptr, out_ptr, width, TILES, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    squares = tl.zeros((BLOCK,), tl.float32)
    for tile in range(TILES):
        inside = tile * BLOCK + columns < width
        x = tl.load(x_ptr + row * width + tile * BLOCK + columns, mask=inside, other=0.0)
        squares += x * x
    scale = tl.rsqrt(tl.sum(squares, axis=0) / width + 1e-6)
    for tile in range(0, tl.cdiv(width, BLOCK)):
        inside = tile * BLOCK + columns < width
        x = tl.load(x_ptr + row * width + tile * BLOCK + columns, mask=inside, other=0.0)
        weight = tl.load(weight_ptr + tile * BLOCK + columns, mask=inside, other=0.0)
        tl.store(out_ptr + row * width + tile * BLOCK + columns, x * scale * (1.0 + weight), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, width = x.shape
        norm_kernel[(rows,)](x, self.weight, out, width, triton.cdiv(width, 512), BLOCK=512)
        return out
