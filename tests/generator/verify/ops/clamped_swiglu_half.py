"""A gated activation of halves, clamped on the way."""

import torch
from torch import nn

N, H = 48, 128
ALPHA = 1.702
LIMIT = 7.0


class Model(nn.Module):
    """Gate and linear part interleaved, bias, clamps, (up + 1) * gate * sigmoid(alpha * gate), of gpt-oss."""

    def __init__(self, hidden, alpha, limit):
        super().__init__()
        self.alpha = alpha
        self.limit = limit
        self.bias = nn.Parameter(torch.zeros(2 * hidden, dtype=torch.float16))

    def forward(self, x):
        y = x.float() + self.bias.float()
        gate, up = y[..., ::2], y[..., 1::2]
        gate = gate.clamp(max=self.limit)
        up = up.clamp(min=-self.limit, max=self.limit)
        return ((up + 1) * gate * torch.sigmoid(self.alpha * gate)).to(x.dtype)


def get_inputs():
    return [(3 * torch.randn(N, 2 * H)).half()]


def get_init_inputs():
    return [H, ALPHA, LIMIT]
