"""Families, weights and layouts: drawn from a seed, in the right dtype, in the promised place."""

import pytest
import torch
from torch import nn

from kbgen.generator.verify.families import FAMILIES, draw_inputs, draw_weights
from kbgen.generator.verify.layout import place, poison, unwritten


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_keeps_shape_and_dtype_and_repeats(family: str) -> None:
    shipped = [torch.rand(6, 8, dtype=torch.bfloat16), torch.arange(5), 3]
    first, again = draw_inputs(family, shipped, generator()), draw_inputs(family, shipped, generator())
    assert first[0].shape == (6, 8)
    assert first[0].dtype == torch.bfloat16
    assert torch.equal(first[0], again[0])
    assert torch.equal(first[1], shipped[1])
    assert first[2] == 3


def test_weights_move_including_ones_and_zeros_and_statistics() -> None:
    model = nn.Sequential(nn.BatchNorm1d(8), nn.Linear(8, 8))
    drawn = draw_weights(model, generator())
    for name, value in model.state_dict().items():
        assert name.endswith("num_batches_tracked") or not torch.isclose(drawn[name], value).all(), name
    assert (drawn["0.running_var"] > 0).all()


def test_constant_tables_stay() -> None:
    model = nn.Identity()
    model.register_buffer("table", torch.arange(8.0))
    assert torch.equal(draw_weights(model, generator())["table"], torch.arange(8.0))


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "shifted"])
def test_layouts_hold_the_values(layout: str) -> None:
    values = torch.randn(5, 7)
    assert torch.equal(place(values, layout), values)


def test_layouts_are_what_they_say() -> None:
    values = torch.randn(5, 7)
    assert place(values, "transposed").stride() == (1, 5)
    assert place(values, "shifted").data_ptr() % 16 == 4
    assert place(values, "contiguous").data_ptr() % 16 == 0
    assert place(values, "expanded").stride() == (0, 1)
    assert torch.equal(place(values, "expanded"), values[:1].expand(5, 7))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int32])
def test_poison_is_told_from_other_values(dtype: torch.dtype) -> None:
    values = torch.zeros(10, dtype=dtype)
    if dtype.is_floating_point:
        values[0] = float("nan")
    assert unwritten(values) == 0
    poison(values[4:])
    assert unwritten(values) == 6
    assert not dtype.is_floating_point or values[4:].isnan().all()
