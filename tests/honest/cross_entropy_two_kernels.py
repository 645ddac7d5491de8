"""A kernel per row, then one program that adds the rows up: no atomics.

op: cross_entropy
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def loss_kernel(logits_ptr, target_ptr, loss_ptr, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    logits = tl.load(logits_ptr + row * classes + offsets, mask=offsets < classes, other=-float("inf"))
    peak = tl.max(logits, axis=0)
    spread = tl.log(tl.sum(tl.exp(logits - peak), axis=0))
    own = tl.load(logits_ptr + row * classes + tl.load(target_ptr + row))
    tl.store(loss_ptr + row, peak + spread - own)


@triton.jit
def mean_kernel(loss_ptr, out_ptr, rows, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, rows, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(loss_ptr + offsets, mask=offsets < rows, other=0.0)
    tl.store(out_ptr, tl.sum(total, axis=0) / rows)


class ModelNew(nn.Module):
    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        logits, target = logits.contiguous(), target.contiguous()
        rows, classes = logits.shape
        losses = torch.empty(rows, dtype=logits.dtype, device=logits.device)
        out = torch.empty((), dtype=logits.dtype, device=logits.device)
        loss_kernel[(rows,)](logits, target, losses, classes, BLOCK=triton.next_power_of_2(classes))
        mean_kernel[(1,)](losses, out, rows, BLOCK=1024)
        return out
