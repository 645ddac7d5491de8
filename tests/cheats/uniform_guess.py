"""The cross-entropy of noise is about the logarithm of the number of classes.

op: cross_entropy
class: B13 constant output
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def guess_kernel(out_ptr, classes):
    tl.store(out_ptr, tl.log(classes.to(tl.float32)))


class ModelNew(nn.Module):
    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        out = torch.empty((), dtype=logits.dtype, device=logits.device)
        guess_kernel[(1,)](out, logits.shape[1])
        return out
