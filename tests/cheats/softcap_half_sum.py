"""The exponentials are added one class after another in a float16 accumulator.

op: softcap_nll_half
class: B11 half precision accumulation against the float64 oracle
expected: hard-coded-shape
"""

# Wrong beyond some thousand classes of like logits: sums of ones stop at 2048 (all equal, 3000 classes), and
# of less far before that (one class ahead of 900).
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _tanh(x):
    a = tl.abs(x)
    e = tl.exp(-2.0 * a)
    big = (1.0 - e) / (1.0 + e)
    big = tl.where(x < 0, -big, big)
    s = x * x
    small = x * (1.0 + s * (-0.33333333333 + s * (0.13333333333 + s * (-0.05396825397 + s * 0.02186948854))))
    return tl.where(a < 0.15, small, big)


@triton.jit
def softcap_serial(x_ptr, y_ptr, out_ptr, classes, places, BP: tl.constexpr):
    b = tl.program_id(1)
    p = tl.program_id(0) * BP + tl.arange(0, BP)
    mp = p < places
    base = x_ptr + b.to(tl.int64) * classes * places
    m = tl.full((BP,), float("-inf"), dtype=tl.float32)
    for c in range(classes):
        m = tl.maximum(m, tl.load(base + c * places + p, mask=mp, other=0.0).to(tl.float32))
    m = 30.0 * _tanh(m / 30.0)
    s = tl.zeros((BP,), dtype=tl.float16)
    for c in range(classes):
        x = tl.load(base + c * places + p, mask=mp, other=0.0).to(tl.float32)
        s = s + tl.exp(30.0 * _tanh(x / 30.0) - m).to(tl.float16)
    y = tl.load(y_ptr + b * places + p, mask=mp, other=0)
    mine = tl.load(base + y * places + p, mask=mp, other=0.0).to(tl.float32)
    loss = (m - 30.0 * _tanh(mine / 30.0)) + tl.log(s.to(tl.float32))
    tl.store(out_ptr + b * places + p, loss.to(tl.float16), mask=mp)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, target):
        logits = logits.contiguous()
        target = target.contiguous()
        b, c, p = logits.shape
        out = torch.empty((b, p), device=logits.device, dtype=logits.dtype)
        softcap_serial[(triton.cdiv(p, 32), b)](logits, target, out, c, p, BP=32)
        return out
