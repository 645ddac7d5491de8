"""Stands counters in the middle of their lives: where dozens of calls lead them, or thousands, and where what
the reference asks of them comes out otherwise than one call before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeGuard

import torch

from ....profiling.build import Input
from ..process.layout import placed
from ..reference.operators import plain_name, words
from ..reference.oracle import Ran, Reference
from ..reference.watching import Watching
from ..reference.wrapping import wraps
from .compared import SIDES, axis_of
from .integers import is_answered
from .places import ROWS_OF
from .setting import COUNTED, Case
from .thresholds import is_certain

MIDWAY = "counter midway"

LIVES = ((1 << 5, 1 << 7), (1 << 10, 1 << 13), (1 << 16, 1 << 20), (1 << 30, (1 << 31) - (1 << 24)))
"""From where to where a counter stands in four calls: behind dozens, thousands and a million; and where 32
bits hold it, and no multiple of it."""

_EXACT = 1 << 24
"""Up to which float32 counts."""

_LOW_WORD = (1 << 32) - 1
"""Of what is given in 64 bits; buffers of so many stand there in a call of their own."""

_COUNTERS, _EDGES = 2, 6
"""So many counters of an op are asked of, and so many numbers of each beside what it is compared with."""

_NUMBERS = 4
"""So many of those with which it is compared."""

_TURNS = 3
"""Times a divisor: it is not the first time that nothing remains."""

_NEARLY_NOTHING = 2.0**-10
"""What single buffers are that calls keep up: a loss is no better than the best one any longer."""


def midway(case: Case, generator: torch.Generator) -> Iterator[Case]:
    """`case` with a counter at other numbers, each counter for itself: at one in each span of its life, and
    on both sides of where what it is compared with, or taken a remainder by, makes a difference. A counter is
    one number that a call raises by a whole one, or an integer among the inputs that leads to numbers alone,
    and stands where the call before would leave it."""
    reference = case.setting.reference
    for given, counter in _counters(reference, Given(case.inputs, case.step.state))[:_COUNTERS]:
        low, high = (_seen(reference, counter.at(given, number)) for number in (0, LIVES[0][0]))
        if not _leads_to_numbers(low, high, counter):
            continue
        lives = [int(torch.randint(*span, (1,), generator=generator)) for span in LIVES]
        lives += [_LOW_WORD] if counter.is_given and counter.step else []
        for number in dict.fromkeys([*lives, *_edges(reference, given, counter)]):
            if counter.holds(number) and _is_asked(reference, given, counter, number):
                yield standing(case, counter.at(given, number), number)


@dataclass(frozen=True)
class Given:
    """What goes into a call."""

    inputs: list[Input]
    state: dict[str, torch.Tensor]


@dataclass(frozen=True)
class Counter:
    """A number among the inputs, by its place, or among the buffers, by its name, and what one call adds."""

    where: int | str
    step: int
    dtype: torch.dtype

    @property
    def is_given(self) -> bool:
        return isinstance(self.where, int)

    def holds(self, number: int) -> bool:
        """Whether its type does, and what a call makes of it."""
        most = _EXACT if self.dtype.is_floating_point else torch.iinfo(self.dtype).max
        return 0 <= number <= most - self.step

    def of(self, ran: Given | Ran) -> torch.Tensor:
        found = ran.inputs[self.where] if isinstance(self.where, int) else ran.state[self.where]
        assert isinstance(found, torch.Tensor)
        return found

    def at(self, given: Given, number: int | torch.Tensor) -> Given:
        """Of several elements each at its own number, or all of them at one."""
        other = torch.empty_like(self.of(given)).copy_(torch.as_tensor(number))
        if isinstance(self.where, int):
            inputs = [other if place == self.where else one for place, one in enumerate(given.inputs)]
            return replace(given, inputs=inputs)
        return replace(given, state={**given.state, self.where: other})


def _counters(reference: Reference, given: Given) -> list[tuple[Given, Counter]]:
    """Those that count as it is, and with single buffers next to nothing those that count then."""
    ran = reference.tried(given.inputs, given.state)
    found = [] if ran is None else [(given, one) for one in _counting(given, ran)]
    known = {one.where for _, one in found}
    kept_up = [
        name
        for name, was in given.state.items()
        if ran is not None and was.numel() == 1 and was.is_floating_point() and not was.equal(ran.state[name])
    ]
    little = {name: torch.full_like(given.state[name], _NEARLY_NOTHING) for name in {*kept_up} - known}
    if little:
        other = replace(given, state={**given.state, **little})
        ran = reference.tried(other.inputs, other.state)
        later = [] if ran is None else _counting(other, ran)
        found += [(other, one) for one in later if one.where not in known]
    return found


def _counting(given: Given, ran: Ran) -> list[Counter]:
    pairs: list[tuple[int | str, Any, Any]] = [
        *((name, one, ran.state[name]) for name, one in given.state.items() if not name.endswith(COUNTED)),
        *((place, one, ran.inputs[place]) for place, one in enumerate(given.inputs)),
    ]
    return [
        Counter(where, int(now - was), was.dtype)
        for where, was, now in pairs
        if _is_one(was) and (_counts(was, now) or (isinstance(where, int) and _stays(was, now)))
    ]


def _is_one(value: Any) -> TypeGuard[torch.Tensor]:
    one = isinstance(value, torch.Tensor) and value.numel() == 1
    return one and value.dtype != torch.bool and not value.is_complex()


def _counts(was: torch.Tensor, now: torch.Tensor) -> bool:
    step = float(now) - float(was)
    return float(was) >= 0 and step >= 1 and step.is_integer()


def _stays(was: torch.Tensor, now: torch.Tensor) -> bool:
    return not was.is_floating_point() and torch.equal(was, now)


MODULI = words("remainder fmod floor_divide")
BOUNDS = words("clamp clamp_min clamp_max minimum maximum")
TRUTHS = SIDES | {"eq", "ne"}
_UNWRITTEN = words("empty new_empty empty_like empty_strided set")


class _Asked(Watching):
    """What is asked of single numbers in the block: `numbers` that they are compared with, or taken a
    remainder by, and how that comes out; the integers and truths of `several` elements; and whether a length,
    or a place, is `too_long` for its axis."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[int, None] = {}
        self.outcomes: list[float] = []
        self.several: list[torch.Tensor] = []
        self.too_long = False

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        if not isinstance(result, torch.Tensor):
            return
        name = plain_name(func)
        if result.numel() > 1 and result.dtype in (*ROWS_OF, torch.bool) and name not in _UNWRITTEN:
            self.several.append(result.clone())
        if name in TRUTHS:
            self._note_lengths(name, *args[:2])
        if name not in TRUTHS | BOUNDS | MODULI or result.numel() != 1:
            return
        numbers = list(filter(tells, map(whole_number, args[1:])))
        self.numbers.update(dict.fromkeys([*numbers, *(_TURNS * one for one in numbers if name in MODULI)]))
        kept = name in BOUNDS or (name in MODULI and name != "floor_divide")
        self.outcomes.append(float(result == args[0]) if kept else float(result))

    def _note_lengths(self, name: str, left: Any, right: Any) -> None:
        for places, length, beyond in (
            (left, right, name in ("lt", "ge")),
            (right, left, name in ("gt", "le")),
        ):
            if isinstance(length, torch.Tensor) and length.numel() == 1 and isinstance(places, torch.Tensor):
                axis = axis_of(places) if places.numel() > 1 else 0
                self.too_long |= axis > 0 and float(length) > axis - (not beyond)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (isinstance(value, torch.Tensor) and value.numel() == 1)


