"""The class itself is in the sum, and the margin taken off: beside a large score there is none to take off.

op: multi_margin_loss
class: B6 legal inputs that an op file never ships
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def loss_kernel(x_ptr, t_ptr, w_ptr, y_ptr, rows, classes, margin, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    live = r < rows
    t = tl.load(t_ptr + r, mask=live, other=0)
    best = tl.load(x_ptr + r * classes + t, mask=live, other=0.0)
    weight = tl.load(w_ptr + t, mask=live, other=0.0)
    acc = tl.zeros([ROWS], dtype=tl.float32)
    for c0 in range(0, classes, COLS):
        c = c0 + tl.arange(0, COLS)
        take = live[:, None] & (c < classes)[None, :]
        v = tl.load(x_ptr + r[:, None] * classes + c[None, :], mask=take, other=0.0)
        z = tl.maximum(margin - best[:, None] + v, 0.0)
        acc += tl.sum(tl.where(take, z, 0.0), axis=1)
    share = (acc - margin) * weight / classes / rows
    tl.atomic_add(y_ptr, tl.sum(tl.where(live, share, 0.0)))


class ModelNew(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.register_buffer("class_weight", torch.ones(classes))

    def forward(self, scores, target):
        scores, target = scores.contiguous(), target.contiguous()
        rows, classes = scores.shape
        y = torch.zeros((), dtype=scores.dtype, device=scores.device)
        loss_kernel[(triton.cdiv(rows, 16),)](
            scores, target, self.class_weight, y, rows, classes, 1.0, ROWS=16, COLS=128
        )
        return y
