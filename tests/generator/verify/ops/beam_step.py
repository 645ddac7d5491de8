"""One step of beam search: the best continuations, their scores and the histories they extend."""

import torch
from torch import nn

B, W, V, L = 8, 8, 4096, 64


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logp, scores, history):
        b, w, v = logp.shape
        all_ = (scores[..., None] + logp).reshape(b, w * v)
        best, idx = torch.sort(all_, dim=-1, descending=True, stable=True)
        best, idx = best[:, :w], idx[:, :w]
        parent, tok = idx // v, idx % v
        old = history.gather(1, parent[..., None].expand(b, w, history.shape[2]))
        return best, torch.cat([old, tok[..., None]], dim=2)


def get_inputs():
    logp = torch.log_softmax(torch.randn(B, W, V), -1)
    return [logp, torch.randn(B, W) * 0.1 - 20.0, torch.randint(0, V, (B, W, L))]


def get_init_inputs():
    return []
