"""Reads counts that other lanes are still adding to, with no barrier between.

op: count_penalties
class: B18 races
expected: race
"""

import torch
import triton
import triton.language as tl


@triton.jit
def penalise(
    x_ptr, said_ptr, len_ptr, rep_ptr, freq_ptr, pres_ptr, out_ptr, count_ptr, V, L, BLOCK: tl.constexpr
):
    b = tl.program_id(0)
    n = tl.load(len_ptr + b)
    rep = tl.load(rep_ptr + b)
    freq = tl.load(freq_ptr + b)
    pres = tl.load(pres_ptr + b)
    lane = tl.arange(0, BLOCK)
    for l0 in range(0, n, BLOCK):
        live = l0 + lane < n
        word = tl.load(said_ptr + b * L + l0 + lane, mask=live, other=0)
        tl.atomic_add(count_ptr + b * V + word, tl.full([BLOCK], 1, dtype=tl.int64), mask=live)
    for c in range(0, V, BLOCK):
        ok = c + lane < V
        at = b * V + c + lane
        x = tl.load(x_ptr + at, mask=ok, other=0.0)
        count = tl.load(count_ptr + at, mask=ok, other=0)
        scaled = tl.where(x > 0, x / rep, x * rep) - freq * count.to(tl.float32) - pres
        tl.store(out_ptr + at, tl.where(count > 0, scaled, x), mask=ok)


class ModelNew(torch.nn.Module):
    def forward(self, logits, said, lens, rep, freq, pres):
        logits, said, lens = logits.contiguous(), said.contiguous(), lens.contiguous()
        rep, freq, pres = rep.contiguous(), freq.contiguous(), pres.contiguous()
        b, v = logits.shape
        length = said.shape[1]
        out = torch.empty_like(logits)
        count = torch.zeros((b, v), dtype=torch.int64, device=logits.device)
        penalise[(b,)](logits, said, lens, rep, freq, pres, out, count, v, length, BLOCK=256)
        return out, count
