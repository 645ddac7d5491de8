"""What a constructor takes from numpy, where a kernel file may have none."""

import ast

import pytest

from kbgen.generator.writers.synth.emit.original import Original
from kbgen.generator.writers.synth.emit.plain_math import with_plain_math

OP = """\
import numpy as np
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale, self.name = 1 / np.sqrt(width) + np.pi, "é" * int(np.log2(8)) + str(np.log2(8))
    def forward(self, x):
        return x * np.float32(2) * self.scale
"""


def test_a_constructor_with_roots_and_logarithms_needs_no_numpy() -> None:
    original = Original(with_plain_math(OP))
    assert original.kept[0] == ("import math", "from torch import nn")
    held = original.class_source("def forward(self, x): ...", "", "")
    assert '1 / math.sqrt(width) + math.pi, "é" * int(math.log2(8)) + str(math.log2(8))' in held


def test_what_math_does_not_have_stays_with_numpy() -> None:
    text = with_plain_math(OP.replace("np.pi", "np.prod([2, 3])"))
    assert "import numpy as np" in Original(text).kept[0]


@pytest.mark.parametrize(
    "changed",
    [
        OP.replace("import numpy as np", "import scipy as np"),
        OP.replace("width", "math"),
        OP.replace("import torch\n", "import torch as math\n"),
    ],
)
def test_a_file_without_numpy_or_with_another_math_is_left_as_it_is(changed: str) -> None:
    assert with_plain_math(changed) == changed


def test_math_is_imported_once() -> None:
    text = with_plain_math("import math\n" + OP)
    assert text.count("import math") == 1
    assert "math.sqrt" in text
    ast.parse(text)
