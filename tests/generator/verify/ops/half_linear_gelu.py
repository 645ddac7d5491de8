"""A linear layer made half by `.half()`, tanh GELU, and a residual."""

import torch
from torch import nn
from torch.nn import functional

TOKENS = 2048
IN_FEATURES = 1024
OUT_FEATURES = 4096


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features).half()

    def forward(self, x, residual):
        y = self.linear(x)
        return functional.gelu(y, approximate="tanh") + residual


def get_inputs():
    return [torch.randn(TOKENS, IN_FEATURES).half(), torch.randn(TOKENS, OUT_FEATURES).half()]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES]
