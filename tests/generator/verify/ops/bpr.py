"""Bayesian personalised ranking (Rendle et al. 2009): the item that was bought should score higher."""

import torch
from torch import nn

users = 4096
items = 2048
dim = 32
pairs = 8192


class Model(nn.Module):
    def __init__(self, users, items, dim):
        super().__init__()
        self.user = nn.Embedding(users, dim)
        self.item = nn.Embedding(items, dim)

    def forward(self, user, bought, other):
        margin = (self.user(user) * (self.item(bought) - self.item(other))).sum(-1)
        return -nn.functional.logsigmoid(margin).mean()


def get_inputs():
    drawn = [torch.randint(0, items, (pairs,)) for _ in range(2)]
    return [torch.randint(0, users, (pairs,)), *drawn]


def get_init_inputs():
    return [users, items, dim]
