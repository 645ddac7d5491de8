"""Puts NaN into weights, buffers and tables where a mask or a length leaves it out: at places that make no
difference, and in a row that nothing names but integers of which no answer depends. Enormous numbers where
nothing is left out but what nobody looks up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeGuard

import torch

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.oracle import Ran, Reference
from .domain import operators_of
from .families import floats
from .idle import LEAVES_OUT, SPIKE, same_answer, spiked
from .integers import is_whole, lowest_places
from .places import names_each_once, rises

State = dict[str, torch.Tensor]
Given = tuple[list[Input], State]

IDLE_ROWS, IDLE_WEIGHTS, IDLE_FROM_ZERO = "NaN in idle rows", "idle weights", "idle weights from zero"

_ENORMOUS = 2.0**98
"""No square of it is a number in float32: a product with a row of zeros and a one is no lookup then."""

_TRIES, _ENOUGH, _LEAST = 24, 6, 4
"""Places that are tried, found ones that are enough, and the fewest integers that are looked at."""

_MOST_WEIGHTS = 4
"""Of those that float, the largest: caches, tables."""


def idle_weights(
    reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> Given | None:
    """What lies in a cache behind the last place, say, is NaN where the op itself leaves something out; where
    it only looks up rows, those that nobody names may be multiplied by zero, and are enormous, and NaN is in
    those that somebody names and that make no difference: a bag's padding."""
    leaves_out = bool(LEAVES_OUT & operators_of(reference, inputs, state))
    if not leaves_out and not any(map(is_whole, inputs)):
        return None
    answer = reference.tried(inputs, state)
    if answer is None or any(bool(widened(one).isnan().any()) for one in answer.outputs):
        return None
    changed = dict(state)
    floating = [name for name, weight in state.items() if floats(weight) and weight.numel()]
    for name in sorted(floating, key=lambda name: -state[name].numel())[:_MOST_WEIGHTS]:

        def tried(one: torch.Tensor, name: str = name) -> Ran | None:
            return reference.tried(inputs, {**changed, name: one})

        gradient, weight = reference.gradient(inputs, changed, name), changed[name].contiguous()
        for value, taken in _asked(leaves_out, inputs, weight, gradient):
            found = spiked(value, weight, taken, tried, answer, generator)
            changed[name] = weight = weight if found is None else found
    kept = all(torch.equal(one, state[name]) for name, one in changed.items())
    return None if kept else (list(inputs), changed)


def idle_weights_from_zero(
    reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> Given | None:
    """Likewise where the first place is named, which of many places few draws name: padding, mostly; where
    rows are looked up and nothing is left out, as many as there are integers, from both ends. None where
    nothing is looked up."""
    first = lowest_places(reference, inputs, state, generator)
    if first is None:
        return None
    if not LEAVES_OUT & operators_of(reference, inputs, state):
        rows = max((len(weight) for weight in state.values() if weight.ndim), default=0)
        each = [_from_both_ends(one) if _names_rows(one, rows) else one for one in first]
        if reference.tried(each, state) is not None:
            first = each
    return idle_weights(reference, first, state, generator)


def _names_rows(value: Input, rows: int) -> TypeGuard[torch.Tensor]:
    """Integers in no order, some of them alike, none beyond so many `rows`."""
    if not is_whole(value) or rises(value) or names_each_once(value):
        return False
    return int(value.min()) >= 0 and int(value.max()) < rows


def _from_both_ends(value: torch.Tensor) -> torch.Tensor:
    """The lowest number, the highest, the second lowest, and so on."""
    most = int(value.max())
    turns = torch.arange(value.numel()) % (most + 1)
    return torch.where(turns % 2 == 0, turns // 2, most - turns // 2).to(value.dtype).view(value.shape)


def _asked(
    leaves_out: bool, inputs: Sequence[Input], weight: torch.Tensor, gradient: torch.Tensor | None
) -> Iterator[tuple[float, torch.Tensor | None]]:
    """What is put into a weight, and the gradient that tells where, which is one where it is not to be."""
    if leaves_out:
        yield torch.nan, gradient
        return
    if gradient is None:
        return
    named = torch.zeros_like(gradient, dtype=torch.bool)
    for ids in filter(is_whole, inputs):
        if ids.numel() and not rises(ids) and int(ids.min()) >= 0 and int(ids.max()) < len(weight):
            named[ids.long().view(-1)] = True
    for value, elsewhere in ((torch.nan, ~named), (_ENORMOUS, named)):
        taken = gradient.masked_fill(elsewhere, 1.0)
        if bool((taken == 0).any()):
            yield value, taken


def idle_rows(
    reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> Given | None:
    """The embedding that a padded token has, say: looked up, and left out by a length or a mask, as the
    reference leaves it out. None where no table has such a row, or no place is idle."""
    for place, ids in enumerate(inputs):
        if not is_whole(ids) or ids.numel() < _LEAST or rises(ids):
            continue
        row = int(ids.max())
        others = torch.where(ids == row, ids.min(), ids).contiguous()
        if row <= 0 or torch.equal(others, ids):
            continue
        given = [*inputs[:place], others, *inputs[place + 1 :]]
        answer = reference.tried(given, state)
        if answer is None or any(bool(one.isnan().any()) for one in answer.outputs):
            continue
        for table in _tables(given, state, row):
            named = _named(reference, place, row, table, answer, generator)
            if named is not None:
                found, weights = table(torch.nan)
                return [*found[:place], named, *found[place + 1 :]], weights
    return None


def _tables(inputs: list[Input], state: State, row: int) -> Iterator[Callable[[float], Given]]:
    """For each table that has such a row, among weights and inputs: all of them, with a number in it."""
    for name, weight in state.items():
        if _has_row(weight, row):
            yield partial(_in_weight, inputs, state, row, name)
    for turn, one in enumerate(inputs):
        if _has_row(one, row):
            yield partial(_in_input, inputs, state, row, turn)


def _in_weight(inputs: list[Input], state: State, row: int, name: str, number: float) -> Given:
    return inputs, {**state, name: _spoilt(state[name], row, number)}


def _in_input(inputs: list[Input], state: State, row: int, turn: int, number: float) -> Given:
    table = inputs[turn]
    assert isinstance(table, torch.Tensor)
    return [*inputs[:turn], _spoilt(table, row, number), *inputs[turn + 1 :]], state


def _has_row(value: Input, row: int) -> bool:
    return floats(value) and value.ndim > 1 and len(value) > row


def _spoilt(value: torch.Tensor, row: int, number: float) -> torch.Tensor:
    changed = value.clone()
    changed[row] = number
    return changed


def _named(
    reference: Reference,
    place: int,
    row: int,
    table: Callable[[float], Given],
    answer: Ran,
    generator: torch.Generator,
) -> torch.Tensor | None:
    """Integers that name the row wherever that leaves the answer as it is, whatever stands in it: nor is it
    owed to what comparisons make of NaN."""
    spoilt = [table(number) for number in (torch.nan, SPIKE, -SPIKE)]

    def is_idle(ids: torch.Tensor) -> bool:
        return all(
            same_answer(reference.tried([*inputs[:place], ids, *inputs[place + 1 :]], state), answer)
            for inputs, state in spoilt
        )

    ids, found = spoilt[0][0][place], 0
    assert isinstance(ids, torch.Tensor)
    if not is_idle(ids):
        return None
    for spot in torch.randint(0, ids.numel(), (_TRIES,), generator=generator).tolist():
        tried = ids.clone()
        tried.view(-1)[spot] = row
        if is_idle(tried):
            ids, found = tried, found + 1
        if found == _ENOUGH:
            break
    return ids if found else None
