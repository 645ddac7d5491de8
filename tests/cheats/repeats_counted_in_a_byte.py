"""Counts are kept in a signed byte: a token that was generated 128 times or more wraps to a negative count.

op: logits_penalty
class: B17 integers
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _penalised(x, c, repetition, frequency):
    cut = tl.where(x > 0.0, x / repetition, x * repetition)
    return tl.where(c > 0, cut, x) - frequency * c.to(tl.float32)


@triton.jit
def _penalty(x_ptr, i_ptr, n_ptr, o_ptr, t, v, repetition, frequency, BV: tl.constexpr, BT: tl.constexpr):
    b = tl.program_id(0)
    w = tl.program_id(1) * BV + tl.arange(0, BV)
    n = tl.load(n_ptr + b).to(tl.int32)
    c = tl.zeros([BV], tl.int8)
    for start in range(0, n, BT):
        j = start + tl.arange(0, BT)
        token = tl.load(i_ptr + b * t + j, mask=j < n, other=-1)
        c += tl.sum((w[:, None] == token[None, :]).to(tl.int32), 1).to(tl.int8)
    x = tl.load(x_ptr + b * v + w, mask=w < v, other=0.0)
    tl.store(o_ptr + b * v + w, _penalised(x, c, repetition, frequency), mask=w < v)


class ModelNew(nn.Module):
    def __init__(self, repetition, frequency):
        super().__init__()
        self.repetition = repetition
        self.frequency = frequency

    def forward(self, logits, ids, lengths):
        x, ids, lengths = logits.contiguous(), ids.contiguous(), lengths.contiguous()
        b, v = x.shape
        t = ids.shape[1]
        out = torch.empty((b, v), dtype=x.dtype, device=x.device)

        _penalty[(b, triton.cdiv(v, 128))](
            x, ids, lengths, out, t, v, self.repetition, self.frequency, BV=128, BT=32
        )
        return out
