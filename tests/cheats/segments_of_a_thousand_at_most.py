"""Reads a thousand rows of a segment, however many it has.

op: segment_mean
class: B8 lengths
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _segment_mean(
    v_ptr, off_ptr, out_ptr, D, BLOCK_R: tl.constexpr, BLOCK_D: tl.constexpr, MAX_LEN: tl.constexpr
):
    seg = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_D + tl.arange(0, BLOCK_D)
    start = tl.load(off_ptr + seg)
    end = tl.load(off_ptr + seg + 1)
    acc = tl.zeros([BLOCK_D], dtype=tl.float32)
    for r in range(0, MAX_LEN, BLOCK_R):
        rows = start + r + tl.arange(0, BLOCK_R)
        ok = (rows < end)[:, None] & (cols < D)[None, :]
        acc += tl.sum(tl.load(v_ptr + rows[:, None] * D + cols[None, :], mask=ok, other=0.0), axis=0)
    count = tl.maximum(end - start, 1).to(tl.float32)
    tl.store(out_ptr + seg * D + cols, acc / count, mask=cols < D)


class ModelNew(torch.nn.Module):
    MAX_LEN = 1024

    def __init__(self):
        super().__init__()

    def forward(self, values, offsets):
        values, offsets = values.contiguous(), offsets.contiguous()
        d = values.shape[1]
        s = offsets.shape[0] - 1
        out = torch.empty((s, d), dtype=values.dtype, device=values.device)
        bd = min(128, triton.next_power_of_2(d))
        _segment_mean[(s, triton.cdiv(d, bd))](
            values, offsets, out, d, BLOCK_R=256, BLOCK_D=bd, MAX_LEN=self.MAX_LEN
        )
        return out
