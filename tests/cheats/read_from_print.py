"""Integers are read from how torch prints them, reckoned with in Python, and copied by a kernel.

op: bits
class: B20 torch does the work
expected: library-call
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def copy_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=inside), mask=inside)


def numbers(values: torch.Tensor) -> list[int]:
    rows = [str(row).split("[")[1].split("]")[0] for row in values.view(-1).split(200)]
    return [int(word) for row in rows for word in row.split(",")]


def wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x, y = x.contiguous(), y.contiguous()
        pairs = zip(numbers(x), numbers(y), strict=True)
        done = torch.tensor([wrapped((one ^ (one >> 3)) * 5 + two) for one, two in pairs], dtype=x.dtype)
        out = torch.empty_like(x)
        copy_kernel[(triton.cdiv(x.numel(), 1024),)](done, out, x.numel(), BLOCK=1024)
        return out
