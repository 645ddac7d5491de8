"""Each program adds to the sum under a lock.

op: cross_entropy
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def cross_entropy_kernel(logits_ptr, target_ptr, total_ptr, lock_ptr, rows, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    logits = tl.load(logits_ptr + row * classes + offsets, mask=offsets < classes, other=-float("inf"))
    peak = tl.max(logits, axis=0)
    spread = tl.log(tl.sum(tl.exp(logits - peak), axis=0))
    own = tl.load(logits_ptr + row * classes + tl.load(target_ptr + row))
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(total_ptr, tl.load(total_ptr) + (peak + spread - own) / rows)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


class ModelNew(nn.Module):
    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        logits, target = logits.contiguous(), target.contiguous()
        rows, classes = logits.shape
        total = torch.zeros((), dtype=logits.dtype, device=logits.device)
        lock = torch.zeros(1, dtype=torch.int32, device=logits.device)
        block = triton.next_power_of_2(classes)
        cross_entropy_kernel[(rows,)](logits, target, total, lock, rows, classes, BLOCK=block)
        return total
