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


def op(folder: Path) -> Op:
    path = folder / "op.py"
    path.write_text(NORM)
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
