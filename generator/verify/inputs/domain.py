"""Tells which numbers an op has answers for, and what its operators are, from a few calls of its reference.

A geometric mean takes logarithms and a likelihood takes shares: of normal values nearly all answers would be
NaN, and nothing could be asked. Their families are drawn as magnitudes, or as shares between zero and one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import torch

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.oracle import Reference
from ..reference.watching import Watching
from .places import ROWS_OF

Domain = Literal["any", "magnitudes", "shares"]

_MOSTLY = 0.5
"""Share of finite results from which on values tell enough."""

_LEAST = 2.0**-20
"""Of magnitudes and of what is left of one: a logarithm of it is a usual number."""


def operators_of(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> frozenset[str]:
    """What the reference calls of ATen; none where it raises."""
    ran = reference.tried_exactly(inputs, state)  # where an op file's own code raises the first call tells it
    return ran.operators if ran is not None else frozenset()


def domain_of(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> Domain:
    """Where the inputs that float and are positive as shipped have to lie for an answer, in as many places as
    anywhere: a temperature below zero has some for some rows, and one above for all."""
    if not any(map(is_positive, inputs)):
        return "any"
    draw = torch.Generator().manual_seed(0)
    either = [_normal_like(one, draw) if is_positive(one) else one for one in inputs]
    below = [-one.abs() if is_positive(was) else one for one, was in zip(either, inputs, strict=True)]  # type: ignore[union-attr]
    shares: dict[Domain, float] = {}
    for domain, mapped in _MAPS.items():
        each: list[float] = []
        for drawn in (either, below):  # few numbers may all be positive by chance
            given = [mapped(one) if is_positive(was) else one for one, was in zip(drawn, inputs, strict=True)]
            answer = reference.tried(given, state)
            each += [_finite_share(output) for output in answer.outputs] if answer is not None else []
        if each:
            shares[domain] = sum(each) / len(each)
    enough = max([_MOSTLY, *shares.values()])
    return next((domain for domain, share in shares.items() if share >= enough), "any")


def within(
    domain: Domain,
    drawn: Sequence[Input],
    shipped: Sequence[Input],
    ordered: frozenset[int] = frozenset(),
    dividing: frozenset[int] = frozenset(),
    sharing: frozenset[int] = frozenset(),
) -> list[Input]:
    """`drawn` values where the `shipped` ones are positive and the op takes nothing else, as such; those at
    places that are `dividing` above zero, rows of those that are `sharing` with a sum of one, and those at
    `ordered` places in rows that rise."""
    mapped = _MAPS[domain]
    found = [mapped(one) if is_positive(was) else one for one, was in zip(drawn, shipped, strict=True)]
    found = [_as_magnitude(one) if place in dividing else one for place, one in enumerate(found)]
    found = [_as_distribution(one) if place in sharing else one for place, one in enumerate(found)]
    return [_sorted(one) if place in ordered else one for place, one in enumerate(found)]


def distributions(draws: Sequence[Sequence[Input]]) -> frozenset[int]:
    """Places of inputs whose rows are shares with a sum of one in each of the `draws`: what a softmax gives.
    Who takes them may know that none is below zero or beyond one."""
    return frozenset(
        place for place in range(len(draws[0])) if all(_is_distribution(one[place]) for one in draws)
    )


def _is_distribution(value: Input) -> bool:
    if not isinstance(value, torch.Tensor) or not is_positive(value) or value.ndim < 1 or value.shape[-1] < 2:
        return False
    return bool(((widened(value).float().sum(-1) - 1).abs() < _NEARLY).all())


_NEARLY, _APART = 1e-2, 8.0
"""How far from one a sum of shares in half precision may be, and how far apart logarithms of shares are."""


def _as_distribution(value: Input) -> Input:
    assert isinstance(value, torch.Tensor)
    scores = widened(value).float().nan_to_num()
    largest = scores.abs().amax(-1, keepdim=True).clamp_min(_APART) if scores.numel() else scores
    return (scores * (_APART / largest)).softmax(-1).to(value.dtype)


def divisors(
    reference: Reference, draws: Sequence[Sequence[Input]], state: dict[str, torch.Tensor]
) -> frozenset[int]:
    """Places of inputs that are above zero in each of the `draws`, by which the reference divides: a
    temperature, a step. Who divides by it may take its sign for granted."""
    places = [
        place
        for place in range(len(draws[0]))
        if all(is_positive(one[place]) and bool((widened(one[place]) > 0).all()) for one in draws)  # type: ignore[arg-type]
    ]
    if not places:
        return frozenset()
    with _Divides([draws[0][place] for place in places]) as seen:
        reference.tried(draws[0], state)
    return frozenset(place for turn, place in enumerate(places) if turn in seen.found)


class _Divides(Watching):
    """Which of some tensors, known by their numbers, something in the block is divided by."""

    def __init__(self, values: Sequence[Input]) -> None:
        super().__init__()
        self.values, self.found = values, set[int]()

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name = func._schema.name.removeprefix("aten::").removesuffix("_")
        by = args[1:2] if name == "div" else args[:1] if name == "reciprocal" else ()
        for one in (one for one in by if isinstance(one, torch.Tensor)):
            self.found |= {turn for turn, value in enumerate(self.values) if _holds(one, value)}


def _holds(one: torch.Tensor, value: Input) -> bool:
    assert isinstance(value, torch.Tensor)
    same = one.numel() == value.numel() and one.dtype == value.dtype
    return same and torch.equal(one.reshape(-1), value.reshape(-1))


def in_order(draws: Callable[[int], Sequence[Input]]) -> frozenset[int]:
    """Places of inputs whose rows of numbers rise in each of several draws, the first of which are 0 and 1:
    what looks up among them, or merges them, takes that for granted. A lone row of integers may as well name
    places, and is looked at for itself."""
    seen = [list(draws(0)), list(draws(1))]
    found = set()
    for place, value in enumerate(seen[0]):
        if not isinstance(value, torch.Tensor) or not _has_rows(value):
            continue
        if not any(_steps(one[place]) for one in seen):
            continue
        while all(_rises(one[place]) for one in seen) and len(seen) < _BY_CHANCE:
            seen.append(list(draws(len(seen))))
        if all(_rises(one[place]) for one in seen) and sum(_steps(one[place]) for one in seen) >= _BY_CHANCE:
            found.add(place)
    return frozenset(found)


_BY_CHANCE = 12
"""Draws, and steps up in them: no chance has it so, not even where a row is drawn to rise in half of them."""


def _has_rows(value: torch.Tensor) -> bool:
    return value.ndim > 0 if value.is_floating_point() else value.ndim > 1 and value.dtype in ROWS_OF


def _steps(value: Input) -> int:
    return int(widened(value).diff().count_nonzero()) if isinstance(value, torch.Tensor) else 0


def _rises(value: Input) -> bool:
    return isinstance(value, torch.Tensor) and bool((widened(value).diff() >= 0).all())


def _sorted(value: Input) -> Input:
    assert isinstance(value, torch.Tensor)
    return widened(value).sort(-1).values.to(value.dtype)


def is_positive(value: Input) -> bool:
    """Floating numbers, none of them below zero."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel():
        return False
    return bool((widened(value) >= 0).all())


def _normal_like(value: Input, draw: torch.Generator) -> Input:
    assert isinstance(value, torch.Tensor)
    return torch.randn(value.shape, generator=draw).to(value.dtype)


def _as_magnitude(value: Input) -> Input:
    assert isinstance(value, torch.Tensor)
    return widened(value).abs().clamp_min(_LEAST).to(value.dtype)


def _as_share(value: Input) -> Input:
    """By a curve that takes zero to a half and leaves a bit at either end."""
    assert isinstance(value, torch.Tensor)
    least = max(_LEAST, torch.finfo(value.dtype).eps)
    return widened(value).sigmoid().clamp(least, 1 - least).to(value.dtype)


def _finite_share(output: torch.Tensor) -> float:
    return float(widened(output).isfinite().float().mean()) if output.numel() else 1.0


_MAPS: Mapping[Domain, Callable[[Input], Input]] = {
    "any": lambda value: value,
    "magnitudes": _as_magnitude,
    "shares": _as_share,
}
