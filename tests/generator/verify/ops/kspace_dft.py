"""Lines of k-space times a learned complex filter, then the discrete Fourier transform by matrices."""

import torch
import torch.nn as nn

COILS = 4
LINES = 160
SAMPLES = 256


class Model(nn.Module):
    def __init__(self, samples):
        super().__init__()
        place = torch.arange(samples, dtype=torch.float64)
        window = 0.54 - 0.46 * torch.cos(2 * torch.pi * (place + 0.5) / samples)
        angle = 2 * torch.pi * ((place[:, None] * place[None, :]) % samples) / samples
        self.filter_real = nn.Parameter(window.to(torch.float32))
        self.filter_imag = nn.Parameter(torch.zeros(samples))
        self.register_buffer("cosines", torch.cos(angle).to(torch.float32))
        self.register_buffer("sines", torch.sin(angle).to(torch.float32))

    def forward(self, real, imag):
        filtered_real = real * self.filter_real - imag * self.filter_imag
        filtered_imag = real * self.filter_imag + imag * self.filter_real
        out_real = filtered_real @ self.cosines + filtered_imag @ self.sines
        out_imag = filtered_imag @ self.cosines - filtered_real @ self.sines
        return out_real, out_imag


def get_inputs():
    return [torch.randn(COILS, LINES, SAMPLES), torch.randn(COILS, LINES, SAMPLES)]


def get_init_inputs():
    return [SAMPLES]
