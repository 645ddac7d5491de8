"""Lays out tokens by expert, stable: rows in the order of experts, counts, and where each row came from."""

import torch
from torch import nn

TOKENS = 1024
TOPK = 4
WIDTH = 1024
EXPERTS = 32


class Model(nn.Module):
    def __init__(self, experts):
        super().__init__()
        self.experts = experts

    def forward(self, x, topk_ids):
        flat = topk_ids.reshape(-1)
        order = torch.argsort(flat, stable=True)
        counts = torch.zeros(self.experts, dtype=torch.int64, device=x.device).scatter_add(
            0, flat, torch.ones_like(flat)
        )
        return x[order // topk_ids.shape[1]], counts, order


def get_inputs():
    return [torch.randn(TOKENS, WIDTH).half(), torch.randint(0, EXPERTS, (TOKENS, TOPK))]


def get_init_inputs():
    return [EXPERTS]
