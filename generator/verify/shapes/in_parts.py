"""Makes two axes of an op at once as long as several tiles and a remainder, or as no 16 bits count."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from .sizing import builds_alike, first_sound, free_sizes, sizes_of

UNEVEN = (331, 344, 352)
"""Lengths of several tiles and a remainder, the first that an op takes."""

TOGETHER = "uneven together"

_PART = 32
"""Elements of a tile along one of two axes: a shorter one has no second at full size, and is asked for
alone."""

_SHORT = 2
"""Likewise where few bits count what lies between the two, of whatever there are several."""


def together(op: Op, names: list[str], others: Mapping[str, Any], most_bytes: int) -> list[ShapeSet]:
    """The two largest of them in uneven parts at once, with one of what the model is not built from: a tile
    that is left out by what its rows and its columns have in common shows where there are several of both.
    Where they are not two, those that shape what comes out, in more parts than they have at full size, which
    is for kernels that take several of each at once."""
    long_axis = 0 if len(names) > 1 else UNEVEN[-1]
    names = names if len(names) > 1 else _spanning(op)
    if len(names) < 2:
        return []
    long = dict(zip(names, (UNEVEN[-1], UNEVEN[0]), strict=True))
    free = [one for one in free_sizes(op) if one not in names]
    ones = {one: 1 for one in free if builds_alike(op, others, {**others, one: 1})}
    for cut in ({**others, **ones}, dict(others)):
        made = first_sound(op, names[0], {**cut, **long}, most_bytes, (long[names[0]],))
        if made is not None:
            told = " and ".join(names) + " in uneven parts"
            return [ShapeSet(TOGETHER, *made, True, told, axis=long_axis)]
    return []


def past_16_bits(op: Op, small: Mapping[str, Any], most_bytes: int) -> list[ShapeSet]:
    """The two largest axes of what comes out with more elements between them than 16 bits count, and one of
    what else the model is not built from: offsets within a plane, in a candidate that casts to so few."""
    names = _spanning(op, _SHORT)
    if len(names) < 2:
        return []
    others = [one for one in free_sizes(op) if one not in names]
    ones = {one: 1 for one in others if builds_alike(op, small, {**small, one: 1})}
    for sides in _PAST_16_BITS:
        long = dict(zip(names, sides, strict=True))
        for cut in ({**small, **ones}, dict(small)):
            made = first_sound(op, names[0], {**cut, **long}, most_bytes, sides[:1])
            if made is not None:
                return [ShapeSet("deep", *made, True, " and ".join(names) + " beyond 16 bits")]
    return []


_PAST_16_BITS = ((257, 257), (1025, 65), (65, 1025))
"""The first that there is room for: of one of them all pairs may be among the temporaries."""


def _spanning(op: Op, least: int = _PART) -> list[str]:
    """The two largest sizes, of at `least` so many, of which what comes out has axes, if there are two."""
    full, usual = sizes_of(op.constants), op.footprint().outputs
    found: list[str] = []
    for name in sorted(free_sizes(op), key=lambda one: -full[one]):
        with contextlib.suppress(OpError):
            outputs = op.with_overrides({name: 2 * full[name]}).footprint().outputs
            if len(found) < 2 and full[name] >= least and outputs != usual:
                found.append(name)
    return found
