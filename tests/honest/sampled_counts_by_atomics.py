"""Tokens counted by atomics in a zeroed table, then one elementwise kernel.

op: sampling_penalties
class: integer atomics, two kernels
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def count(tokens, lengths, counts, n, vocab, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    live = (i < n) & (i < tl.load(lengths + b))
    t = tl.load(tokens + b * n + i, mask=live, other=0)
    tl.atomic_add(counts + b * vocab + t, tl.full((BLOCK,), 1, tl.int32), mask=live)


@triton.jit
def apply(logits, counts, out, total, rep, freq, pres, temp, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < total
    z = tl.load(logits + i, mask=m, other=0.0)
    c = tl.load(counts + i, mask=m, other=0).to(tl.float32)
    seen = c > 0
    z = tl.where(seen, tl.where(z > 0, z / rep, z * rep), z)
    z = z - freq * c - tl.where(seen, pres, 0.0)
    tl.store(out + i, z / temp, mask=m)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.repetition = 1.3
        self.frequency = 0.2
        self.presence = 0.4
        self.temperature = 0.8

    def forward(self, logits, tokens, lengths):
        logits, tokens, lengths = logits.contiguous(), tokens.contiguous(), lengths.contiguous()
        b, vocab = logits.shape
        n = tokens.shape[1]
        counts = torch.zeros((b, vocab), dtype=torch.int32, device=logits.device)
        out = torch.empty_like(logits)
        count[(b, triton.cdiv(n, 128))](tokens, lengths, counts, n, vocab, BLOCK=128)
        apply[(triton.cdiv(logits.numel(), 256),)](
            logits,
            counts,
            out,
            logits.numel(),
            self.repetition,
            self.frequency,
            self.presence,
            self.temperature,
            BLOCK=256,
        )
        return out
