"""Cosines of the angles between queries and prototypes, each length of which is 1e-8 at least."""

import torch
from torch import nn

queries, prototypes, dim = 64, 24, 96


class Model(nn.Module):
    def __init__(self, prototypes, dim):
        super().__init__()
        self.prototypes = nn.Parameter(torch.randn(prototypes, dim))

    def forward(self, x):
        return nn.functional.cosine_similarity(x[:, None, :], self.prototypes[None], dim=-1, eps=1e-8)


def get_inputs():
    return [torch.randn(queries, dim)]


def get_init_inputs():
    return [prototypes, dim]
