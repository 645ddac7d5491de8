import torch
import torch.nn as nn
from torch.nn import functional

V = 400
D = 72
L = 1000
B = 64
PAD = 0


class Model(nn.Module):
    """Weighted sums of embeddings over bags given by offsets; the padding id adds nothing."""

    def __init__(self, v, d):
        super().__init__()
        self.table = nn.Parameter(torch.randn(v, d))

    def forward(self, ids, offsets, w):
        return functional.embedding_bag(
            ids,
            self.table,
            offsets,
            mode="sum",
            per_sample_weights=w,
            include_last_offset=True,
            padding_idx=PAD,
        )


def get_inputs():
    avg = L // B
    off = torch.arange(B + 1) * avg + torch.randint(0, max(avg, 1), (B + 1,))
    off[0] = 0
    off[B] = L
    return [torch.randint(0, V, (L,)), off, torch.randn(L)]


def get_init_inputs():
    return [V, D]
