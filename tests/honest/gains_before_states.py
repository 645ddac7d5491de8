"""The gains need no hits: a first kernel keeps them and their totals, a second one runs the states.

op: kalman_layers
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _covariance(sigma, seen, transport, root_noise, gains, totals, cov, n, layers, B: tl.constexpr):
    t = tl.program_id(0) * B + tl.arange(0, B)
    live = t < n
    p = tl.full((B,), 100.0, tl.float32)
    for k in range(0, layers):
        a = tl.load(transport + k)
        sg = tl.load(sigma + k * n + t, mask=live, other=1.0)
        m = tl.load(seen + k * n + t, mask=live, other=0)
        r = sg * sg + 1e-4
        q = tl.load(root_noise + k)
        p = p * a * a + q * q
        total = p + r
        gain = p / total
        tl.store(gains + k * n + t, gain, mask=live)
        tl.store(totals + k * n + t, total, mask=live)
        p = tl.where(m, gain * r, p)
    tl.store(cov + t, p, mask=live)


@triton.jit
def _states(hit, seen, transport, gains, totals, states, last, chi, n, layers, B: tl.constexpr):
    t = tl.program_id(0) * B + tl.arange(0, B)
    live = t < n
    x = tl.zeros((B,), tl.float32)
    chi2 = tl.zeros((B,), tl.float32)
    for k in range(0, layers):
        x *= tl.load(transport + k)
        y = tl.load(hit + k * n + t, mask=live, other=0.0)
        m = tl.load(seen + k * n + t, mask=live, other=0)
        gain = tl.load(gains + k * n + t, mask=live, other=0.0)
        total = tl.load(totals + k * n + t, mask=live, other=1.0)
        d = tl.where(m, y - x, 0.0)
        x = tl.where(m, x + gain * d, x)
        chi2 = tl.where(m, chi2 + d * d / total, chi2)
        tl.store(states + k * n + t, x, mask=live)
    tl.store(last + t, x, mask=live)
    tl.store(chi + t, chi2, mask=live)


class ModelNew(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.transport = torch.nn.Parameter(1.0 + 0.02 * torch.randn(layers))
        self.root_noise = torch.nn.Parameter(0.3 + 0.05 * torch.randn(layers))

    def forward(self, hit, sigma, seen):
        n, layers = hit.shape
        hit, sigma, seen = hit.t().contiguous(), sigma.t().contiguous(), seen.t().contiguous()
        gains = torch.empty_like(hit)
        totals = torch.empty_like(hit)
        states = torch.empty_like(hit)
        last = torch.empty((n,), dtype=hit.dtype, device=hit.device)
        cov = torch.empty_like(last)
        chi = torch.empty_like(last)
        grid = (triton.cdiv(n, 128),)
        _covariance[grid](sigma, seen, self.transport, self.root_noise, gains, totals, cov, n, layers, B=128)
        _states[grid](hit, seen, self.transport, gains, totals, states, last, chi, n, layers, B=128)
        return states.t().contiguous(), last, cov, chi
