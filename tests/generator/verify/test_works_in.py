"""What a reference works in is what its operators give, not what its inputs hold; and how far it reaches."""

import pytest
import torch
from torch import nn

from kbgen.generator.verify.comparison.largest import overflows
from kbgen.generator.verify.inputs.setting import Case, Setting
from kbgen.generator.verify.process.exchange import Step
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.generator.verify.stages.works_in import works_in


class Widens(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.float().square().mean()


class Narrow(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.square().float()


class Moves(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.t().contiguous()


def case(model: nn.Module, x: torch.Tensor) -> Case:
    setting = Setting("small", None, Reference(model, "as-is"), (), {}, [x], [x], {}, 0)  # type: ignore[arg-type]
    return Case("small, normal", setting, "normal", Step(0, "contiguous", [x], {}), [x], [x])


X = torch.linspace(1, 2, 8, dtype=torch.bfloat16).view(2, 4)


@pytest.mark.parametrize(
    ("model", "dtypes"),
    [
        (Widens(), {torch.float32}),
        (Narrow(), {torch.bfloat16, torch.float32}),
        (Moves(), {torch.bfloat16}),
    ],
)
def test_a_reference_works_in_what_its_operators_give(model: nn.Module, dtypes: set[torch.dtype]) -> None:
    assert works_in(case(model, X)) == dtypes


class SquaresThenWidens(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.square().float().mean(-1)


class WidensThenSquares(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.float().square().mean(-1)


@pytest.mark.parametrize(("model", "over"), [(SquaresThenWidens(), True), (WidensThenSquares(), False)])
def test_the_dtype_that_counts_is_the_one_an_operator_works_in(model: nn.Module, over: bool) -> None:
    assert overflows(case(model, torch.full((2, 4), 300.0, dtype=torch.float16))) is over


@pytest.mark.parametrize(("model", "over"), [(nn.GroupNorm(2, 4), True), (nn.ReLU(), False)])
def test_a_norm_squares_on_its_way_what_float32_holds(model: nn.Module, over: bool) -> None:
    generator = torch.Generator().manual_seed(0)
    far = torch.randn(2, 4, 8, generator=generator) * 2.0**110
    found = case(model, far)
    found.step.state.update(model.state_dict())
    assert overflows(found) is over
