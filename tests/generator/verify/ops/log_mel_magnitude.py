import torch
import torch.nn as nn

BATCH = 2
N_FREQ = 65
FRAMES = 50
N_MELS = 20


def triangles(n_mels, n_freq):
    points = torch.linspace(0.0, 1.0, n_mels + 2) ** 1.5 * (n_freq - 1)
    f = torch.arange(n_freq, dtype=torch.float32)[None, :]
    left, centre, right = points[:-2, None], points[1:-1, None], points[2:, None]
    up = (f - left) / (centre - left).clamp(min=0.5)
    down = (right - f) / (right - centre).clamp(min=0.5)
    return torch.minimum(up, down).clamp(min=0.0)


class Model(nn.Module):
    """Log mel spectrogram from the real and imaginary parts of a transform."""

    def __init__(self, n_mels, n_freq):
        super().__init__()
        self.register_buffer("filters", triangles(n_mels, n_freq))

    def forward(self, real, imag):
        magnitude = torch.hypot(real, imag)
        mel = torch.matmul(self.filters, magnitude)
        return torch.log(mel + 1e-4)


def get_inputs():
    return [torch.randn(BATCH, N_FREQ, FRAMES), torch.randn(BATCH, N_FREQ, FRAMES)]


def get_init_inputs():
    return [N_MELS, N_FREQ]
