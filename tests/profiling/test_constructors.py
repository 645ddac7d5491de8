"""Numbers that a network writes into its constructors: which are set, to what, and in a candidate too."""

import ast
from pathlib import Path

import torch

from kbgen.generator.verify.text.candidate import with_constants
from kbgen.profiling.constructors import DIVISOR, LISTED_DIVISOR, built_in, cuts, is_built_in, sizes_in
from kbgen.profiling.footprint import footprint
from kbgen.profiling.narrow import Start, narrowed
from kbgen.profiling.op import load_op

NETWORK = """\
import torch
from torch import nn
class Block(nn.Module):
    expansion = 32
    def __init__(self, inside, outside):
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, kernel_size=3, padding=1)
    def forward(self, x):
        return torch.relu(self.conv(x)) + 64 * 0
class Model(nn.Module):
    def __init__(self, image=224, window=7, classes=10):
        super().__init__()
        self.image = image
        self.first, self.second = Block(3, 64), Block(64, 128)
        self.pool = nn.MaxPool2d(16, 16)
        self.last = nn.AvgPool2d(2)
        self.linear = nn.Linear(128 * 7 * 7, 4096)
    def forward(self, x):
        assert x.shape[-1] == self.image
        x = self.last(self.pool(self.second(self.first(x))))
        return self.linear(torch.flatten(x, 1))
batch = 16
def get_inputs():
    return [torch.rand(batch, 3, 224, 224)]
def get_init_inputs():
    return []
"""


def numbers(source: str, sizes: set[int]) -> list[tuple[str, int]]:
    return [(one.name, one.node.value) for one in built_in(ast.parse(source).body, sizes)]


def test_widths_and_extents_are_found_and_settings_are_not() -> None:
    found = numbers(NETWORK, {224})
    assert {number for name, number in found if name == DIVISOR} == {16, 64, 128, 4096}
    assert [name for name, _ in found if name != DIVISOR] == [
        "built_224",
        "built_7",
        "built_10",
        "built_7",
        "built_7",
    ]
    assert [name for name, number in numbers(NETWORK, set()) if number == 224] == [DIVISOR]


def test_a_candidate_s_constructor_is_set_by_the_same_rule_and_its_lines_stay() -> None:
    source = NETWORK.replace("class Model(", "class ModelNew(")
    changed = with_constants(source, {DIVISOR: 8, "built_7": 2, "built_224": 64})
    assert "nn.Linear(16 * 2 * 2, 512)" in changed
    assert "image=64, window=2, classes=10" in changed
    assert "Block(3, 8), Block(8, 16)" in changed
    assert "64 * 0" in changed  # forward is no constructor
    assert "expansion = 32" in changed
    assert changed.count("\n") == source.count("\n")
    assert with_constants(source, {}) == source


def test_the_place_of_a_layer_and_the_settings_of_others_are_no_widths() -> None:
    """What a written kernel asserts of its model names the sixteenth layer, however narrow that is."""
    source = NETWORK.replace("class Model(", "class ModelNew(").replace(
        "        self.linear",
        "        settings = (self.first[16].groups, self.first[24].heads)\n"
        "        if settings != (1, 32):\n"
        "            raise ValueError\n"
        "        self.linear",
    )
    changed = with_constants(source, {DIVISOR: 8})
    assert "(self.first[16].groups, self.first[24].heads)" in changed
    assert "settings != (1, 32)" in changed
    assert "Block(3, 8)" in changed


