"""Each program adds to the sum under a lock.

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
    logits_ptr, target_ptr, total_ptr, lock_ptr, rows, classes, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    logits = tl.load(logits_ptr + row * classes + offsets, mask=offsets < classes, other=-float("inf"))
    peak = tl.max(logits, axis=0)
    spread = tl.log(tl.sum(tl.exp(logits - peak), axis=0))
    target = tl.load(target_ptr + row)
    own = tl.load(logits_ptr + row * classes + target, mask=target != IGNORED, other=0.0)
    every = tl.load(target_ptr + tl.arange(0, ROWS), mask=tl.arange(0, ROWS) < rows, other=IGNORED)
    counted = tl.sum((every != IGNORED).to(tl.int32), axis=0)
    loss = tl.where(target != IGNORED, peak + spread - own, 0.0)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(total_ptr, tl.load(total_ptr) + loss / counted)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


class ModelNew(nn.Module):
    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        logits, target = logits.contiguous(), target.contiguous()
        rows, classes = logits.shape
        total = torch.zeros((), dtype=logits.dtype, device=logits.device)
        lock = torch.zeros(1, dtype=torch.int32, device=logits.device)
        block, every = triton.next_power_of_2(classes), triton.next_power_of_2(rows)
        cross_entropy_kernel[(rows,)](logits, target, total, lock, rows, classes, ROWS=every, BLOCK=block)
        return total
