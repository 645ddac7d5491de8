"""A scan over all splats of a pixel in one tile, more than 512 splats are refused by a ValueError.

op: gaussian_splat
class: whole row of splats in one tile, ValueError past it
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def splat_alpha(px, py, m_ptr, q_ptr, o_ptr, g, gm):
    dx = px - tl.load(m_ptr + g * 2, mask=gm, other=0.0)
    dy = py - tl.load(m_ptr + g * 2 + 1, mask=gm, other=0.0)
    a = tl.load(q_ptr + g * 3, mask=gm, other=0.0)
    b = tl.load(q_ptr + g * 3 + 1, mask=gm, other=0.0)
    c = tl.load(q_ptr + g * 3 + 2, mask=gm, other=0.0)
    power = -0.5 * (a * dx * dx + c * dy * dy) - b * dx * dy
    return tl.minimum(tl.load(o_ptr + g, mask=gm, other=0.0) * tl.exp(power), 0.99)


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def row_kernel(p_ptr, m_ptr, q_ptr, o_ptr, c_ptr, bg_ptr, out_ptr, G, BG: tl.constexpr):
    p = tl.program_id(0)
    px = tl.load(p_ptr + p * 2)
    py = tl.load(p_ptr + p * 2 + 1)
    g = tl.arange(0, BG)
    gm = g < G
    alpha = tl.where(gm, splat_alpha(px, py, m_ptr, q_ptr, o_ptr, g, gm), 0.0)
    front = (g > 0) & gm
    prev = tl.where(front, splat_alpha(px, py, m_ptr, q_ptr, o_ptr, g - 1, front), 0.0)
    w = alpha * tl.associative_scan(1.0 - prev, 0, times)
    left = tl.reduce(1.0 - alpha, 0, times)
    for k in tl.static_range(3):
        c = tl.load(c_ptr + g * 3 + k, mask=gm, other=0.0)
        tl.store(out_ptr + p * 3 + k, tl.sum(tl.where(gm, w * c, 0.0), axis=0) + left * tl.load(bg_ptr + k))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.background = nn.Parameter(torch.zeros(3))

    def forward(self, pixel, mean, conic, opacity, colour):
        pixel, mean, conic = pixel.contiguous(), mean.contiguous(), conic.contiguous()
        opacity, colour = opacity.contiguous(), colour.contiguous()
        P, G = pixel.shape[0], mean.shape[0]
        if G > 512:
            raise ValueError(f"at most 512 splats fit one tile, these are {G}")
        out = torch.empty((P, 3), dtype=pixel.dtype, device=pixel.device)
        row_kernel[(P,)](
            pixel, mean, conic, opacity, colour, self.background, out, G, BG=triton.next_power_of_2(G)
        )
        return out
