"""Puts other integers into an op's inputs: ends of their type, every magnitude, the other truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeGuard

import torch

from ....profiling.build import Input
from ..reference.classes import names_classes
from ..reference.eight_bits import widened
from ..reference.operators import words
from ..reference.oracle import Ran, Reference
from .places import ENDS, MARKS, Uses, names_each_once, puts_at_places
from .taken import first_taken


def extreme_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with a row of the smallest number and one of the largest in each tensor of integers, and
    numbers of every magnitude in every other row between; in all of them, or else in one after the other,
    wherever the reference takes them; half as many bits of them where its own numbers would run over.

    None where there is none, the reference takes them for places or classes, or what it gives is floating.
    """
    return with_extremes(reference, inputs, state, _at_their_ends(generator))


def with_extremes(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    drawn: Callable[[torch.Tensor, int], torch.Tensor],
) -> list[Input] | None:
    """`inputs` with what is `drawn` in the place of all integers that name no classes, or else of one tensor
    after the other, as `first_taken` has it."""
    whole = [
        place
        for place, one in enumerate(inputs)
        if is_whole(one) and not names_classes(reference, inputs, state, one)
    ]
    choices = (whole, *([place] for place in whole))
    return first_taken(reference, inputs, state, choices, drawn, _a_little_smaller, halved)


def _at_their_ends(generator: torch.Generator) -> Callable[[torch.Tensor, int], torch.Tensor]:
    return lambda value, turn: with_rows(_anywhere(value, generator), *_ends(value))


