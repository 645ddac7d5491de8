"""One program a pair sweeps the diagonals over three rows of scratch, and keeps the cell asked for.

op: word_errors
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sweep(ref, hyp, ref_len, hyp_len, work, dist, rate, n, m, BLOCK: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    work += b * 3 * (n + 1)
    word = tl.load(ref + b * n + i - 1, mask=(i >= 1) & (i <= n), other=0)
    want_i = tl.load(ref_len + b)
    want_j = tl.load(hyp_len + b)
    found = tl.zeros((BLOCK,), tl.int32)
    own = tl.zeros((BLOCK,), tl.int32)
    for d in range(0, n + m + 1):
        j = d - i
        cell = (i <= n) & (j >= 0) & (j <= m)
        inner = cell & (i > 0) & (j > 0)
        up = tl.load(work + ((d + 2) % 3) * (n + 1) + i - 1, mask=inner, other=0)
        diag = tl.load(work + ((d + 1) % 3) * (n + 1) + i - 1, mask=inner, other=0)
        other = tl.load(hyp + b * m + j - 1, mask=inner, other=0)
        step = tl.minimum(tl.minimum(up, own) + 1, diag + (word != other).to(tl.int32))
        own = tl.where(inner, step, tl.where(i == 0, j, i))
        tl.store(work + (d % 3) * (n + 1) + i, own, mask=cell)
        found = tl.where((i == want_i) & (j == want_j), own, found)
        tl.debug_barrier()
    total = tl.sum(found, axis=0)
    tl.store(dist + b, total.to(tl.int64))
    tl.store(rate + b, total.to(tl.float32) / tl.maximum(want_i, 1).to(tl.float32))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, ref, hyp, ref_len, hyp_len):
        ref, hyp, ref_len, hyp_len = (
            ref.contiguous(),
            hyp.contiguous(),
            ref_len.contiguous(),
            hyp_len.contiguous(),
        )
        batch, n = ref.shape
        m = hyp.shape[1]
        work = torch.empty(batch, 3, n + 1, dtype=torch.int32, device=ref.device)
        dist = torch.empty(batch, dtype=torch.int64, device=ref.device)
        rate = torch.empty(batch, dtype=torch.float32, device=ref.device)
        sweep[(batch,)](
            ref, hyp, ref_len, hyp_len, work, dist, rate, n, m, BLOCK=triton.next_power_of_2(n + 1)
        )
        return dist, rate
