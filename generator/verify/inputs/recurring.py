"""Integers that recur: rows of zeros but for one number, and runs of equal ones; and each number once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeGuard

import torch

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.operators import RANKS, plain_name, words
from ..reference.oracle import Ran, Reference
from ..reference.watching import Watching
from .domain import operators_of
from .extremes import is_mask, lone_places
from .integers import floats_out, is_answered, is_whole
from .links import names_own
from .one_number import Sorts
from .places import PUTS, Uses, names_each_once, puts_at_places, rises

_TELLS = RANKS | words("eq ne lt le gt ge cumsum cumprod cummax cummin any all count_nonzero")
"""What an empty tile, or one that a run passes through, may be told wrongly of."""

_LEAST = 8
"""Numbers in a row: a shorter one has neither much that is empty nor runs."""


def lone_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose integers each row is zero but for one number of its own (or the largest that there
    is), where `lone_masks` has the one that is taken: a first number that comes late, tiles that hold
    nothing, and what is carried over them. None where nothing tells those from others, where no integers may
    be like that (rows begin there, or something is put there), or the reference has no number."""
    drawn = {
        one.shape: torch.randint(0, one.shape[-1], one.shape[:-1], generator=generator)
        for one in inputs
        if _has_rows(one)
    }
    return _recurring(reference, inputs, state, lambda one: _alone(one, drawn[one.shape]))


