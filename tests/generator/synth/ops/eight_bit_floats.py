"""Products of 8-bit floats with scales of tensors and of rows, casts, and rows quantised by their maximum."""

import torch
from torch import nn

rows = 18
width = 40
cols = 24


class Model(nn.Module):
    def forward(self, x, w, v, scale, by_row, by_col, wide):
        one = torch._scaled_mm(x, w.t(), scale_a=scale, scale_b=scale, out_dtype=torch.float32)
        two = torch._scaled_mm(
            x, v.t(), by_row, by_col, bias=by_col[0], out_dtype=torch.bfloat16, use_fast_accum=True
        )
        largest = wide.abs().amax(dim=1, keepdim=True) / 448
        return one, two, v.float() + 1, wide.to(torch.float8_e5m2), largest, (wide / largest).to(x.dtype)


def get_inputs():
    return [
        torch.randn(rows, width).to(torch.float8_e4m3fn),
        torch.randn(cols, width).to(torch.float8_e4m3fn),
        torch.randn(cols, width).to(torch.float8_e5m2),
        torch.rand(()),
        torch.rand(rows, 1),
        torch.rand(1, cols),
        torch.randn(rows, width) * 1e4,
    ]


def get_init_inputs():
    return []
