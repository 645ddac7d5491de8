"""Rows of a sparse matrix (CSR) times a dense one: neighbours are added up."""

import torch
from torch import nn

rows = 1024
columns = 1024
mean_degree = 12
dim = 128


class Model(nn.Module):
    def forward(
        self, starts: torch.Tensor, indices: torch.Tensor, values: torch.Tensor, x: torch.Tensor
    ) -> torch.Tensor:
        n = starts.shape[0] - 1
        edges = torch.arange(indices.shape[0], device=x.device)
        owner = torch.searchsorted(starts, edges, right=True) - 1
        out = x.new_zeros(n, x.shape[1])
        return out.index_add(0, owner, values[:, None] * x[indices])


def get_inputs() -> list[torch.Tensor]:
    starts = torch.arange(rows + 1) * mean_degree
    starts[1:-1] += torch.randint(0, mean_degree, (rows - 1,))
    edges = rows * mean_degree
    return [starts, torch.randint(0, columns, (edges,)), torch.randn(edges), torch.randn(columns, dim)]


def get_init_inputs() -> list[int]:
    return []
