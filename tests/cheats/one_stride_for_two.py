"""The scale is read with the stride of the shift's rows: parts of one matrix have the same.

op: modulate
class: B8 strides
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def adaln_kernel(
    x_ptr, shift_ptr, scale_ptr, o_ptr, tokens, width, s_shift, s_scale, eps, BLOCK: tl.constexpr
):
    pid = tl.program_id(0).to(tl.int64)
    img = pid // tokens
    offs = tl.arange(0, BLOCK)
    mask = offs < width
    x = tl.load(x_ptr + pid * width + offs, mask=mask, other=0.0)
    mean = tl.sum(x, 0) / width
    d = tl.where(mask, x - mean, 0.0)
    var = tl.sum(d * d, 0) / width
    r = 1.0 / tl.sqrt(var + eps)
    shift = tl.load(shift_ptr + img * s_shift + offs, mask=mask)
    scale = tl.load(scale_ptr + img * s_scale + offs, mask=mask)
    tl.store(o_ptr + pid * width + offs, d * r * (1.0 + scale) + shift, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x, shift, scale):
        x = x.contiguous()
        if shift.stride(1) != 1:
            shift = shift.contiguous()
        if scale.stride(1) != 1:
            scale = scale.contiguous()
        b, t, d = x.shape
        out = torch.empty_like(x)
        adaln_kernel[(b * t,)](
            x,
            shift,
            scale,
            out,
            t,
            d,
            shift.stride(0),
            shift.stride(0),
            1e-6,
            BLOCK=triton.next_power_of_2(d),
        )
        return out
