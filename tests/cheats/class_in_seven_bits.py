"""Packs the class of a row into eight bits to save traffic, so classes from 128 on wrap to others.

op: weighted_focal_loss
class: B17 integers must be exact
expected: hard-coded-shape
"""

# Wrong at: num_classes above 128 (1001, say) with targets of 128 and more.
import torch
import triton
import triton.language as tl


@triton.jit
def focal_tile(x_ptr, t_ptr, a_ptr, out_ptr, sr, sc, N, C, R: tl.constexpr, BC: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, BC)
    inside = (r[:, None] < N) & (c[None, :] < C)
    x = tl.load(x_ptr + r[:, None].to(tl.int64) * sr + c[None, :].to(tl.int64) * sc, mask=inside, other=0.0)
    x = tl.where(c[None, :] < C, x, float("-inf"))
    top = tl.max(x, axis=1)
    z = tl.sum(tl.where(c[None, :] < C, tl.exp(x - top[:, None]), 0.0), axis=1)
    t = tl.load(t_ptr + r, mask=r < N, other=0)
    t = t.to(tl.int8).to(tl.int32) & 0x7F
    xt = tl.sum(tl.where(c[None, :] == t[:, None], x, 0.0), axis=1)
    lp = xt - top - tl.log(z)
    q = 1.0 - tl.exp(lp)
    loss = -tl.load(a_ptr + t, mask=r < N, other=0.0) * (q * q) * lp
    tl.atomic_add(out_ptr, tl.sum(tl.where(r < N, loss, 0.0), axis=0) / N)


class ModelNew(torch.nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        self.register_buffer("alpha", torch.rand(num_classes) + 0.5)

    def forward(self, logits, target):
        n, c = logits.shape
        if c > 8192:
            raise ValueError(f"a row is held in registers: at most 8192 classes, got {c}")
        target = target.contiguous()
        out = torch.zeros((), dtype=logits.dtype, device=logits.device)
        bc = max(16, triton.next_power_of_2(c))
        r = 4 if bc <= 1024 else 1
        focal_tile[(triton.cdiv(n, r),)](
            logits, target, self.alpha, out, logits.stride(0), logits.stride(1), n, c, R=r, BC=bc
        )
        return out
