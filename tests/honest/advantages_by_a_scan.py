"""One trajectory per program, the recurrence as a reversed associative scan.

op: episode_advantages
class: associative scan, ValueError for long axes
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def combine(a_late, b_late, a_early, b_early):
    # a step whose factor is zero cuts off whatever came from later times, NaN too
    return a_late * a_early, tl.where(a_early == 0.0, b_early, b_early + a_early * b_late)


@triton.jit
def gae_scan_kernel(
    r_ptr,
    v_ptr,
    last_ptr,
    d_ptr,
    adv_ptr,
    ret_ptr,
    steps,
    gamma,
    gl,
    r_sb,
    r_st,
    v_sb,
    v_st,
    l_s,
    d_sb,
    d_st,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    t = tl.arange(0, BLOCK)
    ok = t < steps
    r = tl.load(r_ptr + row * r_sb + t * r_st, mask=ok, other=0.0)
    v = tl.load(v_ptr + row * v_sb + t * v_st, mask=ok, other=0.0)
    nv = tl.load(v_ptr + row * v_sb + (t + 1) * v_st, mask=t + 1 < steps, other=0.0)
    nv = tl.where(t == steps - 1, tl.load(last_ptr + row * l_s), nv)
    done = tl.load(d_ptr + row * d_sb + t * d_st, mask=ok, other=0).to(tl.int1)
    delta = r + gamma * tl.where(done, 0.0, nv) - v
    factor = tl.where(done | (t >= steps - 1), 0.0, gl)
    delta = tl.where(ok, delta, 0.0)
    _, adv = tl.associative_scan((factor, delta), 0, combine, reverse=True)
    tl.store(adv_ptr + row * steps + t, adv, mask=ok)
    tl.store(ret_ptr + row * steps + t, adv + v, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, gamma, lam):
        super().__init__()
        self.gamma = gamma
        self.lam = lam

    def forward(self, rewards, values, last_value, dones):
        rows, steps = rewards.shape
        if steps > 4096:
            raise ValueError(f"time axis of {steps} steps is longer than 4096, which one block holds")
        adv = torch.empty((rows, steps), dtype=rewards.dtype, device=rewards.device)
        ret = torch.empty((rows, steps), dtype=rewards.dtype, device=rewards.device)
        gae_scan_kernel[(rows,)](
            rewards,
            values,
            last_value,
            dones,
            adv,
            ret,
            steps,
            self.gamma,
            self.gamma * self.lam,
            rewards.stride(0),
            rewards.stride(1),
            values.stride(0),
            values.stride(1),
            last_value.stride(0),
            dones.stride(0),
            dones.stride(1),
            BLOCK=triton.next_power_of_2(steps),
        )
        return adv, ret
