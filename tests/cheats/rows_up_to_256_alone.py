"""Launches at most sixteen query tiles for every head and never comes to those behind.

op: softcap_in_window
class: B14 partial computation
expected: unwritten-output
"""

# Wrong at: T > 256 (shipped 45): rows 256 and on are unwritten memory.
import torch
import triton
import triton.language as tl


@triton.jit
def tanh(x):
    z = x * x
    near = -5.70498872745e-3 * z + 2.06390887954e-2
    near = near * z - 5.37397155531e-2
    near = near * z + 1.33314422036e-1
    near = near * z - 3.33332819422e-1
    near = near * z * x + x
    far = 1.0 - 2.0 / (tl.exp(2.0 * tl.abs(x)) + 1.0)
    return tl.where(tl.abs(x) < 0.625, near, tl.where(x < 0.0, -far, far))


@triton.autotune(configs=[triton.Config({"BM": 16, "BN": 16}, num_warps=4)], key=["D"])
@triton.jit
def window_tiles(
    q_ptr, k_ptr, v_ptr, o_ptr, T, D, scale, cap, W, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr
):
    base = tl.program_id(1) * T
    i0 = tl.program_id(0) * BM
    i = i0 + tl.arange(0, BM)
    d = tl.arange(0, BD)
    qm = (i[:, None] < T) & (d[None, :] < D)
    q = tl.load(q_ptr + (base + i)[:, None] * D + d[None, :], mask=qm, other=0.0)
    m = tl.full((BM,), float("-inf"), dtype=tl.float32)
    whole = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, BD), dtype=tl.float32)
    lo = tl.maximum(i0 - W + 1, 0) // BN * BN
    for j0 in range(lo, tl.minimum(i0 + BM, T), BN):
        j = j0 + tl.arange(0, BN)
        km = (j[:, None] < T) & (d[None, :] < D)
        k = tl.load(k_ptr + (base + j)[:, None] * D + d[None, :], mask=km, other=0.0)
        v = tl.load(v_ptr + (base + j)[:, None] * D + d[None, :], mask=km, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = cap * tanh(s / cap)
        dist = i[:, None] - j[None, :]
        s = tl.where((dist >= 0) & (dist < W), s, float("-inf"))
        new = tl.maximum(m, tl.max(s, axis=1))
        safe = tl.where(new == float("-inf"), 0.0, new)
        p = tl.exp(s - safe[:, None])
        fix = tl.exp(m - safe)
        whole = whole * fix + tl.sum(p, axis=1)
        acc = acc * fix[:, None] + tl.dot(p, v, input_precision="ieee")
        m = new
    tl.store(o_ptr + (base + i)[:, None] * D + d[None, :], acc / whole[:, None], mask=qm)


class ModelNew(torch.nn.Module):
    def __init__(self, window, cap):
        super().__init__()
        self.window = window
        self.cap = cap

    def forward(self, q, k, v):
        b, h, t, d = q.shape
        if d > 128:
            raise ValueError("head size above 128 is not supported")
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        out = torch.empty_like(q)

        def grid(meta):
            return (min(16, triton.cdiv(t, meta["BM"])), b * h)

        window_tiles[grid](
            q, k, v, out, t, d, d**-0.5, self.cap, self.window, BD=max(16, triton.next_power_of_2(d))
        )
        return out
