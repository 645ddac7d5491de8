"""One query per sequence against a paged cache of keys and values."""

import torch
from torch import nn

batch = 4
heads = 2
dim = 32
pages = 64
page = 16
per_seq = 8


class Model(nn.Module):
    def forward(self, q, kc, vc, table, lens):
        k = kc[table].flatten(1, 2)
        v = vc[table].flatten(1, 2)
        s = torch.einsum("bhd,bthd->bht", q, k) * q.shape[-1] ** -0.5
        gone = torch.arange(k.shape[1], device=q.device) >= lens.unsqueeze(-1)
        return torch.einsum(
            "bht,bthd->bhd", torch.softmax(s.masked_fill(gone.unsqueeze(1), float("-inf")), -1), v
        )


def get_inputs():
    return [
        torch.randn(batch, heads, dim),
        torch.randn(pages, page, heads, dim),
        torch.randn(pages, page, heads, dim),
        torch.randint(0, pages, (batch, per_seq)),
        torch.randint(1, per_seq * page + 1, (batch,)),
    ]


def get_init_inputs():
    return []
