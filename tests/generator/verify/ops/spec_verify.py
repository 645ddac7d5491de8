"""How many drafted tokens are accepted in a row, and what the next one is drawn from."""

import torch
from torch import nn

B, K, V = 16, 16, 8192


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, target, draft, tokens, u):
        b, k, v = draft.shape
        p = target[:, :k].gather(2, tokens[..., None])[..., 0]
        q = draft.gather(2, tokens[..., None])[..., 0]
        ok = (u * q < p).long()
        n = torch.cumprod(ok, dim=1).sum(1)
        row = n[:, None, None].expand(b, 1, v)
        t = target.gather(1, row)[:, 0]
        d = torch.cat([draft, torch.zeros_like(draft[:, :1])], dim=1).gather(1, row)[:, 0]
        r = torch.clamp(t - d, min=0.0)
        return n, r / r.sum(-1, keepdim=True)


def get_inputs():
    target = torch.softmax(torch.randn(B, K + 1, V) * 4, -1)
    draft = torch.softmax(torch.randn(B, K, V) * 4, -1)
    tokens = torch.randint(0, V, (B, K))
    return [target, draft, tokens, torch.rand(B, K)]


def get_init_inputs():
    return []
