"""Lanes beyond the states stand at -1e9, above scores that are farther down.

op: hmm_forward
class: B6 finite minus infinity
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl

NEG = tl.constexpr(-1.0e9)


@triton.jit
def forward_kernel(obs, lengths, start, trans, emit, out, steps, states, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    live = lane < states
    alpha = tl.load(start + lane, mask=live, other=NEG)
    tile = tl.load(
        trans + lane[:, None] * states + lane[None, :], mask=live[:, None] & live[None, :], other=NEG
    )
    count = tl.load(lengths + row).to(tl.int32)
    for t in range(0, count):
        symbol = tl.load(obs + row * steps + t)
        e = tl.load(emit + symbol * states + lane, mask=live, other=0.0)
        paths = alpha[:, None] + tile
        top = tl.max(paths, axis=0)
        top = tl.where(top == float("-inf"), 0.0, top)
        alpha = top + tl.log(tl.sum(tl.exp(paths - top[None, :]), axis=0)) + e
    top = tl.max(alpha, axis=0)
    top = tl.where(top == float("-inf"), 0.0, top)
    tl.store(out + row, top + tl.log(tl.sum(tl.exp(alpha - top), axis=0)))


class ModelNew(nn.Module):
    def __init__(self, states, symbols):
        super().__init__()
        self.start = nn.Parameter(torch.randn(states))
        self.trans = nn.Parameter(torch.randn(states, states))
        self.emit = nn.Parameter(torch.randn(symbols, states))

    def forward(self, obs, lengths):
        states = self.start.shape[0]
        if states > 128:
            raise ValueError("more than 128 states are not supported")
        obs = obs.contiguous()
        lengths = lengths.contiguous()
        out = torch.empty(obs.shape[0], dtype=self.start.dtype, device=obs.device)
        block = triton.next_power_of_2(states)
        forward_kernel[(obs.shape[0],)](
            obs,
            lengths,
            self.start,
            self.trans,
            self.emit,
            out,
            obs.shape[1],
            states,
            BLOCK=block,
            num_warps=8 if block > 64 else 4,
        )
        return out
