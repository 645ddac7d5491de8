"""Tiles of dot products with filters that a function of the file makes for its constructor.

op: log_mel_magnitude
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


def triangles(n_mels, n_freq):
    points = torch.linspace(0.0, 1.0, n_mels + 2) ** 1.5 * (n_freq - 1)
    f = torch.arange(n_freq, dtype=torch.float32)[None, :]
    left, centre, right = points[:-2, None], points[1:-1, None], points[2:, None]
    up = (f - left) / (centre - left).clamp(min=0.5)
    down = (right - f) / (right - centre).clamp(min=0.5)
    return torch.minimum(up, down).clamp(min=0.0)


@triton.jit
def hypotenuse(re, im):
    a = tl.abs(re)
    b = tl.abs(im)
    big = tl.where(a > b, a, b)
    small = tl.where(a > b, b, a)
    ratio = small / tl.where(big == 0.0, 1.0, big)
    size = big * tl.sqrt(1.0 + ratio * ratio)
    endless = (a == float("inf")) | (b == float("inf"))
    return tl.where(endless, float("inf"), size)


@triton.jit
def mel_kernel(re_ptr, im_ptr, w_ptr, y_ptr, M, F, T, BM: tl.constexpr, BT: tl.constexpr, BF: tl.constexpr):
    b = tl.program_id(0)
    m = tl.program_id(1) * BM + tl.arange(0, BM)
    t = tl.program_id(2) * BT + tl.arange(0, BT)
    acc = tl.zeros([BM, BT], dtype=tl.float32)
    for f0 in range(0, F, BF):
        f = f0 + tl.arange(0, BF)
        w = tl.load(w_ptr + m[:, None] * F + f[None, :], mask=(m < M)[:, None] & (f < F)[None, :], other=0.0)
        at = (b * F + f)[:, None] * T + t[None, :]
        inside = (f < F)[:, None] & (t < T)[None, :]
        re = tl.load(re_ptr + at, mask=inside, other=0.0)
        im = tl.load(im_ptr + at, mask=inside, other=0.0)
        acc += tl.dot(w, hypotenuse(re, im), input_precision="ieee")
    out = tl.log(acc + 1e-4)
    tl.store(y_ptr + (b * M + m)[:, None] * T + t[None, :], out, mask=(m < M)[:, None] & (t < T)[None, :])


class ModelNew(nn.Module):
    def __init__(self, n_mels, n_freq):
        super().__init__()
        self.register_buffer("filters", triangles(n_mels, n_freq))

    def forward(self, real, imag):
        real = real.contiguous()
        imag = imag.contiguous()
        b, f, t = real.shape
        m = self.filters.shape[0]
        y = torch.empty((b, m, t), dtype=real.dtype, device=real.device)
        mel_kernel[(b, triton.cdiv(m, 16), triton.cdiv(t, 32))](
            real, imag, self.filters, y, m, f, t, BM=16, BT=32, BF=16
        )
        return y
