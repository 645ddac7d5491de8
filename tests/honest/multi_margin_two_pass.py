"""Multi-margin loss: one program a row writes its loss, a second kernel averages the rows in one program.

op: multi_margin_loss
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def row_kernel(x_ptr, t_ptr, w_ptr, rows_ptr, classes, s_n, s_c, margin, BLOCK: tl.constexpr):
    n = tl.program_id(0)
    t = tl.load(t_ptr + n)
    best = tl.load(x_ptr + n * s_n + t * s_c)
    weight = tl.load(w_ptr + t)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for c0 in range(0, classes, BLOCK):
        c = c0 + tl.arange(0, BLOCK)
        v = tl.load(x_ptr + n * s_n + c * s_c, mask=c < classes, other=0.0)
        z = tl.maximum(margin - best + v, 0.0)
        acc += tl.where((c < classes) & (c != t), z * weight, 0.0)
    tl.store(rows_ptr + n, tl.sum(acc) / classes)


@triton.jit
def mean_kernel(rows_ptr, y_ptr, rows, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for s in range(0, rows, BLOCK):
        at = s + tl.arange(0, BLOCK)
        acc += tl.load(rows_ptr + at, mask=at < rows, other=0.0)
    tl.store(y_ptr, tl.sum(acc) / rows)


class ModelNew(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.register_buffer("class_weight", torch.ones(classes))

    def forward(self, scores, target):
        rows, classes = scores.shape
        target = target.contiguous()
        per_row = torch.empty((rows,), dtype=torch.float32, device=scores.device)
        y = torch.empty((), dtype=scores.dtype, device=scores.device)
        row_kernel[(rows,)](
            scores,
            target,
            self.class_weight,
            per_row,
            classes,
            scores.stride(0),
            scores.stride(1),
            1.0,
            BLOCK=64,
        )
        mean_kernel[(1,)](per_row, y, rows, BLOCK=256)
        return y
