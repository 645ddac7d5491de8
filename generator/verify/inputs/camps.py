"""Parts scores into two camps, one far ahead: what a softmax weighs with nothing may be enormous, and what it
weighs may be so throughout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import torch

from ....profiling.build import Input
from ..reference.measures import alike_but_for_size
from ..reference.operators import words
from ..reference.oracle import Ran, Reference
from .ahead import keys_ahead, places_ahead
from .domain import operators_of
from .extremes import is_finite
from .families import floats, leading_pair
from .idle import spiked

BEHIND, LATE = "values far behind", "scores that rise late"
CAMPS = (BEHIND, LATE)
"""Drawn where there are some tiles of scores."""

_WEIGHS = words("""
    _softmax _log_softmax softmax log_softmax exp exp2 scaled_dot_product_attention
    _scaled_dot_product_flash_attention_for_cpu
    """)
"""By exponentials of scores."""

_FAR, _RISE = 256.0, 24.0
"""How far ahead a camp is: so far that exponentials of the difference are nothing; and so that their largest
is 2^34, beyond which `_LARGE` values, so weighed before the maximum is known, pass float32, while they stay
within it where the maximum may be behind by eight or ten."""

_ENORMOUS, _LARGE, _LARGE_IN_HALF = 2.0**90, 2.0**95, 2.0**9

_ROUNDED = 1 + 2.0**-20

_LEADS, _LATE = 1 / 4, 16
"""The share of places in the leading camp; and the part of a row, its last, that rises: of a second tile, or
of a later one."""


def scores_in(inputs: Sequence[Input]) -> int:
    """How many scores a row has: keys, or places of the smallest input that floats."""
    pair = leading_pair(inputs)
    floating = [one for one in inputs if floats(one) and one.ndim]
    if pair is not None:
        keys = inputs[pair[1]]
        return max(keys.shape[:-1]) if isinstance(keys, torch.Tensor) else 0
    return max(min(floating, key=torch.numel).shape) if floating else 0


def values_behind(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` in whose scores a quarter of the places, anywhere, leads so far that the others weigh nothing,
    and enormous values at those: finite numbers beside a weight of zero make no difference. None where there
    are no scores, or no values that they weigh."""
    if _WEIGHS.isdisjoint(operators_of(reference, inputs, state)):
        return None
    for places, scored in _in_camps(inputs, _FAR, late=False, generator=generator):
        answer, changed = reference.tried(scored, state), scored
        if answer is None or not all(map(is_finite, answer.outputs)):
            continue
        for place in _values(scored, places):
            value, gradient = changed[place], reference.gradient(changed, state, place)
            assert isinstance(value, torch.Tensor)
            if gradient is not None and bool(gradient.any()) and not bool(gradient.all()):
                tried = partial(_tried, reference, changed, state, place)
                found = spiked(_ENORMOUS, value.contiguous(), gradient, tried, answer, generator)
                changed = changed if found is None else [*changed[:place], found, *changed[place + 1 :]]
        if changed is not scored:
            return changed
    return None


def scores_rise_late(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` whose last scores are ahead of all others by a few tens, and whose values are so large that
    they pass the end of float32 if they are weighed beside an earlier maximum. None where the answer is no
    mean of some input, which grows with it, is no larger and changes no otherwise."""
    if _WEIGHS.isdisjoint(operators_of(reference, inputs, state)):
        return None
    for places, scored in _in_camps(inputs, _RISE, late=True, generator=generator):
        usual = reference.tried_exactly(scored, state)
        for place in _values(scored, places):
            value = scored[place]
            assert isinstance(value, torch.Tensor)
            most = _LARGE if torch.finfo(value.dtype).max > _LARGE else _LARGE_IN_HALF
            changed = [*scored[:place], value * most, *scored[place + 1 :]]
            exact, own = reference.tried_exactly(changed, state), reference.tried(changed, state)
            if usual is None or exact is None or own is None or not all(map(is_finite, own.outputs)):
                continue
            largest = max((float(one.abs().max()) for one in exact.outputs if one.numel()), default=0.0)
            weighed = most / 64 < largest <= float(changed[place].abs().max()) * _ROUNDED  # type: ignore[union-attr]
            if weighed and all(map(alike_but_for_size, exact.outputs, usual.outputs)):
                return changed
    return None


def _tried(
    reference: Reference, inputs: list[Input], state: dict[str, torch.Tensor], place: int, one: torch.Tensor
) -> Ran | None:
    return reference.tried([*inputs[:place], one, *inputs[place + 1 :]], state)


def _values(inputs: Sequence[Input], scores: frozenset[int]) -> list[int]:
    """Places of what scores may weigh, from the last on: it comes behind them as a rule."""
    places = [place for place, one in enumerate(inputs) if floats(one) and one.ndim > 1]
    return [place for place in reversed(places) if place not in scores]


def _in_camps(
    inputs: Sequence[Input], ahead: float, *, late: bool, generator: torch.Generator
) -> Iterator[tuple[frozenset[int], list[Input]]]:
    """The places of two inputs whose products are scores, or of one that holds them, and all with these in
    two camps."""
    pair = leading_pair(inputs)
    if pair is not None:
        changed = _copied(inputs, pair)
        queries, keys = (changed[place] for place in pair)
        assert isinstance(queries, torch.Tensor)
        assert isinstance(keys, torch.Tensor)
        keys_ahead(queries, keys, _leading(max(keys.shape[:-1]), late, generator), ahead, generator)
        yield frozenset(pair), changed
    for place, one in enumerate(inputs):
        if floats(one) and one.ndim and one.numel():
            changed = _copied(inputs, (place,))
            scores = changed[place]
            assert isinstance(scores, torch.Tensor)
            places_ahead(scores, _leading(max(scores.shape), late, generator), ahead, generator)
            yield frozenset((place,)), changed


def _leading(length: int, late: bool, generator: torch.Generator) -> torch.Tensor:
    """The places of that many that lead."""
    if late:
        return torch.arange(length - max(1, length // _LATE), length)
    return torch.randperm(length, generator=generator)[: max(1, int(length * _LEADS))]


def _copied(inputs: Sequence[Input], places: Sequence[int]) -> list[Input]:
    """With copies of these to fill."""
    return [
        one.contiguous().clone() if place in places and isinstance(one, torch.Tensor) else one
        for place, one in enumerate(inputs)
    ]
