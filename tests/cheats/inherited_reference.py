"""It derives from the reference under another name.

op: add
class: B20 inheritance
expected: inherited
"""

from torch import nn


class ModelNew(nn.Identity):
    pass
