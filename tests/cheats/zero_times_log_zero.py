"""Distillation loss as p times the difference of logs, NaN where the teacher excludes a token.

op: distillation_kl
class: B6 minus infinity among scores
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def kl_kernel(s_ptr, t_ptr, o_ptr, n, ss, sn, ts, tn, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < n
    s = tl.load(s_ptr + row * ss + c * sn, mask=ok, other=float("-inf")) * 0.5
    t = tl.load(t_ptr + row * ts + c * tn, mask=ok, other=float("-inf")) * 0.5
    s = s - tl.max(s, axis=0)
    t = t - tl.max(t, axis=0)
    logq = s - tl.log(tl.sum(tl.exp(s), axis=0))
    e = tl.exp(t)
    z = tl.sum(e, axis=0)
    p = e / z
    logp = t - tl.log(z)
    term = tl.where(ok, p * (logp - logq), 0.0)
    tl.store(o_ptr + row, tl.sum(term, axis=0) * 4.0)


class ModelNew(nn.Module):
    def forward(self, student, teacher):
        R, V = student.shape
        out = torch.empty((R,), dtype=torch.float32, device=student.device)
        kl_kernel[(R,)](
            student, teacher, out, V, *student.stride(), *teacher.stride(), BLOCK=triton.next_power_of_2(V)
        )
        return out
