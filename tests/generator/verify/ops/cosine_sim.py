"""Cosine similarity of paired embeddings, float32."""

import torch
from torch import nn

pairs = 131072
dim = 768


class Model(nn.Module):
    def forward(self, x, y):
        return nn.functional.cosine_similarity(x, y, dim=-1)


def get_inputs():
    return [torch.randn(pairs, dim), torch.randn(pairs, dim)]


def get_init_inputs():
    return []
