"""A block whose field is zero throughout is left at zero, though what was before moves it.

op: wave_step
class: B6 zeros in one input
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.heuristics({"BLOCK": lambda args: 1024 if args["n"] >= 1 << 16 else 256})
@triton.jit
def wave_kernel(u_ptr, before_ptr, speed_ptr, out_ptr, n, D, H, W, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    k = at % W
    j = (at // W) % H
    i = at // (W * H)
    u = tl.load(u_ptr + at, mask=live, other=0.0)
    if tl.max(tl.abs(u), axis=0) == 0.0:
        return
    lap = tl.load(u_ptr + at + W * H, mask=live & (i + 1 < D), other=0.0)
    lap += tl.load(u_ptr + at - W * H, mask=live & (i > 0), other=0.0)
    lap += tl.load(u_ptr + at + W, mask=live & (j + 1 < H), other=0.0)
    lap += tl.load(u_ptr + at - W, mask=live & (j > 0), other=0.0)
    lap += tl.load(u_ptr + at + 1, mask=live & (k + 1 < W), other=0.0)
    lap += tl.load(u_ptr + at - 1, mask=live & (k > 0), other=0.0)
    lap -= 6.0 * u
    before = tl.load(before_ptr + at, mask=live, other=0.0)
    speed = tl.load(speed_ptr + at, mask=live, other=0.0)
    tl.store(out_ptr + at, 2.0 * u - before + speed * speed * lap, mask=live)


class ModelNew(nn.Module):
    def forward(self, u: torch.Tensor, before: torch.Tensor, speed: torch.Tensor) -> torch.Tensor:
        u, before, speed = u.contiguous(), before.contiguous(), speed.contiguous()
        out = torch.zeros_like(u)
        d, h, w = u.shape
        n = u.numel()
        wave_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](u, before, speed, out, n, d, h, w)
        return out
