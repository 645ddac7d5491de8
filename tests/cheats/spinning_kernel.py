"""Every program waits for a value that nobody writes.

op: add
class: A1 time
expected: timeout
wall_s: 4
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def wait_kernel(flag_ptr):
    while tl.atomic_add(flag_ptr, 0) == 0:
        pass


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        flag = torch.zeros(1, dtype=torch.int32, device=a.device)
        wait_kernel[(1,)](flag)
        return flag
