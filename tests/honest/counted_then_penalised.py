"""Counts by atomics in one launch, penalties in the next.

op: count_penalties
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def tally(said_ptr, len_ptr, count_ptr, V, L, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    live = (at < tl.load(len_ptr + b)) & (at < L)
    word = tl.load(said_ptr + b * L + at, mask=live, other=0)
    tl.atomic_add(count_ptr + b * V + word, tl.full([BLOCK], 1, dtype=tl.int64), mask=live)


@triton.jit
def penalise(x_ptr, count_ptr, rep_ptr, freq_ptr, pres_ptr, out_ptr, V, TOTAL, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = at < TOTAL
    b = at // V
    x = tl.load(x_ptr + at, mask=ok, other=0.0)
    count = tl.load(count_ptr + at, mask=ok, other=0)
    rep = tl.load(rep_ptr + b, mask=ok, other=1.0)
    freq = tl.load(freq_ptr + b, mask=ok, other=0.0)
    pres = tl.load(pres_ptr + b, mask=ok, other=0.0)
    scaled = tl.where(x > 0, x / rep, x * rep)
    y = tl.where(count > 0, scaled - freq * count.to(tl.float32) - pres, x)
    tl.store(out_ptr + at, y, mask=ok)


class ModelNew(torch.nn.Module):
    def forward(self, logits, said, lens, rep, freq, pres):
        logits, said, lens = logits.contiguous(), said.contiguous(), lens.contiguous()
        rep, freq, pres = rep.contiguous(), freq.contiguous(), pres.contiguous()
        b, v = logits.shape
        length = said.shape[1]
        out = torch.empty_like(logits)
        count = torch.zeros((b, v), dtype=torch.int64, device=logits.device)
        tally[(b, triton.cdiv(length, 64))](said, lens, count, v, length, BLOCK=64)
        penalise[(triton.cdiv(b * v, 1024),)](logits, count, rep, freq, pres, out, v, b * v, BLOCK=1024)
        return out, count
