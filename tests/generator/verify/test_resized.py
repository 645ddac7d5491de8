"""Inputs of other sizes than an instance was made for, where the reference has an answer to them."""

import torch
from torch import nn

from kbgen.generator.verify.oracle import Reference
from kbgen.generator.verify.resized import resized

X = torch.arange(12.0).view(3, 4)


class Summed(nn.Module):
    def __init__(self, mean: bool = False) -> None:
        super().__init__()
        self.mean = mean

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.mean(1) if self.mean else x.sum(1)


def shapes(reference: Reference, *values: torch.Tensor | int, layout: str) -> list[object] | None:
    changed = resized(reference, list(values), {}, layout)  # type: ignore[arg-type]
    return None if changed is None else [tuple(one.shape) for one in changed if isinstance(one, torch.Tensor)]


def test_rows_and_columns_go_and_rows_come_twice() -> None:
    summed = Reference(Summed(), "as-is")
    assert shapes(summed, X, layout="no rows") == [(0, 4)]
    assert shapes(summed, X, layout="no columns") == [(3, 0)]
    assert shapes(summed, X, layout="more rows") == [(6, 4)]


def test_what_the_reference_has_no_number_for_is_not_asked() -> None:
    assert shapes(Reference(Summed(mean=True), "as-is"), X, layout="no columns") is None
    assert shapes(Reference(nn.Linear(4, 2), "as-is"), torch.ones(4), layout="no columns") is None
    assert shapes(Reference(Summed(), "as-is"), X[:1], layout="more rows") is None


def test_axes_that_must_match_go_together() -> None:
    class Product(nn.Module):
        def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return a @ b

    product = Reference(Product(), "as-is")
    assert shapes(product, X, torch.ones(4, 5), layout="no columns") == [(3, 0), (0, 5)]
