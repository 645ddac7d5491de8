"""It derives from the reference under another name.

op: add
expected: inherited
"""

from torch import nn


class ModelNew(nn.Identity):
    pass
