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
    def forward(self, x):
        for _ in range(STEPS):
            x = (x ^ (x >> SHIFT)) % MODULUS
        return (x[..., None] + torch.arange(WIDTH)).sum(-1)


def get_inputs():
    return [torch.randint(0, 1 << 20, (ROWS, COLUMNS))]


def get_init_inputs():
    return []
"""


def test_what_makes_a_row_of_so_many_is_a_size(tmp_path: Path) -> None:
    path = tmp_path / "parted.py"
    table = "torch.arange(IDS // PART + 1)[x // PART]"
    numbers = MIXED.replace("SHIFT, MODULUS = 13, 97", "SHIFT, MODULUS, IDS, PART = 13, 97, 40000, 4096")
    path.write_text(numbers.replace("x = (x ^", f"x = {table} + (x ^").replace("1 << 20", "IDS"))
    assert free_sizes(load_op(path)) == ["ROWS", "COLUMNS", "STEPS", "WIDTH", "IDS", "PART"]


def test_a_shift_and_a_modulus_are_no_sizes_and_stay(tmp_path: Path) -> None:
    path = tmp_path / "mixed.py"
    path.write_text(MIXED)
    op = load_op(path)
    assert free_sizes(op) == ["ROWS", "COLUMNS", "STEPS", "WIDTH"]
    for setting in settings(op, "as-is", 1, source="x = 256\nfor k in range(256): pass"):
        assert not {"SHIFT", "MODULUS"} & setting.op.overrides.keys()