def extreme_integers_in(
    turn: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """Likewise in one tensor alone, by its turn among several of integers: what is weighed is as large as it
    can be, and what it is weighed by is as usual."""
    whole = [place for place, one in enumerate(inputs) if is_whole(one)]
    if len(whole) < 2 or turn >= len(whole):
        return None
    value = inputs[whole[turn]]
    if not is_whole(value) or names_classes(reference, inputs, state, value):
        return None
    drawn, alone = _at_their_ends(generator), ([whole[turn]],)
    return first_taken(reference, inputs, state, alone, drawn, _a_little_smaller, halved)


def _a_little_smaller(value: Input) -> Input:
    """Of so few bits less that a float of as many bits does not hold it, and some of it can be added up."""
    if not isinstance(value, torch.Tensor):
        return value
    return value >> _ADDED_UP_BITS if torch.iinfo(value.dtype).bits >= _WORD else halved(value)


_ADDED_UP_BITS, _WORD = 6, 32


def halved(value: Input) -> Input:
    """Of half as many bits."""
    return value >> torch.iinfo(value.dtype).bits // 2 if isinstance(value, torch.Tensor) else value


def lowest_places(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with zero in the first place of each tensor of integers, where places and classes begin; None
    where there is none, or the reference raises."""
    changed = [_from_zero(one) if is_whole(one) else one for one in inputs]
    if not any(map(is_whole, inputs)) or reference.tried(changed, state) is None:
        return None
    each = all(names_each_once(one) for one in inputs if is_whole(one))
    return changed if each or not puts_at_places(reference, inputs, state) else None


def _from_zero(value: torch.Tensor) -> torch.Tensor:
    """With zero in the first row and its largest number in the last; by exchange where no two are alike."""
    if not names_each_once(value):
        return with_rows(value, 0, int(value.max()))
    moved = value.clone()
    zero, largest = (moved == 0).nonzero().reshape(-1).tolist(), int(moved.argmax())
    if largest != 0:
        moved[[largest, -1]] = moved[[-1, largest]]
        zero = (moved == 0).nonzero().reshape(-1).tolist()
    moved[zero[0] if zero else 0] = moved[0]
    moved[0] = 0
    return moved


def one_place(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which every tensor of integers that only tells of places to look up or to add up at, or of
    which such are sums of multiples, holds its largest number in all places but the first of each row: all
    tokens go to one expert, say; others, of lengths, stay. None where there is none."""
    only = [is_whole(one) and _only_adds_up(reference, inputs, state, one) for one in inputs]
    changed = [
        _nearly_one(one) if places and is_whole(one) else one
        for one, places in zip(inputs, only, strict=True)
    ]
    return None if not any(only) or reference.tried(changed, state) is None else changed


def _only_adds_up(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], value: torch.Tensor
) -> bool:
    with Uses([value], _ADDS_UP, words("add sub mul")) as uses:
        answer = reference.tried(inputs, state)
    return answer is not None and bool(uses.names) and not uses.otherwise


_ADDS_UP = words(
    "index_add scatter_add scatter_reduce bincount index_select gather embedding index one_hot"
) | {MARKS, *ENDS}
"""What may meet a place again; where numbers are put down, torch does not say which of two stays."""


def single_others(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with another number in each tensor of one element that does not float (a step, a length), and
    the other truth; None where there is none, or no other makes a difference to the reference."""
    single = [place for place, one in enumerate(inputs) if _is_single(one)]
    was = reference.tried(inputs, state) if single else None
    changed = list(inputs)
    for place in single:
        for other in _others(changed[place]):
            given = [*changed[:place], other, *changed[place + 1 :]]
            if was is not None and _differ(was, reference.tried(given, state)):
                changed = given
                break
    return changed if any(one is not was for one, was in zip(changed, inputs, strict=True)) else None


def _is_single(value: Input) -> bool:
    floats = isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())
    return isinstance(value, torch.Tensor) and value.numel() == 1 and not floats


def _others(value: Input) -> Iterator[torch.Tensor]:
    assert isinstance(value, torch.Tensor)
    if value.dtype == torch.bool:
        yield ~value
        return
    for other in (int(value) + 1, int(value) - 1, int(value) // 2, 1):
        if 0 <= other != int(value):
            yield torch.full_like(value, other)


def _differ(was: Ran, now: Ran | None) -> bool:
    if not is_answered(now) or now is None or was.tree != now.tree:
        return False
    pairs = list(zip(was.outputs, now.outputs, strict=True))
    return all(a.shape == b.shape for a, b in pairs) and not all(torch.equal(a, b) for a, b in pairs)


def floats_out(answer: Ran) -> bool:
    return any(output.is_floating_point() for output in answer.outputs)


def is_answered(answer: Ran | None) -> bool:
    return answer is not None and all(bool(widened(one).isfinite().all()) for one in answer.outputs)


def is_whole(value: Input) -> TypeGuard[torch.Tensor]:
    """Several integers."""
    return (
        isinstance(value, torch.Tensor)
        and value.numel() > 1
        and not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)
    )


def _ends(value: Input) -> tuple[int, int]:
    assert isinstance(value, torch.Tensor)
    ends = torch.iinfo(value.dtype)
    return ends.min, ends.max


def _anywhere(value: Input, generator: torch.Generator) -> torch.Tensor:
    """A copy with random bits in every other row from the third on, and chance has it how many of them count;
    of bytes half are at their ends, so that few of them together make all colours of full intensity."""
    assert isinstance(value, torch.Tensor)
    moved = value.contiguous().clone()
    rows = moved.view(-1, moved.shape[-1]) if moved.ndim > 1 else moved.view(-1, 1)
    bits = torch.iinfo(value.dtype).bits
    drawn = torch.zeros_like(rows[2:-1:2]).random_(torch.iinfo(value.dtype).min, None, generator=generator)
    fewer = drawn >> torch.randint(0, bits, drawn.shape, generator=generator).to(drawn.dtype)
    if bits == _BYTE:
        lowest, highest = _ends(value)
        chosen = torch.randint(0, 4, drawn.shape, generator=generator)
        fewer = fewer.masked_fill(chosen == 0, lowest).masked_fill(chosen == 1, highest)
    rows[2:-1:2] = fewer
    return moved


_BYTE = 8


def _nearly_one(value: torch.Tensor) -> torch.Tensor:
    moved = torch.full_like(value, int(value.max()))
    moved[..., 0] = value[..., 0]
    return moved


def with_rows(value: Input, first: float, last: float) -> torch.Tensor:
    """A copy whose first row, or element where it has no rows, is `first` throughout, and its last `last`."""
    assert isinstance(value, torch.Tensor)
    moved = value.contiguous().clone()
    rows = moved.view(-1, moved.shape[-1]) if moved.ndim > 1 else moved.view(-1, 1)
    rows[0], rows[-1] = first, last
    return moved
