"""The count is raised in 64 bits: one at the end of 32, which wraps, counts as seen and large.

op: token_penalties
class: B6 counters that run over
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn

BLOCK = 512


@triton.jit
def penalty_kernel(
    logit_ptr,
    count_ptr,
    token_ptr,
    rep_ptr,
    freq_ptr,
    pres_ptr,
    out_ptr,
    vocab,
    slb,
    slv,
    scb,
    scv,
    stb,
    srb,
    sfb,
    spb,
    BLOCK: tl.constexpr,
):
    b = tl.program_id(0)
    v = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = v < vocab
    token = tl.load(token_ptr + b * stb)
    rep = tl.load(rep_ptr + b * srb)
    freq = tl.load(freq_ptr + b * sfb)
    pres = tl.load(pres_ptr + b * spb)
    x = tl.load(logit_ptr + b * slb + v * slv, mask=mask, other=0.0)
    count = tl.load(count_ptr + b * scb + v * scv, mask=mask, other=0)
    count = count.to(tl.int64) + (v == token).to(tl.int64)
    tl.store(count_ptr + b * scb + v * scv, count.to(tl.int32), mask=mask)
    seen = count > 0
    scaled = tl.where(x > 0, x / rep, x * rep)
    y = tl.where(seen, scaled, x) - freq * count.to(tl.float32) - pres * seen.to(tl.float32)
    tl.store(out_ptr + b * vocab + v, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, counts, tokens, repetition, frequency, presence):
        batch, vocab = logits.shape
        out = torch.empty((batch, vocab), dtype=logits.dtype, device=logits.device)
        penalty_kernel[(batch, triton.cdiv(vocab, BLOCK))](
            logits,
            counts,
            tokens,
            repetition,
            frequency,
            presence,
            out,
            vocab,
            *logits.stride(),
            *counts.stride(),
            tokens.stride(0),
            repetition.stride(0),
            frequency.stride(0),
            presence.stride(0),
            BLOCK=BLOCK,
        )
        return out