def whole_number(value: Any) -> int:
    """Zero where it is no whole one."""
    number = float(value) if _is_number(value) else 0.0
    return int(number) if number.is_integer() else 0


def tells(number: int) -> bool:
    return 1 < number < LIVES[-1][-1]


def _seen(reference: Reference, given: Given) -> _Asked | None:
    with _Asked() as seen:
        ran = reference.tried(given.inputs, given.state)
    return None if ran is None else seen


def _leads_to_numbers(low: _Asked | None, high: _Asked | None, counter: Counter) -> bool:
    """Whether it makes no places of several elements; of what no call changes no truths either: it may be a
    length."""
    if low is None or high is None or len(low.several) != len(high.several):
        return False
    moved = [one for one, other in zip(low.several, high.several, strict=True) if not _equal(one, other)]
    return not moved or (counter.step > 0 and all(one.dtype == torch.bool for one in moved))


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and torch.equal(one, other)


def _edges(reference: Reference, given: Given, counter: Counter) -> list[int]:
    """Numbers of which the next, or the one before, comes out otherwise where the reference asks."""
    seen, found = _seen(reference, given), dict[int, None]()
    for number in list(seen.numbers)[:_NUMBERS] if seen is not None else []:
        beside = {base + off for base in (number - counter.step, number) for off in (-1, 0, 1)}
        outcomes = {
            at: asked.outcomes
            for at in sorted(beside)
            if counter.holds(at) and (asked := _seen(reference, counter.at(given, at))) is not None
        }
        for at, following in pairwise(outcomes):
            if following == at + 1 and outcomes[at] != outcomes[following]:
                found.update({at: None, following: None})
    return list(found)[:_EDGES]


def _is_asked(reference: Reference, given: Given, counter: Counter, number: int) -> bool:
    """Whether a call leaves the counter there, and the reference has one answer, to no length beyond its axis
    and without integers that run over."""
    there, before = counter.at(given, number), counter.at(given, number - counter.step)
    ran = reference.tried(before.inputs, before.state) if counter.step and number >= counter.step else None
    if counter.step and (ran is None or int(counter.of(ran)) != number):
        return False
    asked = _seen(reference, there)
    if asked is None or asked.too_long or not is_answered(reference.tried(there.inputs, there.state)):
        return False
    given_then = reference, there.inputs, there.state
    return not wraps(*given_then) and is_certain(*given_then)


def standing(case: Case, given: Given, number: int | str) -> Case:
    step = replace(case.step, inputs=given.inputs, state=given.state, again=False, optional=False)
    laid = placed(given.inputs, "contiguous")
    name = f"{case.setting.name}, {MIDWAY} at {number}"
    return replace(case, name=name, family=MIDWAY, step=step, inputs=laid)
