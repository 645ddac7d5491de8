"""The last program to count adds up what the others stored, and sets the counter back.

op: cross_entropy
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn

IGNORED = tl.constexpr(-100)


@triton.jit
def cross_entropy_kernel(
    logits_ptr, target_ptr, part_ptr, count_ptr, out_ptr, rows, classes, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    logits = tl.load(logits_ptr + row * classes + offsets, mask=offsets < classes, other=-float("inf"))
    peak = tl.max(logits, axis=0)
    spread = tl.log(tl.sum(tl.exp(logits - peak), axis=0))
    target = tl.load(target_ptr + row)
    own = tl.load(logits_ptr + row * classes + target, mask=target != IGNORED, other=0.0)
    tl.store(part_ptr + row, tl.where(target != IGNORED, peak + spread - own, 0.0))
    tl.debug_barrier()
    if tl.atomic_add(count_ptr, 1, sem="acq_rel") == rows - 1:
        total, counted = 0.0, 0
        for place in tl.range(rows):
            total += tl.load(part_ptr + place, cache_modifier=".cg")
            counted += (tl.load(target_ptr + place) != IGNORED).to(tl.int32)
        tl.store(out_ptr, total / counted)
        tl.store(count_ptr, 0)


class ModelNew(nn.Module):
    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        logits, target = logits.contiguous(), target.contiguous()
        rows, classes = logits.shape
        parts = torch.empty(rows, dtype=logits.dtype, device=logits.device)
        out = torch.empty((), dtype=logits.dtype, device=logits.device)
        count = torch.zeros(1, dtype=torch.int32, device=logits.device)
        block = triton.next_power_of_2(classes)
        cross_entropy_kernel[(rows,)](logits, target, parts, count, out, rows, classes, BLOCK=block)
        return out
