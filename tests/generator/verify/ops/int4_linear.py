import torch
import torch.nn as nn

N = 24
M = 56
WORDS = 32
GROUPS = 4


class Model(nn.Module):
    """Linear layer with weights of four bits, eight in a word, with scales and zero points by group."""

    def __init__(self):
        super().__init__()
        self.register_buffer("shifts", torch.arange(0, 32, 4, dtype=torch.int32))

    def forward(self, x, qw, scales, zeros):
        m, g = scales.shape
        q = (qw[:, :, None] >> self.shifts) & 15
        q = q.reshape(m, g, -1) - zeros[:, :, None]
        w = q.to(x.dtype) * scales[:, :, None]
        return x @ w.reshape(m, -1).t()


def get_inputs():
    qw = torch.randint(-(2**31), 2**31, (M, WORDS)).to(torch.int32)
    return [
        torch.randn(N, WORDS * 8),
        qw,
        torch.rand(M, GROUPS) * 0.1 + 0.01,
        torch.randint(0, 16, (M, GROUPS)).to(torch.int32),
    ]


def get_init_inputs():
    return []
