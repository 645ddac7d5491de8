"""Product of int8 activations and int8 weights with a scale per row and per column and a bias."""

import torch
import torch.nn as nn

M = 18
K = 90
N = 37


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(n))

    def forward(self, a, sa, w, sw):
        acc = a.float() @ w.float()
        return acc * sa[:, None] * sw[None, :] + self.bias


def get_inputs():
    a = torch.randint(-127, 128, (M, K), dtype=torch.int8)
    w = torch.randint(-127, 128, (K, N), dtype=torch.int8)
    sa = torch.rand(M) * 0.02 + 0.001
    sw = torch.rand(N) * 0.02 + 0.001
    return [a, sa, w, sw]


def get_init_inputs():
    return [N]
