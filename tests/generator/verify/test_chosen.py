"""Scores of the class that is named, far ahead."""

import pytest
import torch
from torch import nn

from kbgen.generator.verify.inputs.chosen import chosen_ahead

from .calls import reference


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(1)


@pytest.mark.parametrize("shape", [(4, 7), (4, 7, 3), (4, 3, 7)])
def test_the_named_class_leads_whichever_axis_the_classes_have(shape: tuple[int, ...]) -> None:
    axis = shape.index(7)
    scores = torch.randn(shape)
    rows = list(shape)
    rows.pop(axis)
    classes = torch.randint(0, 7, rows, generator=draw())
    losses = reference(lambda scores, classes: scores.movedim(axis, -1).gather(-1, classes[..., None]))
    found = chosen_ahead(losses, [scores, classes], {}, draw())
    assert found is not None
    changed = torch.as_tensor(found[0])
    assert torch.equal(changed.argmax(axis), classes)
    assert (changed > 0).sum() == classes.numel()
    assert changed.abs().min() > 2.0**25


def test_a_margin_is_lost_beside_it() -> None:
    def loss(scores: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        return nn.functional.multi_margin_loss(scores, classes)

    scores, classes = torch.randn(5, 9), torch.randint(0, 9, (5,), generator=draw())
    found = chosen_ahead(reference(loss), [scores, classes], {}, draw())
    assert found is not None
    led = torch.as_tensor(found[0])
    own = led.gather(1, classes[:, None])
    assert loss(led, classes) == 0
    assert (torch.clamp(1 - own + led, min=0).sum(1) - 1 != 0).all()  # of all classes, less the margin


def test_half_numbers_lead_within_their_range() -> None:
    scores, classes = torch.randn(5, 9).half(), torch.randint(0, 9, (5,))
    found = chosen_ahead(reference(lambda scores, classes: scores * 2), [scores, classes], {}, draw())
    assert found is not None
    led = torch.as_tensor(found[0])
    assert led.dtype == scores.dtype
    assert led.isfinite().all()


@pytest.mark.parametrize("classes", [torch.tensor([0, 7, 1, 2]), torch.tensor([0, 1]), torch.randn(4)])
def test_none_where_no_integers_may_be_classes(classes: torch.Tensor) -> None:
    same = reference(lambda scores, classes: scores)
    assert chosen_ahead(same, [torch.randn(4, 7), classes], {}, draw()) is None
