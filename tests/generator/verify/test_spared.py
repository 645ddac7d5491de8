"""What is not held against right kernels: float32 numbers, signs of divisors, offsets that nobody reads."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from kbgen.generator.verify.inputs.domain import divisors, within
from kbgen.generator.verify.inputs.idle import idle_nan
from kbgen.generator.verify.inputs.places import names_each_once
from kbgen.generator.verify.inputs.unsorted import unsorted
from kbgen.generator.verify.inputs.wide_integers import wide_integers
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.generator.verify.reference.single_numbers import in_single
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

ROOT = Path(__file__).parents[3]
OFFSETS = torch.tensor([0, 4, 5, 9, 12])


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(0)


class Average(nn.Module):
    def __init__(self, decay: float) -> None:
        super().__init__()
        self.decay = decay

    def forward(self, mean: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return mean * self.decay + x * (1 - self.decay)


def test_a_reference_s_own_numbers_may_be_of_float32() -> None:
    reference = Reference(Average(0.999), "as-is")
    inputs = [torch.zeros(4), torch.ones(4)]
    single = reference.single(inputs, {})  # type: ignore[arg-type]
    assert single is not None
    assert float(single.outputs[0][0]) == 1 - in_single(0.999)
    assert reference.model.decay == 0.999  # type: ignore[comparison-overlap]
    assert Reference(Average(0.75), "as-is").single(inputs, {}) is None  # type: ignore[arg-type]


class Tempered(nn.Module):
    def forward(self, x: torch.Tensor, temperature: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return (x / temperature[:, None]).softmax(-1) * scale[:, None]


def test_what_is_divided_by_stays_above_zero_where_it_is_so_as_shipped() -> None:
    shipped = [torch.randn(4, 8), torch.rand(4) + 0.5, torch.rand(4) + 0.5]
    found = divisors(Reference(Tempered(), "as-is"), [shipped, shipped], {})  # type: ignore[list-item]
    assert found == {1}
    drawn = within("any", [-one.abs() for one in shipped], shipped, dividing=found)
    assert torch.all(drawn[1] > 0)  # type: ignore[arg-type,operator]
    assert torch.all(drawn[2] < 0)  # type: ignore[arg-type,operator]


class First(nn.Module):
    """How many are accepted in a row."""

    def forward(self, target: torch.Tensor, draft: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        accepted = (draft < target).long().cumprod(1).sum(1)
        return accepted + 0 * places


def test_nan_stands_only_where_spikes_of_either_sign_make_no_difference() -> None:
    target, draft = torch.tensor([[1.0, 0.0, 1.0, 1.0]]), torch.full((1, 4), 0.5)
    found = idle_nan(Reference(First(), "as-is"), [target, draft, torch.tensor([0])], {}, draw())
    assert found is not None
    moved = torch.as_tensor(found[0])
    assert not moved[0, :2].isnan().any()  # the second is refused, whatever NaN is smaller than
    assert moved[0, 2:].isnan().any()


class Bags(nn.Module):
    def forward(self, x: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        bag = torch.searchsorted(offsets[1:].contiguous(), torch.arange(len(x)), right=True)
        return torch.zeros(len(offsets) - 1).index_add(0, bag, x)


def test_a_copy_of_a_part_of_offsets_is_seen_to_be_searched() -> None:
    for make in (unsorted, wide_integers):
        assert make(Reference(Bags(), "as-is"), [torch.randn(12), OFFSETS], {}, draw()) is None


def test_entries_below_zero_name_nothing_and_may_be_alike() -> None:
    assert names_each_once(torch.tensor([3, -1, 7, -1, 0]))
    assert not names_each_once(torch.tensor([3, -1, 7, 3]))
    assert names_each_once(torch.tensor([-1, -1, 2]))  # a short row of slots, of which one is named


@pytest.mark.parametrize(("op", "family"), [("kv_quant_store", "as shipped"), ("layernorm", "normal")])
def test_kernels_are_left_out_of_a_call_that_changes_what_lies_in_place(op: str, family: str) -> None:
    given = load_op(ROOT / "tests" / "generator" / "verify" / "ops" / f"{op}.py")
    ghosts = [case for case in plan(settings(given, "as-is", 1), 1) if case.step.ghost]
    assert [case.family for case in ghosts] == [family]
    assert not ghosts[0].step.again
