"""Mean of the embeddings of the first `lengths` ids of each bag (zero for an empty bag)."""

import torch
from torch import nn

VOCAB = 500
DIM = 48
BAGS = 128
MAX_LEN = 40


class Model(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(vocab, dim))

    def forward(self, ids, lengths):
        emb = nn.functional.embedding(ids, self.weight)
        keep = torch.arange(ids.shape[1], device=ids.device)[None, :] < lengths[:, None]
        total = emb.masked_fill(~keep[:, :, None], 0.0).sum(1)
        return total / lengths.clamp(min=1)[:, None].to(total.dtype)


def get_inputs():
    return [torch.randint(0, VOCAB, (BAGS, MAX_LEN)), torch.randint(0, MAX_LEN + 1, (BAGS,))]


def get_init_inputs():
    return [VOCAB, DIM]
