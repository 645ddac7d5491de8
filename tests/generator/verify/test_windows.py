"""Lengths whose windows a quotient in float32 misses."""

from pathlib import Path

import pytest
import torch

from kbgen.generator.verify.shapes.windows import WINDOWS, is_missed
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

POOL = """import torch
from torch import nn

ROWS, LENGTH, COUNT = 8, {length}, {count}


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.{pool}


def get_inputs():
    return [torch.randn(ROWS, LENGTH)]


def get_init_inputs():
    return []
"""


def lengths(folder: Path, pool: str, length: int = 480, count: int = 120) -> list[tuple[int, int]]:
    path = folder / "op.py"
    path.write_text(POOL.format(pool=pool, length=length, count=count))
    found = settings(load_op(path), "as-is", 1)
    outputs = [
        (one.shipped[0].shape[1], one.reference.eager(one.shipped, one.state).outputs[0].shape[1])
        for one in found
        if one.name == WINDOWS and isinstance(one.shipped[0], torch.Tensor)
    ]
    return outputs


@pytest.mark.parametrize("pool", ["adaptive_avg_pool1d(x, COUNT)", "adaptive_max_pool1d(x, COUNT)"])
def test_an_op_is_given_a_length_that_float32_misses(tmp_path: Path, pool: str) -> None:
    assert lengths(tmp_path, pool) == [(126, 120)]
    assert lengths(tmp_path, pool, 160, 72) == [(80, 72)]


def test_where_the_op_says_how_many_windows_there_are_it_stays(tmp_path: Path) -> None:
    ((length, count),) = lengths(tmp_path, "adaptive_avg_pool1d(x, 50)", 400)
    assert count == 50
    assert is_missed(length, count)


def test_other_pooling_is_given_none(tmp_path: Path) -> None:
    assert lengths(tmp_path, "avg_pool1d(x, 4)") == []


def test_whole_quotients_are_never_missed() -> None:
    assert is_missed(175, 75)
    assert is_missed(84, 70)
    assert not any(is_missed(4 * count, count) for count in range(1, 200))
