"""How convolutions are planned: apart from pools that would gather, in tiles that a device multiplies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kbgen.generator.writers.synth.convolutions import convolution_of
from kbgen.generator.writers.synth.foreseen import foreseen
from kbgen.generator.writers.synth.fusion import read_fused
from kbgen.generator.writers.synth.loops import Loops
from kbgen.generator.writers.synth.program import Program
from kbgen.generator.writers.synth.schedule import Schedule, start_schedule
from kbgen.generator.writers.synth.transforms import shrink_tile
from kbgen.generator.writers.synth.transforms.site import Site
from kbgen.generator.writers.synth.writer import SynthWriter
from kbgen.generator.writers.writer import Candidate, Request
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.op import load_op
from kbgen.profiling.static import inspect
from kbgen.profiling.trace import trace

POOLED = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.ConvTranspose3d(32, 64, 5, stride=2, padding=2)

    def forward(self, x):
        return nn.functional.max_pool3d(self.conv(x), 6).sum(1, keepdim=True)


def get_inputs():
    return [torch.rand(16, 32, 32, 32, 32)]


def get_init_inputs():
    return []
"""

DEPTHWISE = """
import torch
from torch import nn

batch = 16
channels = 64
filters = 64
height = 64
width = 128


class Model(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3, groups=channels, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.rand(batch, channels, height, width)]


def get_init_inputs():
    return [channels, filters]
"""

PARTS = Schedule("convolution", block=128, rows=64, depth=16, num_warps=4, dot="bf16x6", stretch=512)


def test_a_pool_and_a_sum_behind_a_convolution_of_parts_are_kernels_of_their_own(tmp_path: Path) -> None:
    """A tile that holds a pool's windows gathers them for a product, and is too large for the registers."""
    path = tmp_path / "pooled.py"
    path.write_text(POOLED, encoding="utf-8")
    program, (cut,) = read_fused([trace(load_op(path))], find_spec("h200"))
    packed, *others = program.loops.values()
    assert convolution_of(packed) is not None
    assert [loops.tiling for loops in others] == [None, None]
    assert cut.two_us < 0.1 * cut.one_us


def test_a_pool_takes_a_program_for_a_tile_of_results(sized: Callable[..., Program]) -> None:
    windowed = [loops for loops in sized("pools", side=40).loops.values() if loops.windowed]
    assert windowed
    for loops in windowed:
        start = start_schedule(loops)
        (kernel,) = foreseen(loops, start, find_spec("h100"))
        assert kernel.blocks == -(-loops.rows.full // start.block)


@pytest.fixture(scope="module")
def dense(sized: Callable[..., Program]) -> Loops:
    found = sized("transposed_convolutions", channels=64, filters=128, side=32).loops.values()
    return next(loops for loops in found if convolution_of(loops) is not None)


@pytest.mark.parametrize(("rows", "warps", "block"), [(64, 4, 64), (128, 8, 128)])
def test_a_tile_of_parts_that_spills_gets_warps_only_where_each_has_rows(
    rows: int, warps: int, block: int, dense: Loops
) -> None:
    changed = shrink_tile.apply(replace(PARTS, rows=rows), Site(dense, find_spec("h200")))
    assert isinstance(changed, Schedule)
    assert (changed.rows, changed.num_warps, changed.block) == (rows, warps, block)


def test_a_tile_of_parts_shrinks_to_an_end(dense: Loops) -> None:
    site, schedule = Site(dense, find_spec("h200")), PARTS
    for _ in range(20):
        changed = shrink_tile.apply(schedule, site)
        if isinstance(changed, str):
            assert changed == "a tile of 16 x 16 is as small as it gets for what it holds"
            return
        schedule = changed
    pytest.fail("shrinking does not end")


def test_packed_groups_of_one_filter_compile(tmp_path: Path) -> None:
    """The compiler sees a number where a size is 1: filters a group, of which full size has two."""
    path = tmp_path / "depthwise.py"
    path.write_text(DEPTHWISE, encoding="utf-8")
    op, spec = load_op(path, {"filters": 128}), find_spec("h200")
    sizes = [{"batch": 2, "channels": 4, "filters": 8, "height": 10, "width": 14},
             {"batch": 3, "channels": 5, "filters": 15, "height": 9, "width": 13}]  # fmt: skip
    smaller = tuple(trace(op.with_overrides(one)) for one in sizes)
    asked = Request(op, trace(op), smaller, spec)
    plain = SynthWriter().write(asked)
    assert isinstance(plain, Candidate)
    packed = SynthWriter().write(replace(asked, parent=plain, transform="implicit-gemm"))
    assert isinstance(packed, Candidate)
    assert "tl.cast(n_rows, tl.int64)" in packed.source
    written = tmp_path / "packed.py"
    written.write_text(packed.source, encoding="utf-8")
    for one in (op, op.with_overrides({"filters": 64})):
        found = inspect(written, one, spec, tmp_path / "scratch")
        assert [said for said in found.rejections if "compile" in said] == []
        assert len(found.kernels) == 3


def test_one_filter_a_group_at_full_size_gathers_windows_and_pads_no_tile(tmp_path: Path) -> None:
    path = tmp_path / "depthwise.py"
    path.write_text(DEPTHWISE, encoding="utf-8")
    op = load_op(path)
    smaller = trace(op.with_overrides({"batch": 2, "channels": 5, "filters": 15, "height": 9, "width": 13}))
    plain = SynthWriter().write(Request(op, trace(op), (smaller,), find_spec("h200")))
    assert isinstance(plain, Candidate)
    assert "tl.dot" not in plain.source
    assert "for tap in tl.static_range(WINDOW)" in plain.source