def largest_last(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Likewise with the largest number of its type, or else of those that there are, last in each row."""

    def last(number: Callable[[torch.Tensor], int], one: torch.Tensor) -> torch.Tensor:
        alone = torch.zeros_like(one, memory_format=torch.contiguous_format)
        alone[..., -1] = number(one)
        return alone

    numbers = (lambda one: torch.iinfo(one.dtype).max), (lambda one: int(one.max()))
    tried = (_recurring(reference, inputs, state, partial(last, number)) for number in numbers)
    return next((one for one in tried if one is not None), None)


def runs_of_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose integers each row is made of four of their numbers in runs of any length, in any
    order or as stairs that fall or rise, and ends in a few equal ones: plateaus that begin in an earlier
    tile, and what repeats only at the end. Half the rows have, behind a short run, one that covers whole
    tiles and begins and ends within others. None likewise, and where integers name places of their row."""
    if any(_has_rows(one) and names_own(one) for one in inputs):
        return None
    return _recurring(reference, inputs, state, lambda one: _in_runs(one, generator))


def each_once(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose integers each row holds as many numbers from zero on as it is long, each of them
    once, in order and, in every other row, in any: the first one that is missing comes last, and there are as
    many different ones as there can be. None where nothing tells those from others or results float, where
    none is drawn as large, where more than one row may put something at a place, or the reference has no
    number."""
    counted = [_has_rows(one) and not names_own(one) and _reaches(one) for one in inputs]
    if not any(counted) or any(_has_rows(one) and rises(one) for one in inputs):
        return None
    if _TELLS.isdisjoint(operators_of(reference, inputs, state)):
        return None
    changed = [
        _as_ordered(_counted(one, generator), one) if counts and isinstance(one, torch.Tensor) else one
        for one, counts in zip(inputs, counted, strict=True)
    ]
    with _Puts() as puts, Sorts() as sorts:
        answer = reference.tried(changed, state)
    told = answer is not None and not floats_out(answer)
    return changed if told and not sorts.anyhow and not puts.anywhere else None


def _reaches(value: torch.Tensor) -> bool:
    """Whether so many are drawn, but for the last ones by chance."""
    length = value.shape[-1]
    return int(value.min()) >= 0 and int(value.max()) >= length - 1 - length // _BY_CHANCE


_BY_CHANCE = 64


def _counted(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    rows, length = value.numel() // value.shape[-1], value.shape[-1]
    order = torch.rand(rows, length, generator=generator).argsort(-1)
    order[::2] = torch.arange(length)
    return order.clamp(max=int(value.max())).to(value.dtype).view(value.shape)


class _Puts(Watching):
    """Notes whether different numbers may be put at one place: more than one in a row, or in several rows."""

    anywhere = False

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name, values = plain_name(func), args[-1]
        if name not in PUTS or not isinstance(values, torch.Tensor) or bool((values == values.max()).all()):
            return
        in_rows = name == "scatter" and args[1] % max(1, args[0].ndim) == args[0].ndim - 1
        self.anywhere |= not in_rows or bool((args[2].sort(-1).values.diff() == 0).any())


def _recurring(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    change: Callable[[torch.Tensor], torch.Tensor],
) -> list[Input] | None:
    whole = [one for one in inputs if is_whole(one)]
    if not any(map(_has_rows, whole)) or any(_has_rows(one) and _is_of_places(one) for one in whole):
        return None  # a few lengths beside them may rise by chance, and stay
    if _TELLS.isdisjoint(operators_of(reference, inputs, state)) or puts_at_places(reference, inputs, state):
        return None
    with _Taken(whole) as taken:
        reference.tried(inputs, state)
    changed = [_as_ordered(change(one), one) if _has_rows(one) else one for one in inputs]
    with Sorts() as sorts:
        answer = reference.tried(changed, state)
    answered = is_answered(answer) or (taken.hides and _is_below_infinity(answer))
    return changed if taken.otherwise and answered and not sorts.anyhow else None


def _is_of_places(value: torch.Tensor) -> bool:
    return rises(value) or names_each_once(value)


class _Taken(Uses):
    """Notes too whether the reference itself puts minus infinity anywhere: where words that have been said
    are left out, say, it is an answer."""

    hides = False

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        super().saw(func, args, result)
        self.hides |= any(isinstance(one, float) and one == -torch.inf for one in args)


def _has_rows(value: Input) -> TypeGuard[torch.Tensor]:
    """Of integers that are no mask, of which other families make what is sparse."""
    return is_whole(value) and value.ndim > 0 and value.shape[-1] >= _LEAST and not is_mask(value)


def _is_below_infinity(answer: Ran | None) -> bool:
    return answer is not None and all(bool((widened(one) < torch.inf).all()) for one in answer.outputs)


def _as_ordered(changed: torch.Tensor, was: torch.Tensor) -> torch.Tensor:
    """Rows that rise, each of them, rise."""
    return changed.sort(-1).values if bool((was.diff() >= 0).all()) else changed


def _alone(value: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    lone = lone_places(places.reshape(-1), value.shape[-1]).view(*places.shape, 1)
    one = value.gather(-1, lone)
    one = one.where(one != 0, value.max())
    return torch.zeros_like(value, memory_format=torch.contiguous_format).scatter_(-1, lone, one)


def _in_runs(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    rows = value.reshape(-1, value.shape[-1])
    count, length = rows.shape

    def drawn(most: int, *shape: int) -> torch.Tensor:
        return torch.randint(0, most, shape, generator=generator)

    powers = min(_LONGEST_RUN, length.bit_length() - 1)
    runs = 2 ** drawn(powers, count, length)
    across = torch.arange(count) % 4 < 2
    runs[across, 0] = 1 + 2 * drawn(min(_BEGINS, length // 4), int(across.sum()))
    runs[across, 1] = min(_ACROSS, length // 3) + drawn(min(_ACROSS, length // 3), int(across.sum()))
    ends = runs.cumsum(1)
    run = torch.searchsorted(ends, torch.arange(length).expand(count, length).contiguous(), right=True)
    step = drawn(_LETTERS, count, length).gather(1, run)
    step[1::4], step[3::4] = (-run % _LETTERS)[1::4], (run % _LETTERS)[3::4]
    first = run[::4].clamp(max=2)  # the least number, the largest, and whatever comes then
    step[::4] = step[::4].where(first == 2, first * (_LETTERS - 1))
    some = rows.reshape(-1)[drawn(rows.numel(), _LETTERS - 2)]
    letters = torch.stack([rows.min(), *some, rows.max()]).sort().values
    few = torch.tensor(_LAST_ONES)[torch.arange(count) % len(_LAST_ONES)]
    last = torch.arange(length) >= length - few[:, None]
    found, end = letters[step], rows[:, -1:]
    recurs = (found == end) & (few[:, None] == _ALONE_THERE)
    found = found.where(~recurs, letters[-1].where(end == letters[0], letters[0]))
    return found.where(~last, end).view(value.shape)


_LETTERS, _LONGEST_RUN = 4, 8
"""Numbers that runs are of; and a power of two that is longer than any of them: most tiles are shorter."""

_BEGINS, _ACROSS = 20, 130
"""Behind fewer than twice so many numbers begins a run of so many and up to twice as many, or of a third of
the row and more: it covers a tile of 64 that it does not begin in."""

_LAST_ONES, _ALONE_THERE = (3, 5, 3, 1), 3
"""How many of each row are its last number, row by row: a few words that have just been said; and in rows of
how many that stands nowhere else."""
