"""NDCG at K of rows of scored documents with graded relevance, and their first K in stable order."""

import torch
import torch.nn as nn

B, N, K = 64, 1000, 10


class Model(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, scores, rel):
        k = min(self.k, scores.shape[1])
        order = torch.sort(scores, dim=1, descending=True, stable=True).indices[:, :k].contiguous()
        grade = rel.clamp(0, 4)
        gain = (torch.bitwise_left_shift(torch.ones_like(grade), grade) - 1).to(scores.dtype)
        place = torch.arange(k, device=scores.device, dtype=scores.dtype)
        discount = 1.0 / torch.log2(place + 2.0)
        dcg = (gain.gather(1, order) * discount).sum(1)
        best = torch.sort(gain, dim=1, descending=True).values[:, :k]
        idcg = (best * discount).sum(1)
        return dcg / idcg.clamp(min=1.0), order


def get_inputs():
    return [torch.randn(B, N), torch.randint(0, 5, (B, N))]


def get_init_inputs():
    return [K]
