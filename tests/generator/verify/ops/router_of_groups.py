"""Experts of the best groups alone by biased scores, their shares, and their places."""

import torch
from torch import nn

TOKENS = 96
EXPERTS = 32
GROUPS = 4
KEEP = 2
TOPK = 4


class Model(nn.Module):
    def __init__(self, experts, groups, keep, topk):
        super().__init__()
        self.groups = groups
        self.keep = keep
        self.topk = topk
        self.bias = nn.Parameter(torch.randn(experts) * 0.1)

    def forward(self, logits):
        n, e = logits.shape
        scores = torch.sigmoid(logits)
        biased = scores + self.bias
        g = biased.view(n, self.groups, -1)
        gs = g.amax(-1)
        gi = torch.topk(gs, self.keep, dim=-1)[1]
        m = torch.zeros_like(gs).scatter_(1, gi, 1.0).bool()
        masked = g.masked_fill(~m.unsqueeze(-1), float("-inf")).reshape(n, e)
        idx = torch.topk(masked, self.topk, dim=-1)[1]
        w = scores.gather(1, idx)
        return w / (w.sum(-1, keepdim=True) + 1e-20), idx


def get_inputs():
    return [torch.randn(TOKENS, EXPERTS)]


def get_init_inputs():
    return [EXPERTS, GROUPS, KEEP, TOPK]
