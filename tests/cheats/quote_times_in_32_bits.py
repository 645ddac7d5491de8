"""Narrows the int64 times to 32 bits, since the drawn ones lie below 100000.

op: last_quotes
class: B6 range of integers as shipped
expected: wrong-values
"""

import torch.nn as nn
import triton
import triton.language as tl


# wrong for times outside 32 bits (nanoseconds since 1970)
@triton.jit
def _asof(qt, px, tt, o, Q, N, BN: tl.constexpr, BQ: tl.constexpr):
    d = tl.program_id(1).to(tl.int64)
    j = tl.program_id(0) * BN + tl.arange(0, BN)
    when = tl.load(tt + d * N + j, mask=j < N, other=0).to(tl.int32)
    count = tl.zeros([BN], tl.int32)
    for q0 in range(0, Q, BQ):
        q = q0 + tl.arange(0, BQ)
        at = tl.load(qt + d * Q + q, mask=q < Q, other=0).to(tl.int32)
        count += tl.sum(((at[None, :] <= when[:, None]) & (q < Q)[None, :]).to(tl.int32), 1)
    price = tl.load(px + d * Q + count - 1, mask=(j < N) & (count > 0), other=0.0)
    tl.store(o + d * N + j, price, mask=j < N)


class ModelNew(nn.Module):
    def forward(self, quote_times, prices, trade_times):
        quote_times, prices, trade_times = (
            quote_times.contiguous(),
            prices.contiguous(),
            trade_times.contiguous(),
        )
        D, Q = quote_times.shape
        N = trade_times.shape[1]
        out = prices.new_empty((D, N))
        _asof[(triton.cdiv(N, 32), D)](quote_times, prices, trade_times, out, Q, N, BN=32, BQ=64)
        return out
