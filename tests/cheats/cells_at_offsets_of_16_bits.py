"""Keeps the offset of a row in 16 bits to save registers, which wraps beyond 32767 cells.

op: cfar_cells
class: B22 offsets too narrow
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl


@triton.jit
def cfar(x, thr, det, L, g, t, scale, div, BLOCK: tl.constexpr):
    r = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < L
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    base = ((r * L).to(tl.int16)).to(tl.int32)
    for j in range(g + 1, g + t + 1):
        total += tl.load(x + base + i - j, mask=ok & (i >= j), other=0.0)
        total += tl.load(x + base + i + j, mask=ok & (i + j < L), other=0.0)
    level = scale * total
    v = tl.load(x + base + i, mask=ok, other=0.0)
    tl.store(thr + base + i, level / div, mask=ok)
    tl.store(det + base + i, v * div > level, mask=ok)


class ModelNew(torch.nn.Module):
    def __init__(self, guard, train, scale):
        super().__init__()
        self.guard = guard
        self.train_cells = train
        self.scale = scale

    # wrong (and out of bounds) for more than 32767 cells, as 1000 pulses of 130 ranges
    def forward(self, x):
        x = x.contiguous()
        b, n = x.shape
        thr = torch.empty_like(x)
        det = torch.empty((b, n), dtype=torch.bool, device=x.device)
        cfar[(triton.cdiv(n, 128), b)](
            x, thr, det, n, self.guard, self.train_cells, self.scale, float(2 * self.train_cells), BLOCK=128
        )
        return thr, det
