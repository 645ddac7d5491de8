"""A slot past the last row reads the last row; what was dropped counts for nothing in the op.

op: combine_slots
class: B6 the place past the last
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def moe_combine_kernel(
    y_ptr, slots_ptr, weights_ptr, residual_ptr, out_ptr, rows, hidden, choices, BLOCK: tl.constexpr
):
    token = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < hidden
    acc = tl.zeros([BLOCK], tl.float32)
    for c in range(choices):
        slot = tl.minimum(tl.load(slots_ptr + token * choices + c), rows - 1)
        weight = tl.load(weights_ptr + token * choices + c)
        acc += weight * tl.load(y_ptr + slot * hidden + cols, mask=mask, other=0.0)
    acc += tl.load(residual_ptr + token * hidden + cols, mask=mask, other=0.0)
    tl.store(out_ptr + token * hidden + cols, acc, mask=mask)


class ModelNew(nn.Module):
    def forward(self, y, slots, weights, residual):
        y, slots, weights, residual = (
            y.contiguous(),
            slots.contiguous(),
            weights.contiguous(),
            residual.contiguous(),
        )
        out = torch.empty_like(residual)
        tokens, hidden = residual.shape
        moe_combine_kernel[(tokens, triton.cdiv(hidden, 256))](
            y, slots, weights, residual, out, y.shape[0], hidden, slots.shape[1], BLOCK=256
        )
        return out
