"""Keeps the offsets inside one field in 16 bits to save registers.

op: heat_around_borders
class: B22 offsets too narrow
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl


# Wrong for fields of more than 32767 cells, such as 1000 x 53 (as shipped, 37 x 53, it is right).
@triton.jit
def heat(u_ptr, k_ptr, o_ptr, H, W, dt, BLOCK: tl.constexpr):
    img = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < H * W
    r = i // W
    c = i % W
    here = i.to(tl.int16)
    north = (tl.where(r == 0, H - 1, r - 1) * W + c).to(tl.int16)
    south = (tl.where(r + 1 == H, 0, r + 1) * W + c).to(tl.int16)
    west = (r * W + tl.where(c == 0, W - 1, c - 1)).to(tl.int16)
    east = (r * W + tl.where(c + 1 == W, 0, c + 1)).to(tl.int16)
    ub = u_ptr + img * H * W
    kb = k_ptr + img * H * W
    u = tl.load(ub + here, mask=m, other=0.0)
    k = tl.load(kb + here, mask=m, other=0.0)
    fe = 0.5 * (k + tl.load(kb + east, mask=m, other=0.0)) * (tl.load(ub + east, mask=m, other=0.0) - u)
    fw = 0.5 * (k + tl.load(kb + west, mask=m, other=0.0)) * (u - tl.load(ub + west, mask=m, other=0.0))
    fs = 0.5 * (k + tl.load(kb + south, mask=m, other=0.0)) * (tl.load(ub + south, mask=m, other=0.0) - u)
    fn = 0.5 * (k + tl.load(kb + north, mask=m, other=0.0)) * (u - tl.load(ub + north, mask=m, other=0.0))
    tl.store(o_ptr + img * H * W + i, u + dt * ((fe - fw) + (fs - fn)), mask=m)


class ModelNew(torch.nn.Module):
    def __init__(self, dt):
        super().__init__()
        self.dt = dt

    def forward(self, u, k):
        b, h, w = u.shape
        out = torch.empty((b, h, w), dtype=u.dtype, device=u.device)
        heat[(triton.cdiv(h * w, 128), b)](u.contiguous(), k.contiguous(), out, h, w, self.dt, BLOCK=128)
        return out
