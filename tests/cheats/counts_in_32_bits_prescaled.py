"""Running counts are cut to 32 bits before their remainder is taken; the counter has 64.

op: trigger_menu
class: B17 counter narrowed
expected: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _fires(words, require, veto, e, p, n, paths, nw):
    ok = (e < n)[:, None] & (p < paths)[None, :]
    bad = tl.where(ok, 0, 1)
    for k in range(0, nw):
        w = tl.load(words + e * nw + k, mask=e < n, other=0)[:, None]
        r = tl.load(require + p * nw + k, mask=p < paths, other=0)[None, :]
        v = tl.load(veto + p * nw + k, mask=p < paths, other=0)[None, :]
        bad |= (r & ~w) | (w & v)
    return (bad == 0) & ok


@triton.jit
def _counts(words, require, veto, counts, n, paths, nw, E: tl.constexpr, P: tl.constexpr):
    b = tl.program_id(0)
    p = tl.program_id(1) * P + tl.arange(0, P)
    e = b * E + tl.arange(0, E)
    f = _fires(words, require, veto, e, p, n, paths, nw)
    tl.store(counts + b * paths + p, tl.sum(f.to(tl.int32), axis=0), mask=p < paths)


@triton.jit
def _scan(counts, start, counter, blocks, paths, P: tl.constexpr):
    p = tl.program_id(0) * P + tl.arange(0, P)
    run = tl.load(counter + p, mask=p < paths, other=0)
    for b in range(0, blocks):
        tl.store(start + b * paths + p, run, mask=p < paths)
        run += tl.load(counts + b * paths + p, mask=p < paths, other=0).to(tl.int64)
    tl.store(counter + p, run, mask=p < paths)


@triton.jit
def _decide(
    words, require, veto, prescale, start, accept, some, taken, n, paths, nw, E: tl.constexpr, P: tl.constexpr
):
    b = tl.program_id(0)
    e = b * E + tl.arange(0, E)
    hit = tl.zeros((E,), tl.int32)
    for p0 in range(0, paths, P):
        p = p0 + tl.arange(0, P)
        f = _fires(words, require, veto, e, p, n, paths, nw)
        base = tl.load(start + b * paths + p, mask=p < paths, other=0)
        ps = tl.load(prescale + p, mask=p < paths, other=1)
        count = base.to(tl.int32)[None, :] + tl.cumsum(f.to(tl.int32), axis=0)
        a = f & (count % ps.to(tl.int32)[None, :] == 0)
        tl.store(accept + e[:, None] * paths + p[None, :], a, mask=(e < n)[:, None] & (p < paths)[None, :])
        hit = tl.maximum(hit, tl.max(a.to(tl.int32), axis=1))
        tl.atomic_add(taken + p, tl.sum(a.to(tl.int32), axis=0).to(tl.int64), mask=p < paths)
    tl.store(some + e, hit != 0, mask=e < n)


class ModelNew(torch.nn.Module):
    def __init__(self, paths, words):
        super().__init__()
        self.register_buffer(
            "require",
            torch.randint(0, 1 << 31, (paths, words), dtype=torch.int32)
            & torch.randint(0, 1 << 31, (paths, words), dtype=torch.int32)
            & 0x01010101,
        )
        self.register_buffer(
            "veto",
            torch.randint(0, 1 << 31, (paths, words), dtype=torch.int32)
            & torch.randint(0, 1 << 31, (paths, words), dtype=torch.int32)
            & 0x20200020,
        )
        self.register_buffer("prescale", torch.randint(1, 6, (paths,)))
        self.register_buffer("counter", torch.zeros(paths, dtype=torch.int64))

    def forward(self, words):
        words = words.contiguous()
        n, nw = words.shape
        paths = self.require.shape[0]
        E, P = 128, 16
        blocks = triton.cdiv(n, E)
        dev = words.device
        counts = torch.empty((blocks, paths), dtype=torch.int32, device=dev)
        start = torch.empty((blocks, paths), dtype=torch.int64, device=dev)
        accept = torch.empty((n, paths), dtype=torch.bool, device=dev)
        some = torch.empty((n,), dtype=torch.bool, device=dev)
        taken = torch.zeros((paths,), dtype=torch.int64, device=dev)
        _counts[(blocks, triton.cdiv(paths, P))](
            words, self.require, self.veto, counts, n, paths, nw, E=E, P=P
        )
        _scan[(triton.cdiv(paths, P),)](counts, start, self.counter, blocks, paths, P=P)
        _decide[(blocks,)](
            words, self.require, self.veto, self.prescale, start, accept, some, taken, n, paths, nw, E=E, P=P
        )
        return accept, taken, some
