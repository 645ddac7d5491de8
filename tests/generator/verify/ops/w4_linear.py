"""A linear layer of four-bit weights: eight to a word, scale and packed zero point for a group of rows."""

import torch
import torch.nn as nn

TOKENS = 32
IN = 512
OUT = 512
GROUP = 64


class Model(nn.Module):
    def __init__(self, in_features, out_features, group):
        super().__init__()
        self.group = group
        lo, hi = -(2**31), 2**31
        self.register_buffer(
            "qweight", torch.randint(lo, hi, (in_features // 8, out_features)).to(torch.int32)
        )
        self.register_buffer(
            "qzeros", torch.randint(lo, hi, (in_features // group, out_features // 8)).to(torch.int32)
        )
        self.scales = nn.Parameter(torch.rand(in_features // group, out_features) * 0.02 + 0.005)
        self.bias = nn.Parameter(torch.randn(out_features) * 0.1)

    def forward(self, x):
        r = torch.arange(x.shape[1], device=x.device)
        c = torch.arange(self.scales.shape[1], device=x.device)
        q = (self.qweight[r // 8] >> (4 * (r % 8))[:, None].to(torch.int32)) & 15
        z = (self.qzeros[:, c // 8] >> (4 * (c % 8))[None, :].to(torch.int32)) & 15
        g = r // self.group
        w = (q - z[g]).to(x.dtype) * self.scales[g]
        return x @ w + self.bias


def get_inputs():
    return [torch.randn(TOKENS, IN)]


def get_init_inputs():
    return [IN, OUT, GROUP]
