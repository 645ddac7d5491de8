"""Stands each element of a counter of several where `midway` stands single ones: of rows that began at
different calls one is full, one is new, and one is about to pass a number that the reference asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ..reference.operators import plain_name
from ..reference.oracle import Reference
from ..reference.watching import Watching
from ..reference.wrapping import wraps
from .compared import SIDES, axis_of
from .integers import is_answered
from .midway import BOUNDS, LIVES, MODULI, TRUTHS, Counter, Given, standing, tells, whole_number
from .setting import COUNTED, Case
from .thresholds import is_certain

_COUNTERS, _CALLS = 2, 2
"""So many counters of an op are asked of, in so many calls each beside what they are compared with."""

_NUMBERS = 3
"""So many numbers with which they are compared, or by which they are divided."""

_TURNS, _BESIDE = (1, 2), (-2, -1, 0, 1)
"""Times such a number, and how far from there: a call asks before it raises a counter, or afterwards."""


def midway_each(case: Case, generator: torch.Generator) -> Iterator[Case]:
    """`case` with each element of a counter at a number of its own: none, one, and what is beside the numbers
    that the reference compares counters with, or divides them by, and their doubles; in another call one in
    each span of its life. A counter is a buffer, or an input changed in place, of several elements that hang
    on what they were before, of which a call raises some by whole numbers; they stand where it leads some."""
    reference, given = case.setting.reference, Given(case.inputs, case.step.state)
    for counter in _counters(reference, given)[:_COUNTERS]:
        lives = [int(torch.randint(*span, (1,), generator=generator)) for span in LIVES]
        met, lived = (
            [one for one in numbers if _is_asked(reference, given, counter, one)]
            for numbers in (_beside(reference, given, counter), lives)
        )
        calls = _CALLS if counter.of(given).numel() < len(met) else 1
        for numbers in filter(None, [*(met[at::calls] for at in range(calls)), lived]):
            there = counter.at(given, _spread(numbers, counter.of(given), generator))
            if _is_answered(reference, there):
                yield standing(case, there, ", ".join(map(str, sorted(numbers))))


def _counters(reference: Reference, given: Given) -> list[Counter]:
    ran = reference.tried(given.inputs, given.state)
    held: list[tuple[int | str, Any]] = [
        *((name, one) for name, one in given.state.items() if not name.endswith(COUNTED)),
        *enumerate(given.inputs),
    ]
    found = []
    for where, was in held:
        if ran is not None and _may_count(was):
            counter = Counter(where, 0, was.dtype)
            step = 0 if torch.equal(was, counter.of(ran)) else _step(reference, given, counter)
            found += [Counter(where, step, was.dtype)] if step else []
    return found


def _may_count(value: Any) -> bool:
    """Several whole numbers."""
    if not isinstance(value, torch.Tensor) or value.numel() < 2 or value.dtype == torch.bool:
        return False
    return not value.is_complex() and bool((value.float() % 1 == 0).all())


def _step(reference: Reference, given: Given, counter: Counter) -> int:
    """The least by which a call raises an element, where it raises some and each is either what it was, and
    so much, or begins anew; else zero."""
    low, high = (_after(reference, counter.at(given, number), counter) for number in (0, 1))
    if low is None or high is None:
        return 0
    follows = high - low == 1
    raised = low[follows & (low > 0)]
    counts = bool((follows | (high == low)).all()) and bool((low >= 0).all()) and bool((low % 1 == 0).all())
    return int(raised.min()) if counts and raised.numel() else 0


def _after(reference: Reference, given: Given, counter: Counter) -> torch.Tensor | None:
    ran = reference.tried(given.inputs, given.state)
    return None if ran is None else counter.of(ran).double()


def _beside(reference: Reference, given: Given, counter: Counter) -> list[int]:
    """None, one, and what is beside the numbers that the reference asks for, if it asks for any."""
    with _Asked(counter.of(given)) as seen:
        reference.tried(given.inputs, given.state)
    asked = [turn * one for one in list(seen.numbers)[:_NUMBERS] for turn in _TURNS]
    return list(dict.fromkeys([0, 1, *(one + off for one in asked for off in _BESIDE)])) if asked else []


class _Asked(Watching):
    """What as many numbers as the counter's are compared with, or divided by, in the block, and whether they
    are lengths of which one is beyond its axis."""

    def __init__(self, counter: torch.Tensor) -> None:
        super().__init__()
        self.size, self.whole = counter.numel(), not counter.is_floating_point()
        self.numbers: dict[int, None] = {}
        self.too_long = False

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name = plain_name(func)
        if name in SIDES:
            for places, lengths, beyond in (
                (*args[:2], name in ("lt", "ge")),
                (*args[1::-1], name in ("gt", "le")),
            ):
                self._note_lengths(places, lengths, beyond)
        if name in TRUTHS | BOUNDS | MODULI and self._is_of_all(args[0]):
            self.numbers.update(dict.fromkeys(filter(tells, map(whole_number, args[1:]))))

    def _is_of_all(self, value: Any) -> bool:
        of_all = isinstance(value, torch.Tensor) and value.numel() == self.size
        return of_all and not (self.whole and value.is_floating_point())

    def _note_lengths(self, places: Any, lengths: Any, beyond: bool) -> None:
        both = isinstance(places, torch.Tensor) and isinstance(lengths, torch.Tensor)
        if both and places.numel() > 1 and lengths.numel() == self.size and (axis := axis_of(places)):
            self.too_long |= float(lengths.max()) > axis - (not beyond)


def _is_asked(reference: Reference, given: Given, counter: Counter, number: int) -> bool:
    """Whether a call leads some elements there, and the reference has an answer where all are."""
    if not counter.holds(number):
        return False
    there = counter.at(given, number)
    with _Asked(counter.of(given)) as seen:
        ran = reference.tried(there.inputs, there.state)
    return not seen.too_long and is_answered(ran) and _leads_to(reference, given, counter, number)


def _leads_to(reference: Reference, given: Given, counter: Counter, number: int) -> bool:
    """Nothing, and one, is where a call begins."""
    if number < counter.step:
        return True
    after = _after(reference, counter.at(given, number - counter.step), counter)
    return after is not None and bool((after == number).any())


def _spread(numbers: Sequence[int], like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """All of them about as often, in no order."""
    order = torch.randperm(like.numel(), generator=generator)
    return torch.tensor(numbers)[order % len(numbers)].reshape(like.shape)


def _is_answered(reference: Reference, given: Given) -> bool:
    """In one way, and without integers that run over."""
    then = reference, given.inputs, given.state
    return is_answered(reference.tried(given.inputs, given.state)) and not wraps(*then) and is_certain(*then)
