"""Tiles of products that hold what is reduced of their results: which, how long, and where not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kbgen.generator.writers.synth.loops import Loops
from kbgen.generator.writers.synth.program import Program, read_program, write_program
from kbgen.generator.writers.synth.schedule import held_sides, holds_whole, start_schedule
from kbgen.generator.writers.synth.transforms import shrink_tile
from kbgen.generator.writers.synth.transforms.registry import TRANSFORMS
from kbgen.generator.writers.synth.transforms.site import Site
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.op import load_op
from kbgen.profiling.trace import trace

H100 = find_spec("h100")

MODEL = """
import torch
from torch import nn
from torch.nn import functional as F

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, CHANNELS, 3)
    def forward(self, x):
        return FORWARD

def get_inputs():
    return [torch.randn(2, 3, 18, 18)]
def get_init_inputs():
    return []
"""

Read = Callable[[str, int], Program]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def write(forward: str, channels: int) -> Program:
        path = tmp_path / "op.py"
        path.write_text(MODEL.replace("FORWARD", forward).replace("CHANNELS", str(channels)))
        return read_program([trace(load_op(path))])

    return write


def _only(program: Program) -> Loops:
    (loops,) = program.loops.values()
    return loops


@pytest.mark.parametrize(
    ("forward", "channels", "sides"),
    [
        ("F.max_pool2d(self.conv(x), 2)", 8, (1, 4)),
        ("F.avg_pool2d(self.conv(x), 3)", 8, (1, 16)),
        ("torch.softmax(self.conv(x), 1)", 24, (32, 1)),
        ("torch.logsumexp(F.max_pool2d(self.conv(x), 2), 1)", 5, (16, 4)),
        ("self.conv(x).amin(3)", 8, (1, 16)),
        ("self.conv(x).sum((1, 2, 3))", 8, (16, 256)),
    ],
)
def test_a_tile_holds_what_is_reduced_as_a_power_of_two(
    read: Read, forward: str, channels: int, sides: tuple[int, int]
) -> None:
    """A side that has nothing else is as long as a unit's tile, 16."""
    tiling = _only(read(forward, channels)).tiling
    assert tiling is not None
    assert tiling.holds
    assert held_sides(tiling) == sides


@pytest.mark.parametrize(
    ("forward", "channels"),
    [
        ("F.max_pool2d(self.conv(x), 3, 2)", 8),
        ("F.max_pool2d(self.conv(x), 2, padding=1)", 8),
        ("torch.softmax(self.conv(x), 1)", 320),
        ("self.conv(x).sum()", 8),
        ("F.max_pool2d(self.conv(x), 2).mean((2, 3))", 8),
    ],
)
def test_what_a_tile_cannot_hold_is_another_kernel(read: Read, forward: str, channels: int) -> None:
    """Overlapping and padded windows, more than registers have room for, and two lengths of one side."""
    first, *rest = read(forward, channels).loops.values()
    assert first.tiling is not None
    assert len(rest) == 1


def test_no_transform_chooses_a_tile_that_cuts_what_is_reduced(read: Read) -> None:
    loops = _only(read("torch.softmax(self.conv(x), 1)", 24))
    assert loops.tiling is not None
    schedule, site = start_schedule(loops), Site(loops, H100)
    for transform in TRANSFORMS.values():
        changed = transform(schedule, site)
        schedule = schedule if isinstance(changed, str) else changed
        assert holds_whole(loops.tiling, schedule.rows, schedule.block)


def test_a_tile_shrinks_down_to_what_is_reduced(read: Read) -> None:
    loops = _only(read("torch.softmax(self.conv(x), 1)", 24))
    schedule, site, sides = start_schedule(loops), Site(loops, H100), set[tuple[int, int]]()
    while not isinstance(smaller := shrink_tile.apply(schedule, site), str):
        schedule = smaller
        sides.add((schedule.rows, schedule.block))
    assert (32, 16) in sides
    assert all(rows == 32 for rows, _ in sides)
    assert smaller == "a tile of 32 x 16 holds no more than what is reduced in it"


def test_a_longer_reduction_than_the_tile_was_made_for_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    text = MODEL.replace("FORWARD", "torch.softmax(self.conv(x), 1)").replace("CHANNELS", "filters")
    text = text.replace("__init__(self)", "__init__(self, filters)").replace("return []", "return [filters]")
    path.write_text(text.replace("class Model", "filters = 24\n\nclass Model"))
    op = load_op(path)
    program = read_program([trace(op), trace(op.with_overrides({"filters": 7}))])
    source = write_program(program, {i: start_schedule(x) for i, x in program.loops.items()}, "")
    assert "if n_held_rows > 32:" in source
