"""2-D grid with a heuristic block, Horner from the bootstrap backwards.

op: nstep_target
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.heuristics({"BLOCK": lambda args: min(256, triton.next_power_of_2(args["steps"]))})
@triton.jit
def nstep_kernel(
    rew,
    val,
    done,
    out,
    steps,
    srb,
    srt,
    svb,
    svt,
    sdb,
    sdt,
    gamma,
    gamma_n,
    N: tl.constexpr,
    BLOCK: tl.constexpr,
):
    b = tl.program_id(0)
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    keep = t < steps
    # backwards: a step with an episode end keeps its own reward only
    acc = tl.load(val + b * svb + (t + N) * svt, mask=t + N < steps, other=0.0)
    for j in tl.static_range(N):
        s = t + (N - 1 - j)
        here = s < steps
        r = tl.load(rew + b * srb + s * srt, mask=here, other=0.0)
        d = tl.load(done + b * sdb + s * sdt, mask=here, other=1) != 0
        acc = r + gamma * tl.where(d, 0.0, acc)
    tl.store(out + b * steps + t, acc, mask=keep)


class ModelNew(nn.Module):
    def __init__(self, gamma, n):
        super().__init__()
        self.gamma = gamma
        self.n = n

    def forward(self, rewards, values, dones):
        b, steps = rewards.shape
        out = torch.empty((b, steps), dtype=rewards.dtype, device=rewards.device)

        def grid(meta):
            return (b, triton.cdiv(steps, meta["BLOCK"]))

        nstep_kernel[grid](
            rewards,
            values,
            dones,
            out,
            steps,
            rewards.stride(0),
            rewards.stride(1),
            values.stride(0),
            values.stride(1),
            dones.stride(0),
            dones.stride(1),
            self.gamma,
            self.gamma**self.n,
            N=self.n,
        )
        return out
