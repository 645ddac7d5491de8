"""MoE gate: experts chosen by biased logits, renormalised by the bare ones, shared experts behind."""

import torch
from torch import nn

TOKENS = 128
EXPERTS = 16
TOPK = 4
SHARED = 2


class Model(nn.Module):
    def __init__(self, experts, topk, shared):
        super().__init__()
        self.topk = topk
        self.shared = shared
        self.bias = nn.Parameter(torch.randn(experts))

    def forward(self, logits):
        tokens, experts = logits.shape
        ids = torch.topk(logits + self.bias, self.topk, dim=-1).indices
        w = torch.softmax(logits.gather(1, ids), dim=-1)
        sid = torch.arange(experts, experts + self.shared)[None, :].expand(tokens, self.shared)
        sw = torch.ones(tokens, self.shared, dtype=w.dtype)
        return torch.cat([w, sw], dim=1), torch.cat([ids, sid], dim=1)


def get_inputs():
    return [torch.randn(TOKENS, EXPERTS)]


def get_init_inputs():
    return [EXPERTS, TOPK, SHARED]
