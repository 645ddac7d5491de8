"""Finds places of an op's inputs that its answer does not depend on, and puts enormous values, or NaN, there.

What a mask takes out must not be taken out by a difference: `total - masked` is right on tame values, and
loses all digits once one of the masked ones is large.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeGuard

import torch

from ....profiling.build import Input
from ..reference.eight_bits import is_eight_bits, widened
from ..reference.oracle import Ran, Reference
from .domain import operators_of
from .integers import is_whole, lowest_places
from .lengths import full_lengths
from .places import Uses
from .turned_by_nan import turned_by_nan

IDLE = "idle"
"""What families of it begin with: the reference leaves that out, whatever it makes of it."""

SPIKE = 2.0**40
"""So large that its rounding error alone exceeds any usual value."""

_TRIES, _FOUND = 32, 3
"""Places that are tried, and spikes that are enough: of a mask that takes out a quarter, one time in ten
thousand none is found."""

_MOST_INPUTS = 4
"""Of floating numbers, each of which may be left out elsewhere: values beyond a length, and no queries."""


def idle_spike(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with a spike at some places where it leaves the reference's answer as it is to the bit; None
    where none is found, or nothing among the inputs could be a mask."""
    return _idle(SPIKE, reference, inputs, state, generator)


def idle_nan(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with NaN at some such places, as memory that is used again holds it: what the reference leaves
    out, a factor of zero does not. A spike of either sign makes no difference there, so that the reference
    does not owe it to what its comparisons make of NaN; where one of them says what is taken, none stands in
    the input that it was made of."""
    found = _idle(torch.nan, reference, inputs, state, generator)
    if found is None or not turned_by_nan(reference, found, state):
        return found
    kept = list(inputs)
    for place, one in enumerate(found):
        alone = [*kept[:place], one, *kept[place + 1 :]]
        if one is not kept[place] and not turned_by_nan(reference, alone, state):
            kept = alone
    return None if all(one is was for one, was in zip(kept, inputs, strict=True)) else kept


def idle_from_zero(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Likewise beside a first length, or place, of zero: a row of which nothing is left has no values but
    those that are left out."""
    first = lowest_places(reference, inputs, state, generator)
    return None if first is None else idle_nan(reference, first, state, generator)


def idle_behind_lengths(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Likewise beside a length that is less by one than its axis: no multiple of a page, say, of which the
    rest is loaded with it; that no row looks up the same page twice, so that what is idle in it is not taken
    elsewhere."""
    lengths = full_lengths(reference, inputs, state, generator, less=True)
    if lengths is None:
        return None
    once = [
        _no_page_twice(one, generator) if one is was and _is_table(one) else one
        for one, was in zip(lengths, inputs, strict=True)
    ]
    moved = any(one is not was for one, was in zip(once, lengths, strict=True))
    given = once if moved and reference.tried(once, state) is not None else lengths
    return idle_nan(reference, given, state, generator)


def _no_page_twice(table: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """With other entries in each row, no two of them alike, where it holds enough numbers for that."""
    length, many = table.shape[-1], int(table.max()) + 1
    rows = table.numel() // length
    if int(table.min()) < 0 or many < length or rows * many > _MANY:
        return table
    drawn = torch.rand(rows, many, generator=generator).argsort(-1)[:, :length]
    return drawn.to(table.dtype).view(table.shape)


def idle_places(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with -1, as servers leave it in entries of a table that nobody uses, at every place of an
    integer that the answer does not depend on, whatever stands there or beside it: of two points that happen
    to be one, the third of their angle has no part either. None where none is found."""
    place = next((place for place, one in enumerate(inputs) if _is_table(one)), None)
    if place is None:
        return None
    changed = _contiguous(inputs[place])
    with Uses([changed]) as uses:
        answer = reference.tried(inputs, state)
    if answer is None or uses.otherwise or not uses.names:
        return None
    largest, others = int(changed.max()), changed.view(-1).flip(0).view(changed.shape)
    pages = any(isinstance(one, torch.Tensor) and _floats(one) and one.ndim > 2 for one in inputs)
    far = [] if pages else [max(_NO_PLACE, torch.iinfo(changed.dtype).min)]

    def given(table: torch.Tensor) -> list[Input]:
        return [*inputs[:place], table, *inputs[place + 1 :]]

    def is_idle(table: torch.Tensor, spot: int, right: Ran) -> bool:
        tried = (given(_with(table, spot, value)) for value in (-1, largest, 0, *far))
        return all(same_answer(reference.tried(one, state), right) for one in tried)

    found, beside = changed.clone(), reference.tried(given(others), state)
    for spot in torch.randint(0, changed.numel(), (_TRIES // 2,), generator=generator).tolist():
        if is_idle(found, spot, answer) and (beside is None or is_idle(others, spot, beside)):
            found = _with(found, spot, -1)
    return None if torch.equal(found, changed) else given(found)


_MANY = 1 << 20
"""Numbers, of all rows, of which entries are drawn."""

_NO_PLACE = -(1 << 30)
"""No place from the end either, of any table: a row that is looked up and not used has to be there; pages of
a cache that nobody uses need not."""


def _is_table(value: Input) -> TypeGuard[torch.Tensor]:
    return is_whole(value) and value.ndim > 1 and torch.iinfo(value.dtype).min < 0


def _with(value: torch.Tensor, spot: int, number: float) -> torch.Tensor:
    moved = value.clone()
    moved.view(-1)[spot] = number
    return moved


def same_answer(one: Ran | None, other: Ran) -> bool:
    """To the bit."""
    return one is not None and all(map(torch.equal, one.outputs, other.outputs))


def _idle(
    value: float,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    floating = [place for place, one in enumerate(inputs) if _floats(one)]
    if not floating or not (
        any(map(_chooses, inputs)) or LEAVES_OUT & operators_of(reference, inputs, state)
    ):
        return None
    answer = reference.tried(inputs, state)
    if answer is None or any(bool(widened(one).isnan().any()) for one in answer.outputs):
        return None
    changed = list(inputs)
    for place in floating[:_MOST_INPUTS]:

        def tried(one: torch.Tensor, place: int = place) -> Ran | None:
            return reference.tried([*changed[:place], one, *changed[place + 1 :]], state)

        gradient = reference.gradient(changed, state, place)
        found = spiked(value, _contiguous(changed[place]), gradient, tried, answer, generator)
        changed[place] = changed[place] if found is None else found
    return None if all(one is was for one, was in zip(changed, inputs, strict=True)) else changed


def spiked(
    value: float,
    tensor: torch.Tensor,
    gradient: torch.Tensor | None,
    tried: Callable[[torch.Tensor], Ran | None],
    answer: Ran,
    generator: torch.Generator,
) -> torch.Tensor | None:
    """`tensor` with `value`, or the largest of its dtype, at idle places, all of them that no gradient passes
    through and that make no difference to the `answer`; None where there are none."""
    largest = torch.finfo(tensor.dtype).max
    filled = value if math.isnan(value) else min(value, largest)
    if gradient is not None and bool((gradient == 0).any()) and not is_eight_bits(tensor):
        most = min(SPIKE, largest)

        def is_idle(places: torch.Tensor) -> bool:
            whole = (tensor.masked_fill(places, one) for one in (filled, most, -most))
            return all(same_answer(tried(one), answer) for one in whole)

        idle = _by_halves(gradient == 0, is_idle)
        if idle.any():
            return tensor.masked_fill(idle, filled)
    found, changed = 0, tensor
    for spot in torch.randint(0, max(1, changed.numel()), (_TRIES,), generator=generator).tolist():
        both = (filled,) if value == SPIKE else (filled, SPIKE, -SPIKE)
        tries = [_with(changed, spot, one) for one in both]
        if all(same_answer(tried(one), answer) for one in tries):
            changed, found = tries[0], found + 1
        if found == _FOUND:
            break
    return changed if found else None


def _by_halves(places: torch.Tensor, is_idle: Callable[[torch.Tensor], bool]) -> torch.Tensor:
    """As many of `places` as are idle together, found by halving what is not: through the one score of a list
    of one no gradient passes either, and NaN there is the answer."""
    found, waiting = torch.zeros_like(places), [places.view(-1).nonzero().view(-1)]
    for _ in range(_HALVINGS):
        if not waiting:
            break
        part = waiting.pop(0)
        more = found.clone()
        more.view(-1)[part] = True
        if is_idle(more):
            found = more
        elif len(part) > 1:
            waiting += part.chunk(2)
    return found


_HALVINGS = 24
"""Trials: enough to come around one place among thousands; around several, to a part of them."""

LEAVES_OUT = frozenset(
    ("tril", "triu", "masked_fill", "where", "linalg_solve_triangular", "triangular_solve")
)
"""Operators that choose by place without a mask among the inputs."""


def _chooses(value: Input) -> bool:
    """Truths, or numbers that may be lengths or places."""
    return isinstance(value, torch.Tensor) and not (value.is_floating_point() or value.is_complex())


def _floats(value: Input) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel() > 0


def _contiguous(value: Input) -> torch.Tensor:
    assert isinstance(value, torch.Tensor)
    return value.contiguous()
