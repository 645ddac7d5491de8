"""The first share is stored, and later ones are added by atomics, in no order.

op: nbody_alive
class: B18 races
expected: race
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _put(p, v, ok, alive, head):
    if head:
        tl.store(p, tl.where(alive, v, 0.0), mask=ok)
    else:
        tl.atomic_add(p, v, mask=alive)


@triton.jit
def _share(pos_ptr, m_ptr, a_ptr, out_ptr, p0, p1, m0, a0, N, eps2, BI: tl.constexpr, BJ: tl.constexpr):
    i = tl.program_id(0) * BI + tl.arange(0, BI)
    j = tl.program_id(1) * BJ + tl.arange(0, BJ)
    ia = tl.load(a_ptr + i * a0, mask=i < N, other=0) != 0
    ja = tl.load(a_ptr + j * a0, mask=j < N, other=0) != 0
    head = tl.program_id(1) == 0
    if head | (tl.sum(ja.to(tl.int32), axis=0) > 0):
        m = tl.load(m_ptr + j * m0, mask=ja, other=0.0)
        r2 = tl.full((BI, BJ), eps2, tl.float32)
        for k in tl.static_range(3):
            a = tl.load(pos_ptr + i * p0 + k * p1, mask=ia, other=0.0)
            b = tl.load(pos_ptr + j * p0 + k * p1, mask=ja, other=0.0)
            d = b[None, :] - a[:, None]
            r2 += d * d
        inv = tl.rsqrt(r2)
        w = m[None, :] * inv
        _put(out_ptr + 3 * N + i, -tl.sum(w, axis=1), i < N, ia, head)
        f = w * inv * inv
        for k in tl.static_range(3):
            a = tl.load(pos_ptr + i * p0 + k * p1, mask=ia, other=0.0)
            b = tl.load(pos_ptr + j * p0 + k * p1, mask=ja, other=0.0)
            _put(out_ptr + 3 * i + k, tl.sum(f * (b[None, :] - a[:, None]), axis=1), i < N, ia, head)


class ModelNew(torch.nn.Module):
    def __init__(self, eps2):
        super().__init__()
        self.eps2 = eps2

    def forward(self, pos, mass, alive):
        n = pos.shape[0]
        if n > 65535 * 256:
            raise ValueError("more than 65535 * 256 bodies are not supported")
        buf = torch.empty((4 * n,), dtype=torch.float32, device=pos.device)
        _share[(triton.cdiv(n, 32), triton.cdiv(n, 256))](
            pos,
            mass,
            alive,
            buf,
            pos.stride(0),
            pos.stride(1),
            mass.stride(0),
            alive.stride(0),
            n,
            self.eps2,
            BI=32,
            BJ=256,
        )
        return buf[: 3 * n].view(n, 3).clone(), buf[3 * n :].clone()
