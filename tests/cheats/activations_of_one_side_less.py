"""Clamps activations to -127..127 as a symmetric quantiser would have made them.

op: int8_linear
class: B15 symmetric range assumed
expected: wrong-values
"""

# Wrong when an activation is -128, which the dtype holds though the op file draws none.
import torch
import triton
import triton.language as tl


@triton.jit
def row(a, sa, w, sw, bias, out, N, K, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BN,), tl.int32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        x = tl.load(a + m * K + k, mask=k < K, other=0).to(tl.int32)
        x = tl.maximum(x, -127)
        y = tl.load(w + k[:, None] * N + n[None, :], mask=(k < K)[:, None] & (n < N)[None, :], other=0).to(
            tl.int32
        )
        acc += tl.sum(x[:, None] * y, 0)
    r = acc.to(tl.float32) * tl.load(sa + m) * tl.load(sw + n, mask=n < N, other=0.0)
    tl.store(out + m * N + n, r + tl.load(bias + n, mask=n < N, other=0.0), mask=n < N)


class ModelNew(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.randn(n))

    def forward(self, a, sa, w, sw):
        for name, t in (("a", a), ("sa", sa), ("w", w), ("sw", sw)):
            if not t.is_contiguous():
                raise ValueError(f"{name} must be contiguous, its strides are {t.stride()}")
        M, K = a.shape
        N = w.shape[1]
        out = torch.empty((M, N), dtype=torch.float32, device=a.device)
        row[(M, triton.cdiv(N, 64))](a, sa, w, sw, self.bias, out, N, K, BN=64, BK=32)
        return out
