"""Takes numbers of corners for numbers of 16 bits, as those of smaller meshes are.

op: edge_vectors
class: B22 full size
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def edges_kernel(places_ptr, ends_ptr, out_ptr, edges, BLOCK: tl.constexpr):
    edge = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = edge < edges
    one = tl.load(ends_ptr + edge * 2, mask=inside, other=0).to(tl.uint16).to(tl.int32) * 3
    other = tl.load(ends_ptr + edge * 2 + 1, mask=inside, other=0).to(tl.uint16).to(tl.int32) * 3
    for axis in tl.static_range(3):
        begin = tl.load(places_ptr + one + axis, mask=inside, other=0.0)
        end = tl.load(places_ptr + other + axis, mask=inside, other=0.0)
        tl.store(out_ptr + edge * 3 + axis, end - begin, mask=inside)


class ModelNew(nn.Module):
    def forward(self, places, ends):
        places, ends = places.contiguous(), ends.contiguous()
        edges = len(ends)
        out = torch.empty((edges, 3), dtype=places.dtype, device=places.device)
        edges_kernel[(triton.cdiv(edges, 256),)](places, ends, out, edges, BLOCK=256)
        return out
