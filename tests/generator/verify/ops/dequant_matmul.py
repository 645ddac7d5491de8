"""Weight-only quantised linear: 8-bit codes with scale and zero point of each output, fp16 activations."""

import torch
from torch import nn

rows = 64
inputs = 256
outputs = 192


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.register_buffer("code", torch.randint(0, 256, (outputs, inputs), dtype=torch.uint8))
        self.register_buffer(
            "scale",
            torch.full((outputs, 1), 0.0002, dtype=torch.float16) + (torch.rand(outputs, 1) * 0.0002).half(),
        )
        self.register_buffer("zero", torch.full((outputs, 1), 128, dtype=torch.uint8))

    def forward(self, x):
        return x @ ((self.code.to(x.dtype) - self.zero.to(x.dtype)) * self.scale).t()


def get_inputs():
    return [torch.randn(rows, inputs, dtype=torch.float16)]


def get_init_inputs():
    return [inputs, outputs]
