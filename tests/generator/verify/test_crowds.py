"""More integers than 16 bits count, at few places, where an op adds up at such."""

from pathlib import Path

import torch

from kbgen.generator.verify.shapes.crowds import CROWDED
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings, uncrowded
from kbgen.profiling.op import load_op

COUNTS = """import torch
from torch import nn

ROWS, COLUMNS, BINS = 8, 1000000, 200


class Model(nn.Module):
    def forward(self, ids):
        counts = torch.zeros(len(ids), BINS, dtype=torch.int64)
        return counts.scatter_add_(1, ids, torch.ones_like(ids))


def get_inputs():
    return [torch.randint(0, BINS, (ROWS, COLUMNS))]


def get_init_inputs():
    return []
"""


def test_one_place_of_few_is_met_more_often_than_16_bits_count(tmp_path: Path) -> None:
    path = tmp_path / "counts.py"
    path.write_text(COUNTS)
    found = settings(load_op(path), "as-is", 1)
    (crowd,) = [one for one in found if one.name == CROWDED]
    assert uncrowded(found) == found[: found.index(crowd)]
    case = next(one for one in plan(found, 3) if one.setting is crowd)
    assert case.name == "crowded, as shipped, one place"
    ids = case.inputs[0]
    assert isinstance(ids, torch.Tensor)
    assert int(ids.reshape(-1).bincount().max()) > 1 << 16


KEPT = """import torch
from torch import nn

EVENTS, HOURS = 400000, 24


class Model(nn.Module):
    def forward(self, zone, hour, keep):
        counts = torch.zeros(7 * HOURS, dtype=torch.int64)
        return counts.index_add(0, zone * HOURS + hour, keep.long())


def get_inputs():
    return [torch.randint(0, 7, (EVENTS,)), torch.randint(0, HOURS, (EVENTS,)), torch.rand(EVENTS) < 0.9]


def get_init_inputs():
    return []
"""


def test_what_a_mask_leaves_of_places_that_are_reckoned_is_as_many(tmp_path: Path) -> None:
    path = tmp_path / "kept.py"
    path.write_text(KEPT)
    found = settings(load_op(path), "as-is", 1)
    cases = {case.name: case for case in plan(found, 3) if case.setting.name == CROWDED}
    zone, hour, keep = map(torch.as_tensor, cases["crowded, as shipped, one place, masks on"].inputs)
    assert int((zone * 24 + hour)[keep].bincount().max()) > 1 << 16


def test_where_full_size_has_fewer_there_is_no_such_shape(tmp_path: Path) -> None:
    path = tmp_path / "counts.py"
    path.write_text(COUNTS.replace("1000000", "60000"))
    assert all(one.name != CROWDED for one in settings(load_op(path), "as-is", 1))
