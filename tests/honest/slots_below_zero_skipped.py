"""A program per token and head: largest magnitude, scale, rounding to even, stores into the strided cache.

op: kv_quant_store
expected: passed
"""

import triton
import triton.language as tl
from torch import nn


@triton.jit
def store_kernel(X, SLOT, C, SC, D, sxt, sxh, sxd, ss, scn, sch, scd, san, sah, BD: tl.constexpr):
    t = tl.program_id(0).to(tl.int64)
    h = tl.program_id(1)
    slot = tl.load(SLOT + t * ss)
    if slot >= 0:
        d = tl.arange(0, BD)
        x = tl.load(X + t * sxt + h * sxh + d * sxd, mask=d < D, other=0.0)
        amax = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-4)
        scale = tl.div_rn(amax, 127.0)
        y = tl.div_rn(x, tl.zeros([BD], tl.float32) + scale)
        y = (y + 12582912.0) - 12582912.0
        y = tl.minimum(tl.maximum(y, -127.0), 127.0)
        tl.store(C + slot * scn + h * sch + d * scd, y.to(tl.int8), mask=d < D)
        tl.store(SC + slot * san + h * sah, scale)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, k, slots, cache, scales):
        t, h, d = k.shape
        store_kernel[(t, h)](
            k,
            slots,
            cache,
            scales,
            d,
            *k.stride(),
            slots.stride(0),
            *cache.stride(),
            *scales.stride(),
            BD=triton.next_power_of_2(d),
        )
        return cache, scales
