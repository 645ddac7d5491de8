"""Shifts by the lowest energy of the first 128 conformers only and overflows when a later one lies far lower.

op: boltzmann_average
class: B6 unstable softmax, the maximum of the first block only
expected: non-finite
"""

import torch
import triton
import triton.language as tl


# wrong where a conformer behind the 128th lies more than 88 kT below all of the first 128: inf / inf
@triton.jit
def _avg(e_ptr, p_ptr, o_ptr, S, kt, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    first = tl.load(e_ptr + row * S + j, mask=j < S, other=float("inf"))
    low = tl.min(first, 0)
    den = tl.zeros((BLOCK,), tl.float32)
    num = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, S, BLOCK):
        m = start + j < S
        e = tl.load(e_ptr + row * S + start + j, mask=m, other=0.0)
        q = tl.load(p_ptr + row * S + start + j, mask=m, other=0.0)
        w = tl.where(m, tl.exp((low - e) / kt), 0.0)
        den += w
        num += w * q
    tl.store(o_ptr + row, tl.sum(num, 0) / tl.sum(den, 0))


class ModelNew(torch.nn.Module):
    def __init__(self, kt: float):
        super().__init__()
        self.kt = kt

    def forward(self, energy: torch.Tensor, prop: torch.Tensor) -> torch.Tensor:
        energy = energy.contiguous()
        prop = prop.contiguous()
        N, S = energy.shape
        out = torch.empty((N,), dtype=energy.dtype, device=energy.device)
        _avg[(N,)](energy, prop, out, S, self.kt, BLOCK=128)
        return out
