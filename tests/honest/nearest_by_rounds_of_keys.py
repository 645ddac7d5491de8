"""Distances in a workspace, five rounds of the least key of distance and row, and a vote by comparing labels.

op: hamming_knn
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def distance_kernel(x_ptr, train_ptr, dist_ptr, queries, train, feats, Q: tl.constexpr, T: tl.constexpr):
    q = tl.program_id(0) * Q + tl.arange(0, Q)
    t = tl.program_id(1) * T + tl.arange(0, T)
    far = tl.zeros([Q, T], dtype=tl.int32)
    for f in range(feats):
        a = tl.load(x_ptr + q * feats + f, mask=q < queries, other=0)
        b = tl.load(train_ptr + t * feats + f, mask=t < train, other=0)
        far += (a[:, None] != b[None, :]).to(tl.int32)
    tl.store(
        dist_ptr + q[:, None] * train + t[None, :], far, mask=(q < queries)[:, None] & (t < train)[None, :]
    )


@triton.jit
def vote_kernel(dist_ptr, label_ptr, out_ptr, radius_ptr, train, T: tl.constexpr):
    q = tl.program_id(0)
    slot = tl.arange(0, 8)
    rows = tl.full([8], 0, tl.int64)
    last = tl.full((), -1, tl.int64)
    radius = tl.full((), 0, tl.int64)
    for round in range(0, tl.minimum(train, 5)):
        least = tl.full([T], 0x7FFFFFFFFFFFFFFF, tl.int64)
        for first in range(0, train, T):
            t = first + tl.arange(0, T)
            far = tl.load(dist_ptr + q * train + t, mask=t < train, other=0).to(tl.int64)
            key = far * train + t
            key = tl.where((t < train) & (key > last), key, 0x7FFFFFFFFFFFFFFF)
            least = tl.minimum(least, key)
        last = tl.min(least, axis=0)
        radius = last // train
        rows = tl.where(slot == round, last % train, rows)
    used = slot < tl.minimum(train, 5)
    name = tl.load(label_ptr + rows, mask=used, other=-1)
    same = (name[:, None] == name[None, :]) & used[:, None] & used[None, :]
    votes = tl.sum(same.to(tl.int32), axis=1)
    most = tl.max(votes, axis=0)
    winner = tl.min(tl.where(used & (votes == most), name, 0x7FFFFFFFFFFFFFFF), axis=0)
    tl.store(out_ptr + q, winner)
    tl.store(radius_ptr + q, radius)


class ModelNew(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def forward(self, x, train, label):
        x, train, label = x.contiguous(), train.contiguous(), label.contiguous()
        queries, feats = x.shape
        rows = train.shape[0]
        dist = torch.empty(queries, rows, dtype=torch.int32, device=x.device)
        out = torch.empty(queries, dtype=torch.int64, device=x.device)
        radius = torch.empty(queries, dtype=torch.int64, device=x.device)
        distance_kernel[(triton.cdiv(queries, 32), triton.cdiv(rows, 64))](
            x, train, dist, queries, rows, feats, Q=32, T=64
        )
        vote_kernel[(queries,)](dist, label, out, radius, rows, T=256)
        return out, radius
