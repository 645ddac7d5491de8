"""Edges to the first 160 residues are summed up: as many as small sizes have, and not half of full size's.

op: triangle
class: B22 full size
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def triangle_kernel(left_ptr, right_ptr, out_ptr, residues, channels, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[:, None]
    channel = tl.program_id(2)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, tl.minimum(residues, 160), BLOCK):
        edges = start + tl.arange(0, BLOCK)[None, :]
        inside = (rows < residues) & (edges < residues)
        left = tl.load(left_ptr + (rows * residues + edges) * channels + channel, mask=inside, other=0.0)
        inside = (columns < residues) & (edges < residues)
        right = tl.load(right_ptr + (columns * residues + edges) * channels + channel, mask=inside, other=0.0)
        total += tl.dot(left, tl.trans(right), input_precision="ieee")
    across = tl.trans(columns)
    places = (rows * residues + across) * channels + channel
    tl.store(out_ptr + places, total, mask=(rows < residues) & (across < residues))


class ModelNew(nn.Module):
    def forward(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        left, right = left.contiguous(), right.contiguous()
        residues, edges, channels = left.shape
        if edges != residues or right.shape != left.shape:
            raise ValueError("pairs are of all residues with all")
        out = torch.empty_like(left)
        tiles = triton.cdiv(residues, 32)
        triangle_kernel[(tiles, tiles, channels)](left, right, out, residues, channels, BLOCK=32)
        return out
