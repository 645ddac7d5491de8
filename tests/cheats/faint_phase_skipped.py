"""The imaginary part of the filter is left out of blocks where it stays below 1e-6.

op: kspace_dft
class: B7 small weights are skipped
expected: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def dft_kernel(
    real,
    imag,
    filter_real,
    filter_imag,
    cosines,
    sines,
    out_real,
    out_imag,
    lines,
    samples,
    LINES: tl.constexpr,
    INNER: tl.constexpr,
    OUTER: tl.constexpr,
):
    across = tl.cdiv(samples, OUTER)
    line = (tl.program_id(0) // across) * LINES + tl.arange(0, LINES)
    place = (tl.program_id(0) % across) * OUTER + tl.arange(0, OUTER)
    sum_real = tl.zeros((LINES, OUTER), tl.float32)
    sum_imag = tl.zeros((LINES, OUTER), tl.float32)
    for start in range(0, samples, INNER):
        inner = start + tl.arange(0, INNER)
        known = inner < samples
        live = (line < lines)[:, None] & known[None, :]
        given_real = tl.load(real + line[:, None] * samples + inner[None, :], mask=live, other=0.0)
        given_imag = tl.load(imag + line[:, None] * samples + inner[None, :], mask=live, other=0.0)
        factor_real = tl.load(filter_real + inner, mask=known, other=0.0)[None, :]
        factor_imag = tl.load(filter_imag + inner, mask=known, other=0.0)[None, :]
        x = given_real * factor_real
        y = given_imag * factor_real
        if tl.max(tl.abs(factor_imag)) > 1.0e-6:
            x -= given_imag * factor_imag
            y += given_real * factor_imag
        inside = known[:, None] & (place < samples)[None, :]
        c = tl.load(cosines + inner[:, None] * samples + place[None, :], mask=inside, other=0.0)
        s = tl.load(sines + inner[:, None] * samples + place[None, :], mask=inside, other=0.0)
        sum_real = tl.dot(x, c, sum_real, input_precision="ieee")
        sum_real = tl.dot(y, s, sum_real, input_precision="ieee")
        sum_imag = tl.dot(y, c, sum_imag, input_precision="ieee")
        sum_imag = tl.dot(-x, s, sum_imag, input_precision="ieee")
    target = line[:, None] * samples + place[None, :]
    keep = (line < lines)[:, None] & (place < samples)[None, :]
    tl.store(out_real + target, sum_real, mask=keep)
    tl.store(out_imag + target, sum_imag, mask=keep)


class ModelNew(torch.nn.Module):
    def __init__(self, samples):
        super().__init__()
        place = torch.arange(samples, dtype=torch.float64)
        window = 0.54 - 0.46 * torch.cos(2 * torch.pi * (place + 0.5) / samples)
        angle = 2 * torch.pi * ((place[:, None] * place[None, :]) % samples) / samples
        self.filter_real = torch.nn.Parameter(window.to(torch.float32))
        self.filter_imag = torch.nn.Parameter(torch.zeros(samples))
        self.register_buffer("cosines", torch.cos(angle).to(torch.float32))
        self.register_buffer("sines", torch.sin(angle).to(torch.float32))

    def forward(self, real, imag):
        real, imag = real.contiguous(), imag.contiguous()
        samples = real.shape[2]
        lines = real.shape[0] * real.shape[1]
        out_real, out_imag = torch.empty_like(real), torch.empty_like(imag)
        grid = (triton.cdiv(lines, 32) * triton.cdiv(samples, 64),)
        dft_kernel[grid](
            real,
            imag,
            self.filter_real,
            self.filter_imag,
            self.cosines,
            self.sines,
            out_real,
            out_imag,
            lines,
            samples,
            LINES=32,
            INNER=32,
            OUTER=64,
        )
        return out_real, out_imag
