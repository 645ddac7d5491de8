"""Watches what a reference compares with: bounds, ends of clamps and bins, multiples of divisors, lengths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeGuard

import torch

from ..reference.operators import plain_name
from ..reference.watching import Watching
from .integers import is_whole

_ORDERS = frozenset(("gt", "ge", "lt", "le", "clamp", "clamp_min", "clamp_max", "histc"))
_EQUALS = frozenset(("eq", "ne"))

_EDGES, _MOST_EDGES = frozenset(("bucketize", "searchsorted")), 16


class Compared(Watching):
    """What stands on the right of comparisons in the block, ends of clamps and of bins included; of floating
    numbers zero and infinity apart, which other families hold."""

    def __init__(self) -> None:
        super().__init__()
        self.floating: list[torch.Tensor] = []
        self.whole: dict[int, bool] = {}  # whether order is asked for, or equality alone
        self.fullest: list[tuple[torch.Tensor, int]] = []  # lengths, and the one that takes an axis whole
        self._in_turn = list[tuple[torch.Tensor, str, set[int]]]()  # what was compared how, and with which

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name = plain_name(func)
        if name in _DIVIDES and signed(args[0]):
            self._note_multiples(*args[:2])
        if name not in _ORDERS | _EQUALS | _EDGES or not isinstance(args[0], torch.Tensor):
            return
        if name in _EDGES:
            tensors = [one for one in args[:2] if isinstance(one, torch.Tensor)]
            edges = min(tensors, key=torch.numel)
            self.floating += [edge.float().clone() for edge in edges.reshape(-1)[:_MOST_EDGES] if edge]
            return
        if name in SIDES:
            self._note_lengths(name, *args[:2])
            self._note_steps(name, *args[:2])
        for bound in _bounds(args[1:]):
            if args[0].is_floating_point():
                self.floating += [bound.detach().float().clone()] * is_met(bound)
            elif bound.numel() == 1 and not bound.is_floating_point() and args[0].dtype != torch.bool:
                self.whole[int(bound)] = self.whole.get(int(bound), False) or name in _ORDERS

    def _note_multiples(self, left: torch.Tensor, right: Any) -> None:
        """The largest multiples of a divisor: a quotient that is not whole may round up just below them."""
        divisor = int(right) if isinstance(right, int) or _is_one_integer(right) else 0
        turns = int(left.max()) // divisor if divisor > 1 else 0
        self.whole.update({turn * divisor: True for turn in range(max(1, turns - _MULTIPLES), turns + 1)})

    def _note_lengths(self, name: str, left: Any, right: Any) -> None:
        for places, lengths, beyond in (
            (left, right, name in ("lt", "ge")),
            (right, left, name in ("gt", "le")),
        ):
            if signed(places) and signed(lengths) and (length := axis_of(places)):
                self.fullest.append((lengths.detach().clone(), length - (not beyond)))

    def _note_steps(self, name: str, left: Any, right: Any) -> None:
        """Where a loop compares with each of its steps, in whatever order, these are the places."""
        if not (signed(left) and type(right) is int):
            return
        known = (one for one in self._in_turn if one[1] == name and torch.equal(one[0], left))
        record = next(known, None)
        if record is None:
            record = (left.detach().clone(), name, set())
            self._in_turn.append(record)
        lengths, _, steps = record
        steps.add(right)
        if len(steps) >= _A_LOOP and min(steps) in (0, 1) and max(steps) - min(steps) == len(steps) - 1:
            self.fullest = [one for one in self.fullest if one[0] is not lengths]
            self.fullest.append((lengths, max(steps) + (name in ("gt", "le"))))


_A_LOOP = 3
"""Steps: two numbers may be thresholds."""


def _is_one_integer(value: Any) -> bool:
    whole = isinstance(value, torch.Tensor) and not (value.is_floating_point() or value.is_complex())
    return whole and value.numel() == 1


def is_met(bound: torch.Tensor) -> bool:
    """Neither zero nor infinite, which other families hold."""
    return bool(bound.any()) and bool(bound.isfinite().all())


_DIVIDES, _MULTIPLES = frozenset(("floor_divide", "remainder", "fmod", "div")), 4

SIDES = frozenset(("gt", "ge", "lt", "le"))
"""Which tell the larger of two sides."""


def axis_of(places: torch.Tensor) -> int:
    """How long the axis is whose `places`, all or all but the first, a tensor counts up; 0 where it is none.
    Of fewer than three from one on nobody knows."""
    for first in (0, 1) if places.numel() >= _A_LOOP else (0,):
        end = first + places.numel()
        if torch.equal(places.reshape(-1), torch.arange(first, end, dtype=places.dtype)):
            return end
    return 0


def _bounds(given: Iterable[Any]) -> Iterator[torch.Tensor]:
    for one in given:
        if isinstance(one, torch.Tensor | int | float):
            yield torch.as_tensor(one)


def signed(value: Any) -> TypeGuard[torch.Tensor]:
    """Several integers, of a dtype that has negative ones."""
    return is_whole(value) and torch.iinfo(value.dtype).min < 0
