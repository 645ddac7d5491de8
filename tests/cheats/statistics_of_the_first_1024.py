"""Mean and variance of a group are taken from its first 1024 elements only, as a sample.

op: grouped_steps_norm_silu
class: B14 partial computation
expected: hard-coded-shape
"""

# Wrong at: groups of more than 1024 elements, as of 18 channels and 150 steps; right as shipped.
import torch
import triton
import triton.language as tl


@triton.jit
def gn_kernel(x_ptr, w_ptr, b_ptr, y_ptr, C, L, G, M, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    g = pid % G
    cpg = C // G
    base = pid.to(tl.int64) * M
    o = tl.arange(0, BLOCK)
    take = tl.minimum(M, BLOCK)
    v = tl.load(x_ptr + base + o, mask=o < take, other=0.0)
    mean = tl.sum(v, axis=0) / take
    d = tl.where(o < take, v - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / take + eps)
    for s in range(0, M, BLOCK):
        e = s + o
        m = e < M
        v = tl.load(x_ptr + base + e, mask=m, other=0.0)
        c = g * cpg + e // L
        y = (v - mean) * rstd * tl.load(w_ptr + c, mask=m, other=0.0) + tl.load(b_ptr + c, mask=m, other=0.0)
        tl.store(y_ptr + base + e, y / (1.0 + tl.exp(-y)), mask=m)


class ModelNew(torch.nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.groups = groups
        self.weight = torch.nn.Parameter(torch.rand(channels) + 0.5)
        self.bias = torch.nn.Parameter(torch.randn(channels) * 0.1)

    def forward(self, x):
        x = x.contiguous()
        n, c, steps = x.shape
        y = torch.empty_like(x)
        m = (c // self.groups) * steps
        block = min(1024, max(16, triton.next_power_of_2(m)))
        gn_kernel[(n * self.groups,)](
            x, self.weight, self.bias, y, c, steps, self.groups, m, 1e-5, BLOCK=block
        )
        return y
