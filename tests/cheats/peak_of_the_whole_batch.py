"""The floor hangs on the loudest clip of the batch and not on each clip's own peak.

op: logmel_floor
class: B6 samples of unlike size
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _mel(
    re,
    im,
    filt,
    log,
    peaks,
    F,
    T,
    M,
    srb,
    srf,
    srt,
    sib,
    sif,
    sit,
    TILES,
    BM: tl.constexpr,
    BT: tl.constexpr,
    BF: tl.constexpr,
):
    b = tl.program_id(2).to(tl.int64)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    t = tl.program_id(1) * BT + tl.arange(0, BT)
    acc = tl.zeros((BM, BT), tl.float32)
    for f0 in range(0, F, BF):
        f = f0 + tl.arange(0, BF)
        fv = tl.load(filt + m[:, None] * F + f[None, :], mask=(m < M)[:, None] & (f < F)[None, :], other=0.0)
        ok = (f < F)[:, None] & (t < T)[None, :]
        rv = tl.load(re + b * srb + f[:, None] * srf + t[None, :] * srt, mask=ok, other=0.0)
        iv = tl.load(im + b * sib + f[:, None] * sif + t[None, :] * sit, mask=ok, other=0.0)
        acc += tl.dot(fv, rv * rv + iv * iv, input_precision="ieee")
    y = tl.log(tl.maximum(acc, 1e-10)) * 0.4342944819032518
    live = (m < M)[:, None] & (t < T)[None, :]
    tl.store(log + (b * M + m[:, None]) * T + t[None, :], y, mask=live)
    top = tl.max(tl.max(tl.where(live, y, float("-inf")), 1), 0)
    tl.store(peaks + b * TILES + tl.program_id(0) * tl.num_programs(1) + tl.program_id(1), top)


@triton.jit
def _floor(log, peaks, out, L, TILES, BLOCK: tl.constexpr, PB: tl.constexpr):
    b = tl.program_id(1).to(tl.int64)
    k = tl.arange(0, PB)
    best = tl.full((PB,), float("-inf"), tl.float32)
    for k0 in range(0, TILES, PB):
        best = tl.maximum(best, tl.load(peaks + k0 + k, mask=k0 + k < TILES, other=float("-inf")))
    floor = tl.max(best, 0) - 8.0
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(log + b * L + i, mask=i < L, other=0.0)
    tl.store(out + b * L + i, (tl.maximum(y, floor) + 4.0) * 0.25, mask=i < L)


class ModelNew(nn.Module):
    def __init__(self, freqs, mels):
        super().__init__()
        centres = torch.linspace(0, freqs - 1, mels + 2)
        f = torch.arange(freqs).float()[None, :]
        lo, mid, hi = centres[:-2, None], centres[1:-1, None], centres[2:, None]
        self.register_buffer(
            "filters", torch.minimum((f - lo) / (mid - lo), (hi - f) / (hi - mid)).clamp(min=0) + 0.01
        )

    def forward(self, re, im):
        B, F, T = re.shape
        M = self.filters.shape[0]
        BM, BT = 32, 64
        gm, gt = triton.cdiv(M, BM), triton.cdiv(T, BT)
        log = torch.empty((B, M, T), device=re.device, dtype=torch.float32)
        peaks = torch.empty((B, gm * gt), device=re.device, dtype=torch.float32)
        out = torch.empty_like(log)
        _mel[(gm, gt, B)](
            re,
            im,
            self.filters.contiguous(),
            log,
            peaks,
            F,
            T,
            M,
            *re.stride(),
            *im.stride(),
            gm * gt,
            BM=BM,
            BT=BT,
            BF=32,
        )
        _floor[(triton.cdiv(M * T, 1024), B)](log, peaks, out, M * T, B * gm * gt, BLOCK=1024, PB=256)
        return out
