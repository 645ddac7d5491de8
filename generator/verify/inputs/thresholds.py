"""Puts into an op's inputs the numbers that the reference compares with: `>` and `>=` differ there alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

import torch

from ....profiling.build import Input
from ..reference.classes import names_classes
from ..reference.eight_bits import widened
from ..reference.operators import plain_name
from ..reference.oracle import Reference
from ..reference.watching import Watching
from .compared import SIDES, Compared, is_met, signed
from .lengths import full_lengths, holding
from .places import Uses, rises


def met_thresholds(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` whose first rows are what the reference compares with, and whose last rows are its negative;
    None where it compares with nothing that fits into a row."""
    with Compared() as seen:
        answer = reference.tried(inputs, state)
    changed = [_meeting(one, seen.floating) for one in inputs]
    if answer is None or all(one is was for one, was in zip(changed, inputs, strict=True)):
        return None
    return None if reference.tried(changed, state) is None else changed


def met_results(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of small whole numbers, drawn so that what the reference compares on its way, and has reckoned
    from them, is equal to its bound most often among some draws; None where it never is."""
    if not any(map(_floats, inputs)):
        return None
    with _Equal() as seen:
        reference.tried(inputs, state)
    if not seen.compared:
        return None
    ends = [_WHOLE[draw % len(_WHOLE)] for draw in range(_DRAWS)]
    draws = (
        [_whole_numbers(one, *lowest_highest, generator) if _floats(one) else one for one in inputs]
        for lowest_highest in ends
    )
    return _most_equal(reference, draws, state)


def rounded_inputs(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` rounded to small whole numbers, which leaves what lies in order in order (corners of boxes,
    scores): of some scales the one at which what the reference compares on
    its way is equal to its bound most often. None likewise."""
    if not any(map(_floats, inputs)):
        return None
    with _Equal() as seen:
        reference.tried(inputs, state)
    if not seen.compared:
        return None
    draws = ([_rounded(one, scale) if _floats(one) else one for one in inputs] for scale in _SCALES)
    return _most_equal(reference, draws, state)


_SCALES = (1.0, 0.75, 1.5, 0.5)


def _rounded(value: torch.Tensor, scale: float) -> Input:
    """Shares and the like are made as large as keeps most of them apart."""
    numbers = widened(value).float()
    spread = float(numbers.max() - numbers.min())
    return (numbers * (scale if spread > _SPREAD else _APART)).round().to(value.dtype)


_SPREAD, _APART = 2.0, 64.0
"""What lies within is told apart by no whole numbers, and by 64 times as many."""


def _most_equal(
    reference: Reference, draws: Iterable[list[Input]], state: dict[str, torch.Tensor]
) -> list[Input] | None:
    """The one that meets bounds most often, if float64 decides as the op's own dtype does; None where none
    does."""
    found, most = None, 0
    for given in draws:
        with _Equal() as seen:
            answer = reference.tried(given, state)
        if answer is not None and seen.equal > most and all(map(_mostly_finite, answer.outputs)):
            found, most = given, seen.equal
    return found if found is not None and is_certain(reference, found, state) else None


def is_certain(reference: Reference, inputs: list[Input], state: dict[str, torch.Tensor]) -> bool:
    """Whether float64 decides as the op's own dtype does: no rounding then brought the bound about."""
    own, right = reference.tried(inputs, state), reference.tried_exactly(inputs, state)
    if own is None or right is None:
        return False
    both = zip(own.outputs, right.outputs, strict=True)
    pairs = ((widened(one).double(), widened(other).double()) for one, other in both)
    return all(torch.allclose(*pair, 1e-4, 1e-4, equal_nan=True) for pair in pairs)


_DRAWS, _WHOLE = 6, ((1, 4), (0, 2), (-2, 2))


class _Equal(Watching):
    """How many floating numbers in the block are compared with one number, neither zero nor infinite, and
    equal to it."""

    def __init__(self) -> None:
        super().__init__()
        self.compared, self.equal = False, 0

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        if plain_name(func) not in SIDES or not _floats(args[0]):
            return
        bound = torch.as_tensor(args[1])
        if bound.numel() == 1 and is_met(bound):
            self.compared = True
            self.equal += int((args[0] == bound).sum())


def _floats(value: Any) -> TypeGuard[torch.Tensor]:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel() > 0


def _mostly_finite(value: torch.Tensor) -> bool:
    return not value.is_floating_point() or float(value.isfinite().float().mean()) >= 0.5


def _whole_numbers(value: Input, lowest: int, highest: int, generator: torch.Generator) -> Input:
    assert isinstance(value, torch.Tensor)
    return torch.randint(lowest, highest + 1, value.shape, generator=generator).to(value.dtype)


def met_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose integers a quarter are what the reference compares some with, and, where it asks
    which is larger, one less and one more; tensor by tensor, as far as it takes them, those apart that rise,
    as beginnings of rows do. None where it takes none."""
    whole = [
        place
        for place, one in enumerate(inputs)
        if signed(one) and not rises(one) and not names_classes(reference, inputs, state, one)
    ]
    if not whole:
        return None
    with Compared() as seen:
        reference.tried(inputs, state)
    bounds, beside = list(seen.whole), [
        near for bound, ordered in seen.whole.items() for near in (bound - 1, bound, bound + 1) if ordered
    ]  # fmt: skip
    changed = full_lengths(reference, inputs, state, generator, less=True) or list(inputs)
    for place in whole:
        looked_up = _looked_up(
            reference, inputs, state, inputs[place]
        )  # -1: from the end, by grace of an index
        met, near = ([one for one in some if one >= 0 or not looked_up] for some in (bounds, beside))
        for numbers in ([*met, *near], met, *([one] for one in (*met, *near))):
            moved = holding(changed[place], numbers, generator) if numbers else changed[place]
            given = [*changed[:place], moved, *changed[place + 1 :]]
            if moved is not changed[place] and reference.tried(given, state) is not None:
                changed = given
                break
    return changed if any(one is not was for one, was in zip(changed, inputs, strict=True)) else None


def _looked_up(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], value: Input
) -> bool:
    """Whether an index takes integers as places, none of them negative."""
    if not signed(value) or int(value.min()) < 0:
        return False
    with Uses([value]) as uses:
        reference.tried(inputs, state)
    return not uses.names.isdisjoint(("index", "index_put"))


def _meeting(value: Input, bounds: Sequence[torch.Tensor]) -> Input:
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.ndim == 0:
        return value
    rows = value.numel() // max(1, value.shape[-1])
    fitting = [one for one in bounds if one.numel() in (1, value.shape[-1])]
    if not fitting or rows < 2 * len(fitting):
        return _among(value, fitting)
    moved = value.contiguous().clone()
    flat = moved.view(rows, -1)
    for place, bound in enumerate(fitting):
        flat[place], flat[-1 - place] = bound.reshape(-1), -bound.reshape(-1)
    return moved


def _among(value: torch.Tensor, bounds: Sequence[torch.Tensor]) -> torch.Tensor:
    """Of a tensor with too few rows: every bound that is one number, in places of its own."""
    single = [float(one) for one in bounds if one.numel() == 1]
    if not single or value.numel() < 4 * len(single):
        return value
    moved = value.contiguous().clone()
    for place, bound in enumerate(single):
        moved.view(-1)[place :: 4 * len(single)] = bound
        moved.view(-1)[place + len(single) :: 4 * len(single)] = -bound
    return moved
