"""Makes a network small whose sizes stand in its constructors: its widths first, its image with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from .axes import Measure, Values, overrides_of
from .constructors import cuts
from .footprint import Footprint
from .source import Literal

_IMAGES = (64, 96, 128, 160)
"""Sides of an image for a network that ends in an extent of its own."""


@dataclass(frozen=True)
class Start:
    """Where a search for smaller shapes starts: sizes, what is set in constructors, and what both take."""

    values: Values
    base: Footprint
    built: Mapping[str, Literal]


def narrowed(constants: Mapping[str, Literal], measure: Measure, start: Start) -> Start | None:
    """A start with numbers in constructors cut down, where the operator still makes the same calls; None
    where there is no such."""
    images = {side for shape in start.base.inputs if len(shape) > 3 for side in shape[-2:]}
    slots = [slot for slot, value in start.values.items() if value in images and value > _IMAGES[0]]
    for built, side in cuts(constants, images, _IMAGES):
        values = start.values if side is None else start.values | dict.fromkeys(slots, side)
        found = measure({**overrides_of(constants, values), **built})
        if found is not None and found.signature == start.base.signature and _is_less(found, start.base):
            return Start(values, found, built)
    return None


def _is_less(found: Footprint, base: Footprint) -> bool:
    """Half as many parameters, or most tensors of them smaller: the rest is for another constant to cut."""
    smaller = sum(prod(now) < prod(was) for now, was in zip(found.state, base.state, strict=False))
    return 2 * _elements(found) <= _elements(base) or 2 * smaller > len(base.state)


def _elements(found: Footprint) -> int:
    """Of parameters and buffers."""
    return sum(map(prod, found.state))
