"""Causal attention of a chunk of queries over a longer context, with a learnt sink per head."""

import torch
from torch import nn

BATCH = 1
HEADS = 16
CHUNK = 512
CONTEXT = 2048
HEAD_DIM = 64


class Model(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.sinks = nn.Parameter(torch.zeros(heads))

    def forward(self, q, k, v):
        tq, tk = q.shape[2], k.shape[2]
        s = torch.matmul(q.float(), k.float().transpose(-1, -2)) * q.shape[-1] ** -0.5
        i = torch.arange(tq, device=q.device)[:, None] + (tk - tq)
        j = torch.arange(tk, device=q.device)[None, :]
        s = s.masked_fill(j > i, float("-inf"))
        sink = self.sinks.float()[None, :, None, None].expand(s.shape[0], -1, tq, 1)
        p = torch.cat([s, sink], -1).softmax(-1)[..., :-1]
        return torch.matmul(p, v.float()).to(q.dtype)


def get_inputs():
    return [
        torch.randn(BATCH, HEADS, CHUNK, HEAD_DIM).half(),
        torch.randn(BATCH, HEADS, CONTEXT, HEAD_DIM).half(),
        torch.randn(BATCH, HEADS, CONTEXT, HEAD_DIM).half(),
    ]


def get_init_inputs():
    return [HEADS]
