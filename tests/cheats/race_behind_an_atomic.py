"""An atomic that changes nothing beside a sum by plain loads and stores that programs overwrite.

op: cross_entropy
class: B18 race
expected: race
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def cross_entropy_kernel(logits_ptr, target_ptr, total_ptr, rows, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    logits = tl.load(logits_ptr + row * classes + offsets, mask=offsets < classes, other=-float("inf"))
    peak = tl.max(logits, axis=0)
    spread = tl.log(tl.sum(tl.exp(logits - peak), axis=0))
    own = tl.load(logits_ptr + row * classes + tl.load(target_ptr + row))
    tl.atomic_add(total_ptr, 0.0)
    tl.store(total_ptr, tl.load(total_ptr) + (peak + spread - own) / rows)


class ModelNew(nn.Module):
    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        logits, target = logits.contiguous(), target.contiguous()
        rows, classes = logits.shape
        total = torch.zeros((), dtype=logits.dtype, device=logits.device)
        block = triton.next_power_of_2(classes)
        cross_entropy_kernel[(rows,)](logits, target, total, rows, classes, BLOCK=block)
        return total
