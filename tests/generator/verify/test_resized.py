"""Inputs of other sizes than an instance was made for, where the reference has an answer to them."""

from collections.abc import Sequence

import torch
from torch import nn

from kbgen.generator.verify.layout import Layout
from kbgen.generator.verify.oracle import Reference
from kbgen.generator.verify.resized import doubled, emptied, lengthened

X = torch.arange(12.0).view(3, 4)


class Summed(nn.Module):
    def __init__(self, mean: bool = False) -> None:
        super().__init__()
        self.mean = mean

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.mean(1) if self.mean else x.sum(1)


def reference(model: nn.Module) -> Reference:
    return Reference(model, "as-is")


def without(model: nn.Module, *values: torch.Tensor, layout: Layout) -> list[object] | None:
    return shapes(emptied(reference(model), list(values), {}, layout))


def shapes(changed: Sequence[object] | None) -> list[object] | None:
    return None if changed is None else [tuple(one.shape) for one in changed if isinstance(one, torch.Tensor)]


class Product(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a @ b


def test_rows_and_columns_go_and_rows_come_twice() -> None:
    assert without(Summed(), X, layout="no rows") == [(0, 4)]
    assert without(Summed(), X, layout="no columns") == [(3, 0)]
    assert shapes(doubled(reference(Summed()), [X], {})) == [(6, 4)]


def test_what_the_reference_has_no_number_for_is_not_asked() -> None:
    assert without(Summed(mean=True), X, layout="no columns") is None
    assert without(nn.Linear(4, 2), torch.ones(4), layout="no columns") is None
    assert doubled(reference(Summed()), [X[:1]], {}) is None


def test_a_mean_of_nothing_that_torch_leaves_unwritten_is_not_asked() -> None:
    """Its memory holds whatever was there: small numbers here, which no kernel could repeat."""

    class Margin(nn.Module):
        def forward(self, x: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
            return nn.functional.multi_margin_loss(x, classes)

    for _ in range(50):
        torch.full((), 0.25)  # memory that is used again
        assert without(Margin(), X, torch.tensor([0, 1, 2]), layout="no rows") is None
    assert not torch.are_deterministic_algorithms_enabled()


def test_axes_that_must_match_go_together() -> None:
    assert without(Product(), X, torch.ones(4, 5), layout="no columns") == [(3, 0), (0, 5)]


def test_each_other_axis_is_twice_as_long_where_the_reference_takes_that() -> None:
    planes = torch.ones(2, 3, 5)
    longer = [(axis, shapes(given)) for axis, given in lengthened(reference(Summed()), [planes], {})]
    assert longer == [(1, [(2, 6, 5)]), (2, [(2, 3, 10)])]
    pair = [torch.ones(2, 3, 4), torch.ones(2, 5, 6)]  # rows of the second must match columns of the first
    assert [axis for axis, _ in lengthened(reference(Product()), pair, {})] == []
    pair[1] = torch.ones(2, 4, 6)
    longer = [(axis, shapes(given)) for axis, given in lengthened(reference(Product()), pair, {})]
    assert longer == [(1, [(2, 6, 4), (2, 4, 6)]), (2, [(2, 3, 8), (2, 8, 6)])]
    weighed = nn.Linear(4, 2)
    assert list(lengthened(reference(weighed), [X], weighed.state_dict())) == []
