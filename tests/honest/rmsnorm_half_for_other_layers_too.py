"""A ladder of warps, an epsilon that is cast, a helper that also takes no weights, an input called `input`.

op: rmsnorm_half
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn

triton_cast = tl.cast


@triton.jit
def rmsnorm_kernel(x_ptr, weight_ptr, out_ptr, width, eps, AFFINE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < width
    x = triton_cast(tl.load(x_ptr + row * width + offsets, mask=inside, other=0.0), tl.float32)
    out = x * tl.rsqrt(tl.sum(x * x, axis=0) / width + eps.to(tl.float32))
    if AFFINE:
        out *= tl.load(weight_ptr + offsets, mask=inside).to(tl.float32)
    tl.store(out_ptr + row * width + offsets, out.to(out_ptr.dtype.element_ty), mask=inside)


def settings(width: int) -> tuple[int, int]:
    block = triton.next_power_of_2(width)
    num_warps = 4
    if block >= 32768:
        num_warps = 32
    elif block >= 8192:
        num_warps = 16
    elif block >= 2048:
        num_warps = 8
    return block, num_warps


def rmsnorm(x: torch.Tensor, weight: torch.Tensor | None, eps: float) -> torch.Tensor:
    if x.ndim == 1:
        x = x.unsqueeze(0)
    rows, width = x.shape
    if weight is not None:
        affine, scales = True, weight.contiguous()
    else:
        affine, scales = False, x
    block, num_warps = settings(width)
    out = torch.empty_like(x)
    rmsnorm_kernel[(rows,)](x, scales, out, width, eps, affine, BLOCK=block, num_warps=num_warps)
    return out


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width, dtype=torch.float16))

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return rmsnorm(input.contiguous(), self.weight, 1e-6)
