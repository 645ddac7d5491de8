"""Packs a place in the tables into fifteen bits, which hold the shipped 9 x 3001 numbers and no more.

op: catmull_rom
class: B22 offsets too narrow for tables beyond full size
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl

# Wrong with more than 32768 numbers in the tables (twice as many nodes or tables as shipped).


@triton.jit
def packed(row, at, nodes):
    return (row * nodes + at) & 0x7FFF


@triton.jit
def cubic_kernel(p_ptr, c_ptr, t_ptr, o_ptr, total, nodes, queries, BLOCK: tl.constexpr):
    e = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = e < total
    row = e // queries
    c = tl.load(c_ptr + e % queries, mask=live, other=0).to(tl.int32)
    t = tl.load(t_ptr + e % queries, mask=live, other=0.0)
    p0 = tl.load(p_ptr + packed(row, tl.maximum(c - 1, 0), nodes), mask=live, other=0.0)
    p1 = tl.load(p_ptr + packed(row, c, nodes), mask=live, other=0.0)
    p2 = tl.load(p_ptr + packed(row, tl.minimum(c + 1, nodes - 1), nodes), mask=live, other=0.0)
    p3 = tl.load(p_ptr + packed(row, tl.minimum(c + 2, nodes - 1), nodes), mask=live, other=0.0)
    a2 = 2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3
    a3 = 3.0 * p1 - p0 - 3.0 * p2 + p3
    tl.store(o_ptr + e, 0.5 * (2.0 * p1 + t * (p2 - p0 + t * (a2 + t * a3))), mask=live)


class ModelNew(torch.nn.Module):
    def forward(self, table, cell, t):
        table, cell, t = table.contiguous(), cell.contiguous(), t.contiguous()
        out = table.new_empty((table.shape[0], cell.shape[0]))
        total = out.numel()
        cubic_kernel[(triton.cdiv(total, 256),)](
            table, cell, t, out, total, table.shape[1], cell.shape[0], BLOCK=256
        )
        return out
