"""RMS norm of each head's query and key (Qwen3), bf16, two weights, two outputs."""

import torch
from torch import nn

tokens = 1024
heads = 32
key_heads = 8
head_dim = 64
eps = 1e-6


class Model(nn.Module):
    def __init__(self, head_dim, eps):
        super().__init__()
        self.q_norm = nn.RMSNorm(head_dim, eps=eps, dtype=torch.bfloat16)
        self.k_norm = nn.RMSNorm(head_dim, eps=eps, dtype=torch.bfloat16)

    def forward(self, q, k):
        return self.q_norm(q), self.k_norm(k)


def get_inputs():
    return [
        torch.randn(tokens, heads, head_dim).bfloat16(),
        torch.randn(tokens, key_heads, head_dim).bfloat16(),
    ]


def get_init_inputs():
    return [head_dim, eps]
