"""Ops with counts of classes can be read: their sizes are known where the op says how many there are."""

from pathlib import Path

import pytest
import torch

from kbgen.profiling.fakes import fakes
from kbgen.profiling.op import load_op
from kbgen.profiling.source import OpError
from kbgen.profiling.trace import trace

OP = """
import torch
from torch import nn

COUNT, CLASSES = 4000, 16


class Model(nn.Module):
    def forward(self, places, weights):
        return torch.bincount(places, weights, minlength={least})


def get_inputs():
    return [torch.randint(0, CLASSES, (COUNT,)), torch.rand(COUNT, dtype=torch.{dtype})]


def get_init_inputs():
    return []
"""


def written(tmp_path: Path, least: str, dtype: str = "float32") -> Path:
    path = tmp_path / "counts.py"
    path.write_text(OP.format(least=least, dtype=dtype))
    return path


def test_as_many_counts_as_classes_are_named(tmp_path: Path) -> None:
    op = load_op(written(tmp_path, "CLASSES"))
    assert op.footprint().outputs == ((16,),)
    assert "aten.bincount.default" in op.footprint().signature
    assert trace(op, "as-is").op_kinds


def test_without_their_number_there_is_no_size(tmp_path: Path) -> None:
    with pytest.raises(OpError, match="sizes a tensor by them"):
        load_op(written(tmp_path, "0")).footprint()


@pytest.mark.parametrize(
    ("given", "summed"), [("float32", "float32"), ("float16", "float64"), ("int32", "float64")]
)
def test_dtypes_are_those_that_torch_counts_in(given: str, summed: str) -> None:
    places, weights = torch.tensor([0, 2]), torch.ones(2, dtype=getattr(torch, given))
    real = torch.bincount(places, weights, minlength=4)
    with fakes():
        fake = torch.bincount(places.clone(), weights.clone(), minlength=4)
        alone = torch.bincount(places.clone(), minlength=4)
    assert (fake.dtype, fake.shape) == (real.dtype, real.shape)
    assert str(fake.dtype) == f"torch.{summed}"
    assert alone.dtype == torch.int64
