"""A Kalman filter of one state through layers of a detector, with hits missing."""

import torch
import torch.nn as nn

TRACKS = 16384
LAYERS = 24


class Model(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.transport = nn.Parameter(1.0 + 0.02 * torch.randn(layers))
        self.root_noise = nn.Parameter(0.3 + 0.05 * torch.randn(layers))

    def forward(self, hit, sigma, seen):
        noise = self.root_noise * self.root_noise
        x = torch.zeros_like(hit[:, 0])
        p = torch.full_like(x, 100.0)
        chi2 = torch.zeros_like(x)
        states = []
        for layer in range(hit.shape[1]):
            a = self.transport[layer]
            r = sigma[:, layer] * sigma[:, layer] + 1e-4
            x = x * a
            p = p * a * a + noise[layer]
            total = p + r
            gain = p / total
            residual = hit[:, layer] - x
            live = seen[:, layer]
            x = torch.where(live, x + gain * residual, x)
            chi2 = torch.where(live, chi2 + residual * residual / total, chi2)
            p = torch.where(live, gain * r, p)
            states.append(x)
        return torch.stack(states, 1), x, p, chi2


def get_inputs():
    return [
        torch.randn(TRACKS, LAYERS),
        0.3 + 0.4 * torch.rand(TRACKS, LAYERS),
        torch.rand(TRACKS, LAYERS) < 0.9,
    ]


def get_init_inputs():
    return [LAYERS]
