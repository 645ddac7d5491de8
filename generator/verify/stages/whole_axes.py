"""Sizes of which one, or two, are as at full size and the others small."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from ....profiling.constructors import is_built_in
from ....profiling.op import Op, OpError
from ....profiling.source import Literal
from ..shapes.stretched import rows_of
from ..shapes.whole_tiles import bytes_of, whole_tiles
from .settings import ROOM

MOST_ROWS = 4096
"""Rows of the first output, each of which may be a program: more of them take too long."""

_MOST_BYTES = 8 << 20
"""Where an axis is alone: one that stands twice, keys beside queries, needs the room."""

_LEAST_TILE = 16
"""Elements that a size halved for want of memory remains a multiple of."""

_MOST_PAIRS = 8


def full_axes(
    op: Op, small: Mapping[str, Literal], most_rows: int = MOST_ROWS
) -> dict[str, dict[str, Literal]]:
    """Per constant that `small` cuts down, sizes with it as the op ships it, or half of that, and so on; or
    together with another one that it has to match; those with few rows first. Widths that a network has
    written into its constructor stay cut: whole ones would not fit. The first output has `most_rows`
    at most."""
    tiles = whole_tiles(op, small, max(ROOM.wide, 2 * (bytes_of(op, small) or 0)))
    bases = [*([tiles] if tiles else []), small, _smaller(small, 4), _smaller(small, 16)]
    cut = [name for name, value in small.items() if value != op.constants[name] and not is_built_in(name)]
    alone = [small, _smaller(small, 16)]
    found: dict[str, dict[str, Literal]] = {}
    for name in cut:
        values = (*_whole_dimension(op, small, name), *_halves(op.constants[name]))
        choices = [{name: value} for value in values]
        choices += [{one: op.constants[one] for one in (name, other)} for other in cut if other != name]
        fitting = (
            sizes
            for choice in choices
            if (sizes := _fitting(op, choice, bases, alone, most_rows)) is not None
        )
        sizes = next(fitting, None)
        if sizes is not None and sizes not in found.values():
            found[name] = sizes
    return dict(sorted(found.items(), key=lambda one: rows_of(op.with_overrides(one[1]))))


def full_pairs(op: Op, small: Mapping[str, Literal], most_rows: int) -> dict[str, dict[str, Literal]]:
    """Likewise two of them at once and next to nothing along all others, the smallest first: `pages * page`
    is what neither gives."""
    cut = [name for name, value in small.items() if value != op.constants[name] and not is_built_in(name)]
    found: dict[str, dict[str, Literal]] = {}
    for one, other in combinations(cut, 2):
        both = {name: op.constants[name] for name in (one, other)}
        sizes = _alone(op, {**_smaller(small, 16), **both}, most_rows)
        if sizes is not None:
            found[f"{one} and {other}"] = sizes
    ordered = sorted(found.items(), key=lambda pair: op.bytes_at(pair[1]) or 0)
    return dict(ordered[:_MOST_PAIRS])


def _whole_dimension(op: Op, small: Mapping[str, Literal], name: str) -> list[Literal]:
    """The value with which this constant alone makes an input's dimension as long as at full size, where
    others take part in it: keys of a past and of a present, say."""
    value = op.constants[name]
    if type(value) is not int:
        return []
    with contextlib.suppress(OpError):
        given = (op.with_overrides({**small, name: one}) for one in (value, value + 1))
        now, more = (one.footprint().inputs for one in given)
        triples = zip(op.footprint().inputs, now, more, strict=True)
        sides = [side for shapes in triples for side in zip(*shapes, strict=True)]
        short = max((full - held for full, held, next_ in sides if next_ == held + 1), default=0)
        return [value + short] if short > 0 else []
    return []


def _smaller(small: Mapping[str, Literal], times: int) -> dict[str, Literal]:
    return {
        name: max(2, value // times)
        if isinstance(value, int) and value > 2 and not is_built_in(name)
        else value
        for name, value in small.items()
    }


def _alone(op: Op, sizes: Mapping[str, Literal], most_rows: int) -> dict[str, Literal] | None:
    """`sizes` with ones for what the file names and the small shape had no need to cut, a batch or heads say,
    whatever saves most first, until they are small enough; None where they never are."""
    left = {
        name
        for name in op.text.free()
        if name not in sizes and type(op.constants.get(name)) is int and op.constants[name] != 1
    }
    found, taken = dict(sizes), op.bytes_at(sizes)
    while taken is not None and not _fits(op, found, taken, _MOST_BYTES, most_rows):
        tried = {name: op.bytes_at({**found, name: 1}) for name in sorted(left)}
        fewer = {name: least for name, least in tried.items() if least is not None and least < taken}
        if not fewer:
            return None
        best = min(fewer, key=lambda name: fewer[name])
        found[best], taken = 1, fewer[best]
        left.remove(best)
    return found if taken is not None else None


def _halves(value: Literal) -> Iterator[Literal]:
    """A size and, as long as it stays whole tiles, its halves."""
    yield value
    while isinstance(value, int) and value % (2 * _LEAST_TILE) == 0:
        value //= 2
        yield value


def _fitting(
    op: Op,
    choice: Mapping[str, Literal],
    bases: Sequence[Mapping[str, Literal]],
    alone: Sequence[Mapping[str, Literal]],
    most_rows: int,
) -> dict[str, Literal] | None:
    """The first of `bases`, then of those in which the axis is `alone`, with the constants in `choice`, where
    that is small enough to run and holds by more than chance."""
    for base in bases:
        sizes = {**base, **choice}
        taken = bytes_of(op, sizes)
        fits = taken is not None and _fits(op, sizes, taken, ROOM.wide, most_rows)
        if fits and not op.holds_by_chance(sizes):
            return sizes
    found = (_alone(op, {**base, **choice}, most_rows) for base in alone)
    return next((one for one in found if one is not None and not op.holds_by_chance(one)), None)


def _fits(op: Op, sizes: Mapping[str, Literal], taken: int, most: int, most_rows: int) -> bool:
    return taken <= most and rows_of(op.with_overrides(sizes)) <= most_rows
