"""One decode step of grouped-query attention over a paged cache, with a length for each sequence."""

import torch
from torch import nn

BATCH = 4
HEADS = 8
KV_HEADS = 2
HEAD_DIM = 32
PAGE = 16
MAX_PAGES = 8
NUM_PAGES = 120


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k_pages, v_pages, block_table, lengths):
        batch, heads, dim = q.shape
        kv_heads = k_pages.shape[2]
        total = block_table.shape[1] * k_pages.shape[1]
        keep = torch.arange(total, device=q.device)[None, :] < lengths[:, None]
        k = k_pages[block_table].reshape(batch, total, kv_heads, dim)
        v = v_pages[block_table].reshape(batch, total, kv_heads, dim)
        v = v.masked_fill(~keep[:, :, None, None], 0.0)
        grouped = q.reshape(batch, kv_heads, heads // kv_heads, dim)
        scores = torch.einsum("bhgd,bshd->bhgs", grouped, k) * dim**-0.5
        scores = scores.masked_fill(~keep[:, None, None, :], float("-inf"))
        probs = torch.softmax(scores, dim=-1).masked_fill(~keep[:, None, None, :], 0.0)
        return torch.einsum("bhgs,bshd->bhgd", probs, v).reshape(batch, heads, dim)


def get_inputs():
    return [
        torch.randn(BATCH, HEADS, HEAD_DIM),
        torch.randn(NUM_PAGES, PAGE, KV_HEADS, HEAD_DIM),
        torch.randn(NUM_PAGES, PAGE, KV_HEADS, HEAD_DIM),
        torch.randint(0, NUM_PAGES, (BATCH, MAX_PAGES)),
        torch.randint(0, MAX_PAGES * PAGE + 1, (BATCH,)),
    ]


def get_init_inputs():
    return []
