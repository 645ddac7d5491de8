"""Lengths as long as the axis that they tell of, and those beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import torch

from ....profiling.build import Input
from ..reference.operators import plain_name, words
from ..reference.oracle import Reference
from .compared import SIDES, Compared, axis_of, signed
from .integers import is_answered
from .places import Uses, names_each_once, rises

_SHARE = 0.25
"""Of the integers of a tensor that become one that is compared with."""


def full_lengths(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
    less: bool = False,
) -> list[Input] | None:
    """`inputs` with a length, among its lengths, that is as long as the axis, one of a single place, and one
    less by one than the axis, which is no multiple of anything and with `less` comes first; None where there
    are none such, or the reference has no answer."""
    if not any(map(signed, inputs)):
        return None
    with Compared() as seen:
        reference.tried(inputs, state)
    full = [_with_fullest(one, seen.fullest, generator, less) for one in inputs]
    moved = any(one is not was for one, was in zip(full, inputs, strict=True))
    return full if moved and reference.tried(full, state) is not None else None


def short_lengths(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` whose lengths are an eighth of the axis that they tell of, half of it, none and three
    quarters, in turns, and in order where they are: windows lie wholly behind some of them, beside others
    that do not, and the op file may draw none that is far from full. One in the place of none where the
    reference has no finite number for that; None where there are none such, or it has none for that either.
    """
    if not any(map(signed, inputs)):
        return None
    with Compared() as seen:
        reference.tried(inputs, state)
    for least in (0, 1):
        changed = [_with_short(one, seen.fullest, least) for one in inputs]
        moved = any(one is not was for one, was in zip(changed, inputs, strict=True))
        if moved and is_answered(reference.tried(changed, state)):
            return changed
    return None


def _with_short(value: Input, seen: Sequence[tuple[torch.Tensor, int]], least: int) -> Input:
    fullest = _fullest(value, seen)
    if fullest is None or not signed(value):
        return value
    some = (max(1, fullest // 8), fullest // 2, least, 3 * fullest // 4)
    if value.numel() > len(some) and names_each_once(value):
        return value
    short = torch.tensor(some)[torch.arange(value.numel()) % len(some)].to(value.dtype)
    steps = value.reshape(-1).diff()
    if bool((steps >= 0).all()) or bool((steps <= 0).all()):
        short = short.sort(descending=bool((steps < 0).any())).values
    return short.view(value.shape)


def lengths_of(
    reference: Reference, draws: Sequence[Sequence[Input]], state: dict[str, torch.Tensor]
) -> dict[int, int]:
    """Which inputs are lengths, by their places, and what takes an axis whole: integers that the reference
    compares with the places along it, or reckons what it compares from, and that in each of the `draws` lie
    between zero and that; of what is reckoned, the shortest axis of any input that is no shorter."""
    found: list[dict[int, int]] = []
    for inputs in draws if all(any(map(signed, one)) for one in draws) else ():
        with Compared() as seen:
            reference.tried(inputs, state)
        known: dict[int, int] = {}
        for place, one in enumerate(inputs):
            if not signed(one) or int(one.min()) < 0:
                continue
            most = int(one.max())
            told = [fullest for lengths, fullest in seen.fullest if _same(one, lengths) and most <= fullest]
            if not told and seen.fullest and _is_reckoned(reference, inputs, state, one):
                told = _holding_sides(inputs, most)[:1]
            known.update({place: told[-1]} if told else {})
        found.append(known)
    every = found[0].keys() & found[-1].keys() if found else ()
    return {place: max(one[place] for one in found) for place in every}


def with_known(inputs: Sequence[Input], lengths: Mapping[int, int], known: Collection[int]) -> dict[int, int]:
    """`lengths`, and those `known` from another shape that here are compared with one place, or none."""
    more = {place: one for place in known if signed(one := inputs[place]) and int(one.min()) >= 0}
    sides = {place: _holding_sides(inputs, int(one.max())) for place, one in more.items()}
    return {**{place: found[0] for place, found in sides.items() if found}, **lengths}


def _holding_sides(inputs: Sequence[Input], most: int) -> list[int]:
    sides = (side for one in inputs if isinstance(one, torch.Tensor) for side in one.shape)
    return sorted(side for side in sides if side >= most)


def _is_reckoned(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], lengths: torch.Tensor
) -> bool:
    """Whether the reference compares what it reckons from these with places along an axis."""
    with _Reckoned(lengths) as seen:
        reference.tried(inputs, state)
    return bool(seen.compared)


class _Reckoned(Uses):
    """Notes whether what is made of `lengths` by arithmetic is compared with places along an axis."""

    def __init__(self, lengths: torch.Tensor) -> None:
        super().__init__([lengths], reckoned=_ARITHMETIC)
        self.compared = False

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        if plain_name(func) in SIDES:
            sides = (args[:2], args[1::-1])
            if any(signed(one) and axis_of(one) > 0 and self._is_one(other) for one, other in sides):
                self.compared = True
        super().saw(func, args, result)


_ARITHMETIC = words("add sub rsub mul div floor_divide clamp clamp_min clamp_max __rshift__ _to_copy")


def no_longer_than(drawn: Sequence[Input], lengths: Mapping[int, int]) -> list[Input]:
    """`drawn` inputs whose lengths take an axis whole at most, and are none below zero."""
    return [
        one.clamp(0, lengths[place]) if place in lengths and isinstance(one, torch.Tensor) else one
        for place, one in enumerate(drawn)
    ]


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.numel() == other.numel() and torch.equal(one.reshape(-1), other.reshape(-1))


def _with_fullest(
    value: Input, seen: Sequence[tuple[torch.Tensor, int]], generator: torch.Generator, less: bool
) -> Input:
    """Lengths among which one is as long as the axis that they tell of, one is a single place, and one is
    less by one than the axis: no multiple of anything."""
    fullest = _fullest(value, seen)
    if fullest is None:
        return value
    numbers = [fullest, 1, max(1, fullest - 1)]
    return holding(value, numbers[::-1] if less else numbers, generator)


def _fullest(value: Input, seen: Sequence[tuple[torch.Tensor, int]]) -> int | None:
    """How long the axis is that a tensor of lengths tells of; none where it is no such."""
    if not signed(value):
        return None
    lowest = 1 if rises(value) else 0  # from zero on, beginnings rise
    return next(
        (
            fullest
            for lengths, fullest in seen
            if _same(lengths, value) and int(value.min()) >= lowest and int(value.max()) <= fullest
        ),
        None,
    )


def holding(value: Input, numbers: Sequence[int], generator: torch.Generator) -> Input:
    assert isinstance(value, torch.Tensor)
    ends = torch.iinfo(value.dtype)
    inside = [one for one in numbers if ends.min <= one <= ends.max]
    if each := names_each_once(value):
        inside = [one for one in dict.fromkeys(inside) if one not in value.tolist()]
    if not inside:
        return value
    share = 0 if each else int(_SHARE * value.numel())
    free = torch.randperm(value.numel(), generator=generator)
    if each:  # what is there already stays
        free = free[[one not in numbers for one in value[free].tolist()]]
    count = min(len(free), max(len(inside), share))
    moved = value.contiguous().clone()
    moved.view(-1)[free[:count]] = torch.tensor(
        [inside[turn % len(inside)] for turn in range(count)], dtype=value.dtype
    )
    return moved
