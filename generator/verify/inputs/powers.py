"""Integers where few others are: at powers and beside them, at both ends, and of one sign and large."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, takewhile
from typing import Any, TypeGuard

import torch

from ....profiling.build import Input
from ..reference.classes import names_classes
from ..reference.operators import RANKS, compares, plain_name, words
from ..reference.oracle import Reference
from ..reference.watching import Watching
from ..reference.wrapping import wraps
from .domain import operators_of
from .integers import halved, is_answered, is_whole
from .taken import DIVIDES, first_taken
from .wide_integers import RECKONS, Reckoned

_TYPES = (torch.int16, torch.int32, torch.int64)
"""Of bytes other families have every number."""

_BASES = (2, 10)
"""Whose powers are edges wherever a kernel counts bits or digits, or takes a logarithm for that."""

_DIVISORS = 8
"""So many of a reference's own are bases too."""


def beside_powers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` whose integers are powers of two, of ten and of what the reference divides by, one more and
    one less, of either sign, and Fibonacci's numbers: a logarithm in float32 is on the wrong side of some,
    a float64 takes the largest neighbours for one, and of what stands for a number and the next, side by side
    in two tensors of one shape, Euclid's algorithm takes longest. Such two are at all combinations of their
    ends, too. None where `extreme_integers` has none, or nothing but bytes."""
    numbers = {one: _numbers(one, _divisors(reference, inputs, state)) for one in _types(inputs)}
    places = {
        one.shape: _dealt(one.numel(), len(numbers[one.dtype]), generator) for one in inputs if _is_wide(one)
    }

    def drawn(value: torch.Tensor, turn: int) -> torch.Tensor:
        known = numbers[value.dtype]
        found = known[(places[value.shape] + turn) % len(known)]
        ends = torch.iinfo(value.dtype)
        found[:_COMBINATIONS] = torch.tensor(
            [ends.max if place >> turn & 1 else ends.min for place in range(_COMBINATIONS)]
        )[: len(found)]
        return found.view(value.shape)

    return first_taken(reference, inputs, state, _choices(reference, inputs, state), drawn, _fewer_bits)


_COMBINATIONS = 4
"""Of two ends of two numbers."""


def on_one_side(
    side: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """`inputs` whose integers all lie in the upper quarter of their type, or in the lower one: the sum of any
    two, which a bisection halves, runs over, and a running maximum that begins at a number as shipped stays
    there. Those of two bytes or one also where floating results come of them (a mean beside an extreme). None
    likewise, and where the reference compares nothing."""
    operators = operators_of(reference, inputs, state)
    if RANKS.isdisjoint(operators) and not compares(operators):
        return None

    def drawn(value: torch.Tensor, turn: int) -> torch.Tensor:
        ends = torch.iinfo(value.dtype)
        raw = torch.zeros_like(value, memory_format=torch.contiguous_format)
        within = raw.random_(0, ends.max // 2, generator=generator)
        return ends.max - within if side else ends.min + within

    found = first_taken(reference, inputs, state, _choices(reference, inputs, state), drawn, halved)
    if found is not None or not any(map(_is_short, inputs)):
        return found
    changed = [drawn(one, 0) if _is_short(one) else one for one in inputs]
    with Reckoned([one for one in inputs if _is_short(one)], RECKONS | RANKS | _KEEPS) as uses:
        reference.tried(inputs, state)
    taken = not uses.otherwise and not RANKS.isdisjoint(uses.names)
    taken = taken and is_answered(reference.tried(changed, state)) and not wraps(reference, changed, state)
    return changed if taken else None


def _is_short(value: Input) -> TypeGuard[torch.Tensor]:
    """Of which a kernel may add up many in 32 bits."""
    return is_whole(value) and value.itemsize <= _SHORT_BYTES


_SHORT_BYTES, _KEEPS = 2, words("where masked_fill")


def _choices(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> list[list[int]]:
    """All tensors of such integers that are no classes, or else one after the other."""
    whole = [
        place
        for place, one in enumerate(inputs)
        if _is_wide(one) and not names_classes(reference, inputs, state, one)
    ]
    return [whole, *([place] for place in whole if len(whole) > 1)]


def _is_wide(value: Input) -> TypeGuard[torch.Tensor]:
    return is_whole(value) and value.dtype in _TYPES


def _types(inputs: Sequence[Input]) -> set[torch.dtype]:
    return {one.dtype for one in inputs if _is_wide(one)}


class _Divisors(Watching):
    """What whole numbers are divided by in the block, where that is one number."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[int, None] = {}

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        if plain_name(func) in DIVIDES and is_whole(args[0]):
            by = args[1]
            single = isinstance(by, torch.Tensor) and by.numel() == 1 and not by.is_floating_point()
            if (isinstance(by, int) or single) and abs(int(by)) > 1:
                self.found[abs(int(by))] = None


def _divisors(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> list[int]:
    with _Divisors() as seen:
        reference.tried(inputs, state)
    return list(seen.found)[:_DIVISORS]


def _numbers(dtype: torch.dtype, divisors: Sequence[int]) -> torch.Tensor:
    """In such an order that neighbours stand beside each other."""
    most = torch.iinfo(dtype).max
    found: list[int] = []
    for base in dict.fromkeys((*_BASES, *divisors)):
        powers = takewhile(lambda one: one <= most + 1, (base**power for power in count(1)))
        found += [one + off for one in powers for off in (-1, 0, 1) if one + off <= most]
    one, following = 1, 2
    while one <= most:  # Fibonacci's
        found.append(one)
        one, following = following, one + following
    return torch.tensor([*found, *(-one for one in found)], dtype=dtype)


def _dealt(many: int, among: int, generator: torch.Generator) -> torch.Tensor:
    """So many places in any order, each as often as any other."""
    hands = [torch.randperm(among, generator=generator) for _ in range(-(-many // among))]
    return torch.cat(hands)[:many]


def _fewer_bits(value: Input) -> Input:
    """What half as many bits do not hold is brought within them; the rest stays."""
    smaller = halved(value)
    if not isinstance(value, torch.Tensor) or not isinstance(smaller, torch.Tensor):
        return value
    half = 1 << torch.iinfo(value.dtype).bits // 2 - 1
    return value.where((value >= -half) & (value < half), smaller)
