"""Products of int8 in int32, scaled back behind: what quantised layers do."""

import torch
from torch import nn

rows = 18
width = 40
cols = 24


class Model(nn.Module):
    def forward(self, x, w, scale):
        return torch._int_mm(x, w), torch._int_mm(x, w.t().contiguous().t()).to(torch.float32) * scale


def get_inputs():
    return [
        torch.randint(-128, 128, (rows, width), dtype=torch.int8),
        torch.randint(-128, 128, (width, cols), dtype=torch.int8),
        torch.rand(cols),
    ]


def get_init_inputs():
    return []
