"""NaN right beside what one value of an output takes."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.beside import nan_alone, nan_beside
from kbgen.generator.verify.reference.oracle import Reference

from .calls import reference


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(3)


def test_behind_a_window_and_before_another() -> None:
    def windows(x: torch.Tensor) -> torch.Tensor:
        return x.unfold(1, 5, 5).sum(2)

    x = torch.randn(3, 20)
    changed = nan_beside(reference(windows), [x], {}, draw())
    assert changed is not None
    found = torch.as_tensor(changed[0])
    spots = found.isnan().view(-1).nonzero().view(-1).tolist()
    assert len(spots) == 2
    assert sorted(spot % 5 for spot in spots) == [0, 4]  # first of a window, and last of one
    kept = windows(found).isnan().logical_not()
    assert kept.sum() == 12 - 2
    assert not x.isnan().any()


def test_a_product_has_one_beside_a_row_and_one_beside_a_column() -> None:
    a, b = torch.randn(4, 7), torch.randn(7, 5)
    found = nan_beside(reference(lambda a, b: (a @ b).t()), [a, b], {}, draw())  # which lies in columns
    assert found is not None
    left, right = map(torch.as_tensor, found)
    assert 1 <= int(left.isnan().sum()) <= 2
    assert 1 <= int(right.isnan().sum()) <= 2
    assert (left @ right).isfinite().any()


def test_nothing_where_every_value_takes_all_there_is() -> None:
    def whole(x: torch.Tensor) -> torch.Tensor:
        return x - x.mean()

    assert nan_beside(reference(whole), [torch.randn(3, 4)], {}, draw()) is None


def test_nothing_where_no_gradient_tells_what_is_taken() -> None:
    assert nan_beside(Reference(nn.Identity(), "as-is"), [torch.arange(4)], {}, draw()) is None
    assert nan_beside(reference(torch.argmax), [torch.randn(4)], {}, draw()) is None


def test_nan_alone_among_zeros_tells_who_skips_products_with_zero() -> None:
    inputs = [torch.randn(4, 7), torch.randn(7, 5)]
    found = nan_alone(1, reference(torch.matmul), inputs, {}, draw())
    assert found is not None
    left, right = map(torch.as_tensor, found)
    assert not left.any()
    assert right.isnan().sum() == 1
    assert right.count_nonzero() == right.numel()
    assert nan_alone(2, reference(torch.matmul), inputs, {}, draw()) is None
    assert nan_alone(0, reference(torch.relu), [inputs[0]], {}, draw()) is None
    assert nan_alone(0, reference(lambda a, b: b), inputs, {}, draw()) is None  # where it does not show
