import torch
import torch.nn as nn

N = 80


class Model(nn.Module):
    """Lower triangle of a matrix product (KernelBench 15)."""

    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return torch.tril(torch.matmul(A, B))


def get_inputs():
    return [torch.tril(torch.randn(N, N)), torch.tril(torch.randn(N, N))]


def get_init_inputs():
    return []
