"""Numbers that change nothing, counters that run over, and what lies behind a length that is no multiple."""

from __future__ import annotations

import torch
from torch import nn

from kbgen.generator.verify.inputs.counters import buffers_beyond, counters_beyond, counters_run_over
from kbgen.generator.verify.inputs.families import DEEP, DEEPEST, draw_inputs
from kbgen.generator.verify.inputs.idle import idle_behind_lengths
from kbgen.generator.verify.inputs.neutral import neutral
from kbgen.generator.verify.inputs.past_places import past_the_last
from kbgen.generator.verify.inputs.thresholds import met_integers
from kbgen.generator.verify.reference.classes import names_classes
from kbgen.generator.verify.reference.oracle import Reference

from .calls import reference


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def tensors(changed: list[object] | None) -> list[torch.Tensor]:
    assert changed is not None
    return [one for one in changed if isinstance(one, torch.Tensor)]


def test_what_stands_beside_takes_zeros_and_ones_in_every_combination() -> None:
    x, scale, shift = torch.randn(8, 40), torch.rand(8), torch.randn(8)
    of = reference(lambda x, scale, shift: x * scale[:, None] + shift[:, None])
    same, ones, zeros = tensors([*(neutral(of, [x, scale, shift], {}, draw()) or ())])
    assert same is x
    assert set(zip(ones.tolist(), zeros.tolist(), strict=True)) == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_a_divisor_is_one_or_two_and_shares_stay_what_they_are() -> None:
    x, below = torch.randn(8, 40), torch.rand(8) + 1
    _, drawn = tensors([*(neutral(reference(lambda x, d: x / d[:, None]), [x, below], {}, draw()) or ())])
    assert set(drawn.tolist()) == {1.0, 2.0}
    shares = torch.rand(40).softmax(-1)
    assert neutral(reference(lambda x, p: x * p), [x, shares], {}, draw()) is None
    assert neutral(reference(lambda x: x), [x], {}, draw()) is None


def test_what_a_call_counts_up_is_about_to_run_over() -> None:
    def counted(x: torch.Tensor, counts: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        counts.scatter_add_(1, places, torch.ones_like(places, dtype=counts.dtype))
        return x * (counts > 0) - counts.to(x.dtype)

    places = torch.randint(0, 20, (3, 4), generator=draw())
    given = [torch.randn(3, 20), torch.randint(0, 4, (3, 20), dtype=torch.int32), places]
    changed = tensors([*(counters_run_over(reference(counted), [*given], {}, draw()) or ())])
    assert set(changed[1].unique().tolist()) == {2**31 - 1}
    assert changed[2] is places


def test_counters_of_64_bits_may_be_taken_a_remainder_of() -> None:
    def turned(x: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        steps.add_(1)
        return torch.where(steps % 50 == 0, x, -x)

    x = torch.randn(30)
    changed = tensors([*(counters_run_over(reference(turned), [x, torch.arange(30)], {}, draw()) or ())])
    assert set(changed[1].tolist()) == {2**32 - 1}
    fewer = torch.arange(30, dtype=torch.int32)
    assert counters_run_over(reference(turned), [x, fewer], {}, draw()) is None

    def kept_below(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        places.copy_((places + 1) % 50)
        return x * (places == 0)

    assert counters_run_over(reference(kept_below), [x, torch.arange(30)], {}, draw()) is None


def test_a_cursor_that_names_places_is_no_counter() -> None:
    def moved(x: torch.Tensor, cursor: torch.Tensor) -> torch.Tensor:
        taken = x[cursor]
        cursor.add_(1)
        return taken

    given = [torch.randn(30, 4), torch.arange(6)]
    assert counters_run_over(reference(moved), [*given], {}, draw()) is None
    assert counters_run_over(reference(lambda x, at: x[at]), [*given], {}, draw()) is None


def test_nan_lies_behind_a_length_that_is_one_less_than_its_axis() -> None:
    def kept(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        inside = torch.arange(x.shape[1]) < lengths[:, None]
        return x.masked_fill(~inside, 0.0).sum(1)

    given = [torch.randn(4, 16), torch.tensor([0, 8, 16, 8])]
    x, lengths = tensors([*(idle_behind_lengths(reference(kept), [*given], {}, draw()) or ())])
    row = lengths.tolist().index(15)
    assert x[row].isnan().tolist() == [False] * 15 + [True]
    beginnings = [torch.randn(4, 16), torch.tensor([0, 4, 8, 16])]
    assert idle_behind_lengths(reference(kept), [*beginnings], {}, draw()) is None


def test_what_is_counted_names_classes_and_takes_no_other_numbers() -> None:
    def laid_out(ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.argsort(ids, stable=True) // 2, torch.bincount(ids, minlength=4)

    assert met_integers(reference(laid_out), [torch.randint(0, 4, (64,))], {}, draw()) is None
    assert met_integers(
        reference(lambda ids: torch.argsort(ids) // 2), [torch.randint(0, 4, (64,))], {}, draw()
    )


def test_labels_that_are_looked_up_first_name_classes_too() -> None:
    def voted(x: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
        nearest = label[x.argsort(dim=1, stable=True)[:, :3]].int()
        return (nearest[:, :, None] == torch.arange(4)).sum(1).argmax(1)

    x, label = torch.randn(5, 9), torch.arange(9) % 4
    assert names_classes(reference(voted), [x, label], {}, label)
    assert past_the_last(reference(voted), [x, label], {}, draw()) is None
    others = reference(lambda x, label: (label[x.argsort(1)[:, :3]] == torch.arange(3)).sum(1))
    assert not names_classes(others, [x, label], {}, label)


def test_columns_are_below_zero_as_far_as_rows_are() -> None:
    for family, least in ((DEEP, 2.0**44), (DEEPEST, 2.0**96)):
        (drawn,) = draw_inputs(family, [torch.randn(5, 7, 9)], draw())
        assert isinstance(drawn, torch.Tensor)
        assert float(drawn.max()) <= -least
        assert float(drawn.min()) > -1e30


def test_counters_stand_beyond_their_lower_word() -> None:
    def turned(x: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        steps.add_(1)
        return torch.where(steps % 50 == 0, x, -x)

    x = torch.randn(30)
    changed = tensors([*(counters_beyond(reference(turned), [x, torch.arange(30)], {}, draw()) or ())])
    assert bool((changed[1] >= 2**32).all())
    assert len(changed[1].unique()) > 20
    assert counters_beyond(reference(turned), [x, torch.arange(30, dtype=torch.int32)], {}, draw()) is None


class Ring(nn.Module):
    """Each row's counter tells its sign by its place in a ring; one that is kept `below` its length is no
    counter."""

    def __init__(self, below: bool) -> None:
        super().__init__()
        self.below = below
        self.register_buffer("seen", torch.zeros(30, dtype=torch.int64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.where(self.seen % 24 > 11, x, -x)
        self.seen += 1
        if self.below:
            self.seen %= 24
        return y


def test_counters_that_a_module_keeps_stand_there_too() -> None:
    def found(below: bool) -> dict[str, torch.Tensor] | None:
        model = Ring(below)
        return buffers_beyond(
            {"seen"}, Reference(model, "as-is"), [torch.randn(30)], model.state_dict(), draw()
        )

    changed = found(below=False)
    assert changed is not None
    assert bool((changed["seen"] >= 2**32).all())
    assert len(changed["seen"].unique()) > 20
    assert found(below=True) is None
