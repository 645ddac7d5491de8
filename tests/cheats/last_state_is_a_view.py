"""Recurrence whose last state is a view into the states.

op: gated_scan
class: B3 outputs that share elements
expected: aliased-output
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def scan_kernel(
    a_ptr, x_ptr, h_ptr, o_ptr, steps, ch, sab, sat, sac, sxb, sxt, sxc, shb, shc, BLOCK: tl.constexpr
):
    b = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = c < ch
    h = tl.load(h_ptr + b * shb + c * shc, mask=ok, other=0.0)
    for t in range(steps):
        a = tl.load(a_ptr + b * sab + t * sat + c * sac, mask=ok, other=0.0)
        x = tl.load(x_ptr + b * sxb + t * sxt + c * sxc, mask=ok, other=0.0)
        h = a * h + x
        tl.store(o_ptr + (b * steps + t) * ch + c, h, mask=ok)


class ModelNew(nn.Module):
    def forward(self, a, x, h):
        B, T, C = x.shape
        out = torch.empty((B, T, C), dtype=x.dtype, device=x.device)
        scan_kernel[(B, triton.cdiv(C, 32))](
            a, x, h, out, T, C, *a.stride(), *x.stride(), *h.stride(), BLOCK=32
        )
        return out, out[:, T - 1]
