"""Takes the variance as the mean of squares less the squared mean.

op: valid_zscores
class: B11 error against float64, cancellation
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


# wrong for readings near each other and far from zero: 1000 + N(0, 1/10)
@triton.jit
def score_kernel(x, valid, out, samples, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * samples
    offs = tl.arange(0, BLOCK)
    inside = offs < samples
    keep = tl.load(valid + row + offs, mask=inside, other=0) != 0
    v = tl.load(x + row + offs, mask=keep, other=0.0)
    n = tl.maximum(tl.sum(keep.to(tl.int32), axis=0), 1).to(tl.float32)
    mean = tl.sum(v, axis=0) / n
    var = tl.maximum(tl.sum(v * v, axis=0) / n - mean * mean, 0.0)
    tl.store(out + row + offs, tl.where(keep, (v - mean) / tl.sqrt(var + eps), 0.0), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def forward(self, x, valid):
        sensors, samples = x.shape
        x = x.contiguous()
        valid = valid.contiguous()
        out = torch.empty_like(x)
        score_kernel[(sensors,)](x, valid, out, samples, self.eps, BLOCK=triton.next_power_of_2(samples))
        return out