def test_a_network_of_fixed_widths_gets_a_shape_with_narrow_ones(tmp_path: Path) -> None:
    path = tmp_path / "network.py"
    path.write_text(
        "import torch\nfrom torch import nn\n"
        "class Model(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.conv = nn.Conv2d(3, 128, kernel_size=5, padding=2)\n"
        "        self.pool = nn.MaxPool2d(32)\n".replace("32", "2 ** 5")
        + "        self.linear = nn.Linear(128 * 7 * 7, 256)\n"
        "    def forward(self, x):\n"
        "        return self.linear(torch.flatten(self.pool(self.conv(x)), 1))\n"
        "def get_inputs():\n    return [torch.rand(16, 3, 224, 224)]\n"
        "def get_init_inputs():\n    return []\n"
    )
    op = load_op(path)
    small = op.shape_sets()[0]
    assert small.fits
    assert {DIVISOR: 8, "built_7": 2, "size_224": 64}.items() <= small.overrides.items()
    model, inputs = op.with_overrides(small.overrides).instantiate(seed=0)
    with torch.no_grad():
        assert model(*inputs).shape[1] == 32
    assert model.get_parameter("conv.weight").shape == (16, 3, 5, 5)
    whole, _ = op.instantiate(seed=0)
    assert whole.get_parameter("conv.weight").shape == (128, 3, 5, 5)


def test_a_short_number_written_out_beside_named_sizes_stays(tmp_path: Path) -> None:
    """Rows of eight: a kernel may rely on it, unlike on what has a name, or is long."""
    path = tmp_path / "eight.py"
    path.write_text(
        "import torch\nfrom torch import nn\nROWS = 4096\n"
        "class Model(nn.Module):\n    def forward(self, x, y):\n        return x.sort(-1).values, y\n"
        "def get_inputs():\n    return [torch.rand(ROWS, 8), torch.rand(ROWS, 224)]\n"
    )
    assert set(load_op(path).constants) == {"ROWS", "size_224"}
    path.write_text(path.read_text().replace("ROWS = 4096\n", "").replace("ROWS", "4096"))
    assert set(load_op(path).constants) == {"size_4096", "size_8", "size_224"}


def test_numbers_side_by_side_may_count_layers_and_then_stay(tmp_path: Path) -> None:
    """`[16, 2]` divided by eight would be other layers, and no width of this network would give way."""
    path = tmp_path / "network.py"
    path.write_text(
        "import torch\nfrom torch import nn\n"
        "class Model(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        width = 64\n"
        "        self.first = nn.Linear(3, width)\n"
        "        counts = [16, 2]\n"
        "        self.layers = nn.Sequential(*(nn.Linear(width, width) for n in counts for _ in range(n)))\n"
        "    def forward(self, x):\n"
        "        return self.layers(self.first(x))\n"
        "rows = 4\n"
        "def get_inputs():\n    return [torch.rand(rows, 3)]\n"
    )
    op = load_op(path)
    constants = {"rows": 4, DIVISOR: 1, LISTED_DIVISOR: 1}
    start = narrowed(constants, lambda values: footprint(op.text, values), Start({}, op.footprint(), {}))
    assert start is not None
    assert start.built == {DIVISOR: 8}
    assert "counts = [2, 2]" in with_constants(op.source, {LISTED_DIVISOR: 8})


def test_a_file_that_has_the_name_already_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        f"import torch\n{DIVISOR} = 2\n"
        "class Model(torch.nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        f"        self.linear = torch.nn.Linear(64, 64 // {DIVISOR})\n"
        "    def forward(self, x):\n        return self.linear(x)\n"
        "def get_inputs():\n    return [torch.rand(4, 64)]\n"
    )
    model, _ = load_op(path).instantiate(seed=0)
    assert model.get_parameter("linear.weight").shape == (32, 64)


def test_the_smallest_widths_come_first_and_extents_before_none() -> None:
    names = [DIVISOR, "built_7", "built_224", "built_1000", "rows"]
    found = list(cuts(names, {224}, (64, 96)))
    assert found[0] == ({"built_7": 2, "built_224": 64, DIVISOR: 8}, 64)
    assert [side for _, side in found[:3]] == [64, 96, None]
    assert [values[DIVISOR] for values, _ in found[::3]] == [8, 4, 2]
    assert list(cuts(["rows"], {224}, (64,))) == []
    assert sizes_in(names) == {7, 224, 1000}
    assert [name for name in names if is_built_in(name)] == names[:4]
    both = [set(values) for values, _ in cuts([LISTED_DIVISOR, DIVISOR], set(), ())]
    assert both == [{DIVISOR, LISTED_DIVISOR}] * 3 + [{DIVISOR}] * 3 + [{LISTED_DIVISOR}] * 3
