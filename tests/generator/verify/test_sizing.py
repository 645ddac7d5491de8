"""Which whole numbers of an op file are sizes, and which are only reckoned with."""

from pathlib import Path

from kbgen.generator.verify.shapes.sizing import free_sizes
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

MIXED = """import torch
from torch import nn

ROWS, COLUMNS, STEPS, WIDTH = 12, 40, 9, 24
SHIFT, MODULUS = 13, 97


class Model(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps
        self.register_buffer("row", torch.arange(WIDTH))

    def forward(self, x):
        for _ in range(self.steps):
            x = (x ^ (x >> SHIFT)) % MODULUS
        return (x[..., None] + self.row).sum(-1)


def get_inputs():
    return [torch.randint(0, 1 << 20, (ROWS, COLUMNS))]


def get_init_inputs():
    return [STEPS]
"""


def test_what_makes_a_row_of_so_many_is_a_size(tmp_path: Path) -> None:
    path = tmp_path / "parted.py"
    numbers = MIXED.replace("SHIFT, MODULUS = 13, 97", "SHIFT, MODULUS, IDS, PART = 13, 97, 40000, 4096")
    held = numbers.replace("torch.arange(WIDTH))", "torch.arange(IDS // PART + WIDTH))")
    path.write_text(held.replace("1 << 20", "IDS"))
    assert free_sizes(load_op(path)) == ["ROWS", "COLUMNS", "STEPS", "WIDTH", "IDS", "PART"]


def test_a_shift_and_a_modulus_are_no_sizes_and_stay(tmp_path: Path) -> None:
    path = tmp_path / "mixed.py"
    path.write_text(MIXED)
    op = load_op(path)
    assert free_sizes(op) == ["ROWS", "COLUMNS", "STEPS", "WIDTH"]
    for setting in settings(op, "as-is", 1, source="x = 256\nfor k in range(256): pass"):
        assert not {"SHIFT", "MODULUS"} & setting.op.overrides.keys()


def test_what_forward_alone_knows_is_told_to_nobody(tmp_path: Path) -> None:
    """A candidate has to write it out."""
    path = tmp_path / "binned.py"
    path.write_text(MIXED.replace("SHIFT, MODULUS", "BINS, SHIFT, MODULUS").replace("= 13,", "= 64, 13,"))
    assert free_sizes(load_op(path)) == ["ROWS", "COLUMNS", "STEPS", "WIDTH"]
    binned = path.read_text().replace(".sum(-1)", ".sum(-1)[..., None].expand(-1, -1, BINS)")
    path.write_text(binned)
    assert free_sizes(load_op(path)) == ["ROWS", "COLUMNS", "STEPS", "WIDTH"]
    path.write_text(binned.replace("COLUMNS))]", "COLUMNS)), BINS]").replace("(self, x)", "(self, x, bins)"))
    assert free_sizes(load_op(path)) == ["ROWS", "COLUMNS", "STEPS", "WIDTH", "BINS"]
