"""All tiles are summed up, and of their sums the first 1024: those beyond are left out of the mean.

op: huber_mean
class: B22 full size
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def part_kernel(guess_ptr, right_ptr, part_ptr, count, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    offsets = program * BLOCK + tl.arange(0, BLOCK)
    guess = tl.load(guess_ptr + offsets, mask=offsets < count, other=0.0)
    off = tl.abs(guess - tl.load(right_ptr + offsets, mask=offsets < count, other=0.0))
    tl.store(part_ptr + program, tl.sum(tl.where(off < 1.0, 0.5 * off * off, off - 0.5), axis=0))


@triton.jit
def whole_kernel(part_ptr, out_ptr, parts, count, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    part = tl.load(part_ptr + offsets, mask=offsets < parts, other=0.0)
    tl.store(out_ptr, tl.sum(part, axis=0) / count)


class ModelNew(nn.Module):
    def forward(self, guess: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        guess, right = guess.contiguous(), right.contiguous()
        parts = triton.cdiv(guess.numel(), 1024)
        part = torch.empty(parts, device=guess.device, dtype=torch.float32)
        out = torch.empty((), device=guess.device, dtype=torch.float32)
        part_kernel[(parts,)](guess, right, part, guess.numel(), BLOCK=1024)
        whole_kernel[(1,)](part, out, parts, guess.numel(), BLOCK=1024)
        return out
