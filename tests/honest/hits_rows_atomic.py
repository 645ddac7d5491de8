"""Counts a row by comparing tiles of labels with all classes, and adds to the running total atomically.

op: hit_counts
class: comparison tiles per row, 64-bit atomics into the buffer in place
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def row_kernel(l_ptr, c_ptr, t_ptr, T, C, s0, s1, BLOCK_T: tl.constexpr, BLOCK_C: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK_C)
    acc = tl.zeros((BLOCK_C,), dtype=tl.int64)
    for start in range(0, T, BLOCK_T):
        t = start + tl.arange(0, BLOCK_T)
        lab = tl.load(l_ptr + row * s0 + t * s1, mask=t < T, other=-1)
        acc += tl.sum((lab[:, None] == c[None, :]).to(tl.int32), axis=0).to(tl.int64)
    tl.store(c_ptr + row * C + c, acc, mask=c < C)
    tl.atomic_add(t_ptr + c, acc, mask=c < C)


class ModelNew(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.register_buffer("total", torch.zeros(classes, dtype=torch.int64))

    def forward(self, labels):
        rows, length = labels.shape
        counts = torch.empty((rows, self.classes), dtype=torch.int64, device=labels.device)
        row_kernel[(rows,)](
            labels,
            counts,
            self.total,
            length,
            self.classes,
            labels.stride(0),
            labels.stride(1),
            BLOCK_T=16,
            BLOCK_C=triton.next_power_of_2(self.classes),
            num_warps=8,
        )
        return counts, self.total.clone()
