"""A shape at which sizes change places: which of two is the larger is by chance, and a grid may be made for
that one alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from itertools import combinations, islice

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from ....profiling.source import Literal
from .sizing import builds_alike, free_sizes, sizes_of

EXCHANGED = "exchanged"

_TRIED = 6
"""Pairs, where not all sizes can change places at once."""

_SHORT, _MOST = 8, 3
"""Elements that one block takes where an axis is short as shipped; and shapes, all in all."""


def exchanged(op: Op, sets: list[ShapeSet], most_bytes: int) -> list[ShapeSet]:
    """The small sizes, the first of `sets`, in the opposite order, of those that shape inputs alone; where
    that cannot be, a pair of them, each in the other's place. None where of no two sizes the same one is the
    larger at all of `sets` and at full size. Then, for an axis or two that are short in all of these, each in
    the place of the longest: a block of eight takes all the heads that are shipped."""
    full, small = sizes_of(op.constants), sets[0].overrides
    names = [name for name in free_sizes(op) if builds_alike(op, {}, {name: 2 * full[name]})]
    usual = {name: int(small.get(name, full[name])) for name in names}  # type: ignore[arg-type]
    shown = [full, *({**full, **sizes_of(one.overrides)} for one in sets)]
    open_pairs = [pair for pair in combinations(names, 2) if _has_one_order(*pair, shown)]
    made = (_made(op, EXCHANGED, {**small, **sizes}, most_bytes) for sizes in _orders(usual, open_pairs))
    found = list(islice(filter(None, made), 1))
    longest = max(names, key=usual.__getitem__, default="")
    for name in names:
        judged = [*shown, *({**full, **sizes_of(one.overrides)} for one in found)]
        if len(found) < _MOST and max(sizes[name] for sizes in judged) <= _SHORT < usual[longest]:
            swapped = {**small, name: usual[longest], longest: usual[name]}
            found += filter(None, [_made(op, f"{EXCHANGED} {name}", swapped, most_bytes)])
    return found


def _made(op: Op, name: str, overrides: dict[str, Literal], most_bytes: int) -> ShapeSet | None:
    with contextlib.suppress(OpError):
        size = op.with_overrides(overrides).footprint().total_bytes
        if size <= most_bytes and op.is_sound(overrides) and not op.holds_by_chance(overrides):
            return ShapeSet(name, overrides, size, True, "sizes in each other's place")
    return None


def _has_one_order(one: str, other: str, shown: list[dict[str, int]]) -> bool:
    """Whether the sizes differ at full size, the first of `shown`, and are never the other way round."""
    sign = shown[0][one] - shown[0][other]
    return sign != 0 and all(sign * (sizes[one] - sizes[other]) >= 0 for sizes in shown)


def _orders(usual: Mapping[str, int], pairs: list[tuple[str, str]]) -> Iterator[dict[str, int]]:
    if not pairs:
        return
    order = sorted(usual, key=lambda name: usual[name])
    yield dict(zip(order, (usual[name] for name in reversed(order)), strict=True))
    for one, other in pairs[:_TRIED]:
        yield {one: usual[other], other: usual[one]}
