"""Counts the distance between query and key in eight bits to save registers.

op: alibi_packed
class: B15 narrow distances
expected: hard-coded-shape
"""

# Wrong at: T > 128 (shipped 39): distances of 128 and more wrap to negative ones and get a bonus.
import torch
import triton
import triton.language as tl


@triton.jit
def alibi_row(x_ptr, slope_ptr, o_ptr, sb, st, sc, T, H, D, scale, BN: tl.constexpr, BD: tl.constexpr):
    i = tl.program_id(0)
    h = tl.program_id(1)
    b = tl.program_id(2)
    d = tl.arange(0, BD)
    dm = d < D
    slope = tl.load(slope_ptr + h)
    x_ptr += b * sb
    q = tl.load(x_ptr + i * st + (h * D + d) * sc, mask=dm, other=0.0)
    m = float("-inf")
    whole = 0.0
    acc = tl.zeros((BD,), dtype=tl.float32)
    for j0 in range(0, i + 1, BN):
        j = j0 + tl.arange(0, BN)
        mask = (j[:, None] <= i) & dm[None, :]
        k = tl.load(x_ptr + j[:, None] * st + ((H + h) * D + d)[None, :] * sc, mask=mask, other=0.0)
        v = tl.load(x_ptr + j[:, None] * st + ((2 * H + h) * D + d)[None, :] * sc, mask=mask, other=0.0)
        s = tl.sum(q[None, :] * k, axis=1) * scale - slope * (i - j).to(tl.int8).to(tl.float32)
        s = tl.where(j <= i, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, axis=0))
        safe = tl.where(new == float("-inf"), 0.0, new)
        p = tl.exp(s - safe)
        fix = tl.exp(m - safe)
        whole = whole * fix + tl.sum(p, axis=0)
        acc = acc * fix + tl.sum(p[:, None] * v, axis=0)
        m = new
    tl.store(o_ptr + ((b * T + i) * H + h) * D + d, acc / whole, mask=dm)


class ModelNew(torch.nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads
        self.register_buffer(
            "slopes", 2.0 ** (-8.0 * (torch.arange(heads, dtype=torch.float32) + 1.0) / heads)
        )

    def forward(self, qkv):
        b, t, c = qkv.shape
        h = self.heads
        d = c // (3 * h)
        if d > 256:
            raise ValueError("head size above 256 is not supported")
        out = torch.empty((b, t, h * d), device=qkv.device, dtype=qkv.dtype)
        alibi_row[(t, h, b)](
            qkv,
            self.slopes,
            out,
            qkv.stride(0),
            qkv.stride(1),
            qkv.stride(2),
            t,
            h,
            d,
            d**-0.5,
            BN=16,
            BD=triton.next_power_of_2(d),
        )
        return out
