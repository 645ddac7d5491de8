"""Promises that tensors begin at multiples of 16, and reads whole tiles unmasked: a slice begins elsewhere.

op: heat_step3d
class: B18 promises
expected: false-promise
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _flux(u_ptr, k_ptr, at, uc, kc, inside):
    un = tl.load(u_ptr + at, mask=inside, other=0.0)
    kn = tl.load(k_ptr + at, mask=inside, other=0.0)
    return 0.5 * (kc + kn) * (un - uc)


@triton.heuristics({"EVEN": lambda args: args["total"] % args["BLOCK"] == 0})
@triton.jit
def _heat(u_ptr, k_ptr, o_ptr, D, H, W, total, dt, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    x = i % W
    y = (i // W) % H
    z = (i // (W * H)) % D
    inner = ok & (x > 0) & (x < W - 1) & (y > 0) & (y < H - 1) & (z > 0) & (z < D - 1)
    lane = tl.max_contiguous(tl.arange(0, BLOCK), BLOCK)
    block = tl.multiple_of(u_ptr + tl.program_id(0).to(tl.int64) * BLOCK, 16)
    uc = tl.load(block + lane) if EVEN else tl.load(u_ptr + i, mask=ok, other=0.0)
    kc = tl.load(k_ptr + i, mask=inner, other=0.0)
    acc = _flux(u_ptr, k_ptr, i - H * W, uc, kc, inner)
    acc += _flux(u_ptr, k_ptr, i + H * W, uc, kc, inner)
    acc += _flux(u_ptr, k_ptr, i - W, uc, kc, inner)
    acc += _flux(u_ptr, k_ptr, i + W, uc, kc, inner)
    acc += _flux(u_ptr, k_ptr, i - 1, uc, kc, inner)
    acc += _flux(u_ptr, k_ptr, i + 1, uc, kc, inner)
    tl.store(o_ptr + i, tl.where(inner, uc + dt * acc, uc), mask=ok)


class ModelNew(torch.nn.Module):
    def __init__(self, dt):
        super().__init__()
        self.dt = dt

    def forward(self, u, k):
        u, k = u.contiguous(), k.contiguous()
        _, d, h, w = u.shape
        out = torch.empty_like(u)
        n = u.numel()
        _heat[(triton.cdiv(n, 512),)](u, k, out, d, h, w, n, self.dt, BLOCK=512, num_warps=4)
        return out
