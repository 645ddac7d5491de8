"""A block without an episode end asks for no flags, though it looks at the first steps of the next block.

op: nstep_target
class: B6 untaken branch
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def nstep_kernel(rew, val, done, out, total, steps, gammas, gamma_n, N: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = i < total
    t = i % steps
    alive = keep
    acc = tl.zeros((BLOCK,), tl.float32)
    own = tl.load(done + i, mask=keep, other=0) != 0
    calm = tl.sum(own.to(tl.int32), 0) == 0
    for k in tl.static_range(N):
        here = keep & (t + k < steps)
        r = tl.load(rew + i + k, mask=here, other=0.0)
        d = tl.load(done + i + k, mask=here, other=1) != 0
        acc = tl.where(alive, acc + gammas[k] * r, acc)
        alive = alive & (((d == 0) | calm) & (t + k < steps))
    v = tl.load(val + i + N, mask=keep & (t + N < steps), other=0.0)
    acc = tl.where(alive, acc + gamma_n * v, acc)
    tl.store(out + i, acc, mask=keep)


class ModelNew(nn.Module):
    def __init__(self, gamma, n):
        super().__init__()
        self.gamma = gamma
        self.n = n

    def forward(self, rewards, values, dones):
        rewards = rewards.contiguous()
        values = values.contiguous()
        dones = dones.contiguous()
        out = torch.empty_like(rewards)
        total = rewards.numel()
        gammas = tuple(self.gamma**k for k in range(self.n))
        nstep_kernel[(triton.cdiv(total, 4),)](
            rewards,
            values,
            dones,
            out,
            total,
            rewards.shape[1],
            gammas,
            self.gamma**self.n,
            N=self.n,
            BLOCK=4,
        )
        return out
