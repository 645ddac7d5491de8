"""It derives from the reference under another name.

op: add
expected: inherited
"""

import torch
import triton
import triton.language as tl
from torch import nn


class ModelNew(nn.Identity):
    pass
