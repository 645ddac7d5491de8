"""Casts the keys to the dtype of the values before it compares, so large keys that differ fall together.

op: join_by_sorted_keys
class: B23 integers cast with the compute dtype
expected: wrong-values
"""

# Wrong for keys beyond 2^24, as 16777216 and 16777217; as shipped they are below 1500.
import torch
import triton
import triton.language as tl


@triton.jit
def join_kernel(l_ptr, r_ptr, v_ptr, d_ptr, o_ptr, h_ptr, nl, nr, width, B: tl.constexpr, W: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    live = i < nl
    key = tl.load(l_ptr + i, mask=live, other=0.0)
    lo = tl.zeros((B,), dtype=tl.int32)
    hi = tl.zeros((B,), dtype=tl.int32) + nr
    left = nr + 0
    while left > 0:
        open_ = lo < hi
        mid = (lo + hi) // 2
        k = tl.load(r_ptr + mid, mask=open_, other=0.0)
        hi = tl.where(open_ & (k >= key), mid, hi)
        lo = tl.where(open_ & (k < key), mid + 1, lo)
        left = left // 2
    inside = live & (lo < nr)
    hit = inside & (tl.load(r_ptr + lo, mask=inside, other=0.0) == key)
    tl.store(h_ptr + i, hit.to(tl.uint8), mask=live)
    c = tl.arange(0, W)
    wide = (c < width)[None, :]
    row = tl.load(v_ptr + lo[:, None] * width + c[None, :], mask=hit[:, None] & wide, other=0.0)
    default = tl.load(d_ptr + c, mask=c < width, other=0.0)
    tl.store(
        o_ptr + i[:, None] * width + c[None, :],
        tl.where(hit[:, None], row, default[None, :]),
        mask=live[:, None] & wide,
    )


class ModelNew(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.default = torch.nn.Parameter(torch.randn(width))

    def forward(self, left, right, rows):
        left = left.to(rows.dtype).contiguous()
        right = right.to(rows.dtype).contiguous()
        rows = rows.contiguous()
        nl, nr, width = left.shape[0], right.shape[0], rows.shape[1]
        out = torch.empty((nl, width), dtype=rows.dtype, device=rows.device)
        hit = torch.empty((nl,), dtype=torch.bool, device=rows.device)
        join_kernel[(triton.cdiv(nl, 32),)](
            left,
            right,
            rows,
            self.default,
            out,
            hit.view(torch.uint8),
            nl,
            nr,
            width,
            B=32,
            W=triton.next_power_of_2(width),
        )
        return out, hit
