"""Sizes that are parted into groups stay whole, and no size is one by chance."""

from pathlib import Path

from kbgen.profiling.op import Op, load_op

NORM = """import torch
from torch import nn

BATCH, CHANNELS, GROUPS, LENGTH = 8, 64, 8, 256


class Model(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.groups = groups
        self.weight = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        parts = x.reshape(x.shape[0], self.groups, -1)
        return (parts - parts.mean(-1, keepdim=True)).reshape(x.shape) * self.weight[:, None]


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs():
    return [GROUPS, CHANNELS]
"""


def op(folder: Path, source: str = NORM) -> Op:
    path = folder / "op.py"
    path.write_text(source)
    return load_op(path)


def test_channels_stay_whole_groups(tmp_path: Path) -> None:
    norm = op(tmp_path)
    assert norm.holds_by_chance({"CHANNELS": 9, "GROUPS": 2, "LENGTH": 4})
    assert norm.holds_by_chance({"CHANNELS": 63})
    assert not norm.holds_by_chance({"CHANNELS": 72})
    assert not norm.holds_by_chance({"LENGTH": 255})


def test_every_smaller_shape_has_whole_groups(tmp_path: Path) -> None:
    norm = op(tmp_path)
    found = norm.shape_sets(64 << 10)
    assert {"small", "odd"} <= {one.name for one in found}
    for one in found:
        sizes = {**norm.constants, **one.overrides}
        assert int(sizes["CHANNELS"]) % int(sizes["GROUPS"]) == 0  # type: ignore[arg-type]


PROJECTED = """import torch
from torch import nn

BATCH, WIDTH, CHANNELS, GROUPS = 256, 2048, 2048, 512


class Model(nn.Module):
    def __init__(self, width, channels, groups):
        super().__init__()
        self.linear = nn.Linear(width, channels)
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        return self.norm(self.linear(x))


def get_inputs():
    return [torch.randn(BATCH, WIDTH)]


def get_init_inputs():
    return [WIDTH, CHANNELS, GROUPS]
"""


def test_what_is_parted_is_told_from_what_is_as_long_by_what_cannot_be_one_longer(tmp_path: Path) -> None:
    projected = op(tmp_path, PROJECTED)
    assert not projected.holds_by_chance({"WIDTH": 8})
    assert projected.holds_by_chance({"CHANNELS": 511})


def test_no_group_has_a_single_element_where_it_has_more_at_full_size(tmp_path: Path) -> None:
    projected = op(tmp_path, PROJECTED)
    assert projected.holds_by_chance({"CHANNELS": 512})
    small, *_ = projected.shape_sets(128 << 10)
    sizes = {**projected.constants, **small.overrides}
    assert small.fits
    assert small.is_sound
    assert int(sizes["CHANNELS"]) // int(sizes["GROUPS"]) == 4  # type: ignore[arg-type]


def test_a_shape_at_which_no_answer_is_a_number_says_so(tmp_path: Path) -> None:
    single = op(tmp_path, PROJECTED.replace("self.norm(self.linear(x))", "self.norm(self.linear(x)) * 0 / 0"))
    assert not any(one.is_sound for one in single.shape_sets(128 << 10) if one.name == "small")
