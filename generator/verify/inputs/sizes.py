"""Draws numbers of every size in one input: formulas that change with the size change somewhere between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ....profiling.build import Input
from ..reference.eight_bits import is_eight_bits
from ..reference.measures import difference
from ..reference.operators import FRACTIONAL, plain_name, squares_inside, vanishes
from ..reference.oracle import Ran, Reference
from ..reference.watching import Watching
from .domain import distributions, is_positive, operators_of
from .extremes import is_finite, is_mask
from .families import EXPONENTIAL, floats

_POWERS = ((-110, 98), (-46, 46), (-24, 24))
"""Between which sizes lie; where fourth powers are taken, the last alone leaves them, and sums, room."""

_LOST, _LAST_BITS = 1e-5, 16
"""What eager may be off by, and how many of the last bits of a narrower dtype."""

_ROOM = 4
"""Powers of two between the largest number drawn and the largest that its dtype holds."""

_IN_ORDER = frozenset(("prod", "cumprod"))
"""Of numbers of any size, whether a product is one on the way depends on the order."""


def of_any_size(
    turn: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """`inputs` of which one that floats, the first, second or so by `turn`, has as many numbers between any
    power of two and the next: what a kernel switches at, and what overflows short of it, lies between sizes
    that are drawn throughout. None where the reference comes by no number or loses digits; where honest
    kernels cancel near zero nothing below one is drawn."""
    place = place_of_turn(turn, reference, inputs, state)
    operators = operators_of(reference, inputs, state) if place is not None else frozenset[str]()
    if place is None or not operators.isdisjoint(_IN_ORDER | {FRACTIONAL}):
        return None
    for least, most in _POWERS:
        drawn = _drawn(inputs[place], 0 if vanishes(operators) else least, most, generator)
        changed = [*inputs[:place], drawn, *inputs[place + 1 :]]
        if answers(reference, changed, state):
            return changed
    return None


def place_of_turn(
    turn: int, reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> int | None:
    """Where the input of this turn stands, of those whose numbers may be any: neither masks, nor shares, nor
    single numbers. None where the answer grows evenly with it: no form of that is another one farther out."""
    sharing = distributions((inputs,))
    found = [
        place
        for place, one in enumerate(inputs)
        if floats(one) and one.numel() > 1 and not is_mask(one) and not is_eight_bits(one)
    ]
    found = [place for place in found if place not in sharing]
    if turn >= len(found):
        return None
    place, runs = found[turn], []
    for times in range(1, 4):
        larger = inputs[place].double() * times  # type: ignore[union-attr]
        runs.append(reference.tried_exactly([*inputs[:place], larger, *inputs[place + 1 :]], state))
    outputs = [ran.outputs for ran in runs if ran is not None]
    return None if len(outputs) < len(runs) or all(map(_grows_evenly, *outputs)) else place


def _grows_evenly(once: torch.Tensor, twice: torch.Tensor, thrice: torch.Tensor) -> bool:
    if not floats(once) or not once.numel():
        return torch.equal(once, twice)
    bend = (thrice - twice) - (twice - once)
    return bool((bend.abs().max() <= _EVENLY * thrice.abs().max()).all())


_EVENLY = 1e-9
"""Of the largest, what float64 may leave of a straight line."""


def _drawn(value: Input, least: int, most: int, generator: torch.Generator) -> torch.Tensor:
    assert isinstance(value, torch.Tensor)
    limits = torch.finfo(value.dtype)
    low = max(least, round(math.log2(limits.tiny)) + _ROOM)
    high = min(most, round(math.log2(limits.max)) - _ROOM)
    sizes = 2.0 ** (low + (high - low) * torch.rand(value.shape, generator=generator, dtype=torch.float64))
    signs = 1 if is_positive(value) else torch.randint(0, 2, value.shape, generator=generator) * 2 - 1
    drawn = (sizes * signs).to(value.dtype)
    return drawn.sort(-1).values if value.ndim and bool((value.diff() >= 0).all()) else drawn


def answers(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> bool:
    """Whether the reference gives the same numbers in its own dtype as in float64, and comes by no infinity
    on its way but such as it chooses against. Never where sums of products go through an exponential, which
    makes much of what they are off by."""
    with _Ends() as seen:
        own = reference.tried(inputs, state)
    if own is None or seen.ends or not all(map(is_finite, _numbers(own))):
        return False
    exact = reference.tried_exactly(inputs, state)
    if exact is None or (exact.multiplies and not EXPONENTIAL.isdisjoint(exact.operators)):
        return False
    pairs = zip(_numbers(own), _numbers(exact), strict=True)
    return all(difference(one, right).worst <= _lost(one.dtype) for one, right in pairs)


def _lost(dtype: torch.dtype) -> float:
    return max(_LOST, _LAST_BITS * torch.finfo(dtype).eps)


def _numbers(ran: Ran) -> list[torch.Tensor]:
    return [one for one in (*ran.outputs, *ran.inputs, *ran.state.values()) if floats(one)]


class _Ends(Watching):
    """Whether numbers that a dtype does not hold come to an end otherwise than by a choice against them: in
    the quotient of one and infinity, say, that another form has as that of two infinities, or as integers."""

    def __init__(self) -> None:
        super().__init__()
        self.ends = False

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name = plain_name(func)
        given = [one for one in pytree.tree_leaves(args) if floats(one) and one.numel()]
        found = [one for one in pytree.tree_leaves(result) if isinstance(one, torch.Tensor)]
        lost = (
            name != "where" and not all(map(is_finite, given)) and all(map(is_finite, filter(floats, found)))
        )
        cast = name == "_to_copy" and bool(given) and any(not one.is_floating_point() for one in found)
        self.ends = self.ends or lost or (cast and _size(given[0]) >= _WHOLE)
        if squares_inside(name) and given:
            self.ends = self.ends or _size(given[0]) ** 2 > torch.finfo(given[0].dtype).max


_WHOLE = 2.0**31
"""What integers of 32 bits no longer hold."""


def _size(value: torch.Tensor) -> float:
    return float(value.abs().double().max())
