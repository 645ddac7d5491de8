"""Offsets of rows are kept in sixteen bits, and wrap beyond 65536 elements.

op: episode_advantages
class: B22 narrow offsets
expected: race
"""

# wrong at: more than 65536 elements, e.g. B = 111, T = 1000 or B = 1500, T = 45 (never at full size)
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gae_kernel(r_ptr, v_ptr, last_ptr, d_ptr, adv_ptr, ret_ptr, rows, steps, gamma, gl, BLOCK: tl.constexpr):
    b = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = b < rows
    nxt = tl.load(last_ptr + b, mask=ok, other=0.0)
    adv = tl.zeros((BLOCK,), tl.float32)
    base = (b * steps).to(tl.uint16)
    for i in tl.range(steps):
        at = (base + (steps - 1 - i).to(tl.uint16)).to(tl.uint16).to(tl.int32)
        v = tl.load(v_ptr + at, mask=ok, other=0.0)
        r = tl.load(r_ptr + at, mask=ok, other=0.0)
        done = tl.load(d_ptr + at, mask=ok, other=0) != 0
        delta = r + gamma * tl.where(done, 0.0, nxt) - v
        adv = delta + gl * tl.where(done, 0.0, adv)
        nxt = v
        tl.store(adv_ptr + at, adv, mask=ok)
        tl.store(ret_ptr + at, adv + v, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, gamma, lam):
        super().__init__()
        self.gamma = gamma
        self.lam = lam

    def forward(self, rewards, values, last_value, dones):
        rewards, values, last_value = rewards.contiguous(), values.contiguous(), last_value.contiguous()
        dones = dones.contiguous()
        rows, steps = rewards.shape
        adv = torch.empty((rows, steps), dtype=rewards.dtype, device=rewards.device)
        ret = torch.empty((rows, steps), dtype=rewards.dtype, device=rewards.device)
        gae_kernel[(triton.cdiv(rows, 32),)](
            rewards,
            values,
            last_value,
            dones,
            adv,
            ret,
            rows,
            steps,
            self.gamma,
            self.gamma * self.lam,
            BLOCK=32,
            num_warps=1,
        )
        return adv, ret
