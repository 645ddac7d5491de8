"""AdamW step with a moving average of the weights, in place; after an overflow nothing moves."""

import torch
from torch import nn

N = 1 << 20


class Model(nn.Module):
    def __init__(self, lr, b1, b2, eps, wd, decay):
        super().__init__()
        self.lr, self.b1, self.b2, self.eps, self.wd, self.decay = lr, b1, b2, eps, wd, decay

    def forward(self, p, g, m, v, ema, step, overflow):
        skip = overflow > 0
        t = (step + 1).float()
        m2 = m * self.b1 + g * (1 - self.b1)
        v2 = v * self.b2 + g * g * (1 - self.b2)
        mh = m2 / (1 - torch.pow(self.b1, t))
        vh = v2 / (1 - torch.pow(self.b2, t))
        p2 = p * (1 - self.lr * self.wd) - self.lr * mh / (torch.sqrt(vh) + self.eps)
        d = torch.clamp((1 + t) / (10 + t), max=self.decay)
        e2 = ema * d + p2 * (1 - d)
        for old, new in ((p, p2), (m, m2), (v, v2), (ema, e2), (step, step + 1)):
            old.copy_(torch.where(skip, old, new))
        return p, m, v, ema, step


def get_inputs():
    p = torch.randn(N)
    step = torch.full((1,), 100, dtype=torch.int64)
    return [
        p,
        torch.randn(N),
        torch.randn(N) * 0.1,
        torch.rand(N) * 0.1,
        torch.randn(N),
        step,
        torch.zeros(1),
    ]


def get_init_inputs():
    return [1e-3, 0.9, 0.999, 1e-8, 0.1, 0.99]
