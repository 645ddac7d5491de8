import torch
from torch import nn

NODES = 1024
NEIGHBOURS = 16
DIM = 64


class Model(nn.Module):
    """Attention of a node over its first degree[n] neighbours; nodes without any get zero."""

    def __init__(self, dim):
        super().__init__()
        self.scale = dim**-0.5

    def forward(self, q, h, nbr, degree):
        k = h[nbr]
        s = (k * q[:, None, :]).sum(dim=2) * self.scale
        ok = torch.arange(nbr.shape[1])[None, :] < degree[:, None]
        p = torch.softmax(s.masked_fill(~ok, float("-inf")), dim=1)
        out = (p[:, :, None] * k.masked_fill(~ok[:, :, None], 0.0)).sum(dim=1)
        return torch.where((degree > 0)[:, None], out, torch.zeros_like(out))


def get_inputs():
    return [
        torch.randn(NODES, DIM),
        torch.randn(NODES, DIM),
        torch.randint(0, NODES, (NODES, NEIGHBOURS)),
        torch.randint(0, NEIGHBOURS + 1, (NODES,)),
    ]


def get_init_inputs():
    return [DIM]
