"""One program a path walks all events in order with its count in a register; another ors the paths.

op: trigger_menu
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _walk(words, require, veto, prescale, counter, accept, taken, n, paths, nw, E: tl.constexpr):
    p = tl.program_id(0)
    ps = tl.load(prescale + p)
    run = tl.load(counter + p)
    kept = tl.zeros((E,), tl.int64)
    for e0 in range(0, n, E):
        e = e0 + tl.arange(0, E)
        live = e < n
        f = live
        for k in range(0, nw):
            w = tl.load(words + e * nw + k, mask=live, other=0)
            r = tl.load(require + p * nw + k)
            v = tl.load(veto + p * nw + k)
            f = f & ((w & r) == r) & ((w & v) == 0)
        one = f.to(tl.int64)
        count = run + tl.cumsum(one, axis=0)
        a = f & (count % ps == 0)
        tl.store(accept + e * paths + p, a.to(tl.uint8), mask=live)
        kept += a.to(tl.int64)
        run += tl.sum(one, axis=0)
    tl.store(taken + p, tl.sum(kept, axis=0))
    tl.store(counter + p, run)


@triton.jit
def _either(accept, some, n, paths, E: tl.constexpr, P: tl.constexpr):
    e = tl.program_id(0) * E + tl.arange(0, E)
    top = tl.zeros((E, P), tl.uint8)
    for p0 in range(0, paths, P):
        p = p0 + tl.arange(0, P)
        ok = (e < n)[:, None] & (p < paths)[None, :]
        top |= tl.load(accept + e[:, None] * paths + p[None, :], mask=ok, other=0)
    tl.store(some + e, tl.max(top.to(tl.int32), axis=1).to(tl.uint8), mask=e < n)


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
        accept = torch.empty((n, paths), dtype=torch.bool, device=words.device)
        some = torch.empty((n,), dtype=torch.bool, device=words.device)
        taken = torch.empty((paths,), dtype=torch.int64, device=words.device)
        _walk[(paths,)](
            words,
            self.require,
            self.veto,
            self.prescale,
            self.counter,
            accept.view(torch.uint8),
            taken,
            n,
            paths,
            nw,
            E=512,
        )
        _either[(triton.cdiv(n, 64),)](accept.view(torch.uint8), some.view(torch.uint8), n, paths, E=64, P=32)
        return accept, taken, some
