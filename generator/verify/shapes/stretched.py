"""Further shapes to judge an op at, made from the smaller ones that were found: many rows, sizes that agree
by chance, rows longer than full size's, an axis that passes a number which shapes nothing, uneven parts."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from itertools import combinations

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from .exchanged import exchanged
from .hints import Hints
from .in_parts import TOGETHER, UNEVEN, past_16_bits, together
from .longest import LONG, OVER, is_loop, longest, of_another_size, one_over, roomier, short
from .sizing import (
    FEW_AMONG,
    builds_alike,
    fewest,
    first_sound,
    free_sizes,
    is_constant,
    is_crowded,
    one_more,
    sizes_of,
)
from .tables import deep, vast
from .thousands import STRETCHED
from .thrice import BYTES
from .windows import windows

_TALLER = 4
"""Times the small shape's rows: a grid cut to a round number shows, and an interpreter still gets through."""

PARTS, ONE_MORE = ("uneven", "uneven too", "uneven as well"), "one more"
NAMED = ("longer", "beyond", "beyond too")
"""As long as a candidate's text names, or longer: it may refuse what is."""

_FEW_ROWS = (*NAMED, "wider", "past", *PARTS, TOGETHER, "deep")

_BEYOND = (75, 72, 96)
"""What is beyond two tiles that are longer than those of uneven parts."""

_PAIRED = 4
"""Times the bytes of one axis in uneven parts that two may take: scores of all pairs are among them."""

_LONGEST = 8192
"""Full size's rows beyond which nobody takes a tile for a row."""

_LONGER = 4
"""Times the bytes of the small shape that longer rows may take: where that is too little, each is walked
again and again, as by a convolution."""

_PAST = 16
"""Times the wide shape's bytes for a longer axis: scores of all pairs may be among the temporaries."""

_PAIRS = 6
"""Pairs of sizes that are tried, where not all of them can be one."""


def stretched(op: Op, sets: list[ShapeSet], most_bytes: int, told: Hints) -> list[ShapeSet]:
    """What there is of them, beside `sets`, the small one first, within some times `most_bytes`, for a
    candidate whose text has `told` of its tiles: uneven parts where it goes through any, rows beyond the
    longest it names, deep tables where it casts to short integers, and steps that few bits do not count."""
    whole, counts = op.footprint(), told.short_integers or told.bfloat16
    if whole.is_network:  # and has many shapes already
        deeper = past_16_bits(op, sets[0].overrides, 4 * most_bytes) if told.of_16_bits else []
        return [*_tall(op, sets), *deeper, *longest(op, sets, 2 * most_bytes, loops=True, counts=counts)]
    longer = _longer(op, sets, min(most_bytes, _LONGER * sets[0].total_bytes), told.longest_row)
    longer += _wider(op, sets, min(most_bytes, _LONGER * sets[0].total_bytes))
    past = _past(op, [*sets, *longer], _PAST * most_bytes)
    if told.paths or told.longest_tile:
        longer += _beyond(op, [*sets, *longer], told.longest_row, _PAST * most_bytes)
    tile = told.longest_tile
    parts = _uneven(op, sets, tile, _LONGER * sets[0].total_bytes, 2 * most_bytes) if tile else []
    tables = deep(op, sets, 2 * most_bytes) if told.short_integers else []
    tables = tables or vast(op, sets, 2 * most_bytes)
    if told.of_16_bits and not tables:
        tables = past_16_bits(op, sets[0].overrides, 4 * most_bytes)
    found = [*_tall(op, sets), *_alike(op, sets[0]), *short(op, sets), *longer, *past, *parts, *tables]
    found += windows(op, sets, 2 * most_bytes)
    found += exchanged(op, [*sets, *found], _LONGER * sets[0].total_bytes)
    found += longest(op, [*sets, *found], 4 * most_bytes, counts=counts)
    found += one_over(op, [*sets, *found], 2 * most_bytes)
    found += of_another_size(op, [*sets, *found], 2 * most_bytes)
    more = one_more(op) if any(not one.overrides for one in sets) else None  # else asked for with full size
    size = op.bytes_at(more) if more is not None else None
    more_rows = [ShapeSet(ONE_MORE, more, size, True, "one row more")] if more and size else []
    return [*found, *more_rows]


def has_few_rows(name: str) -> bool:
    """Whether a shape of that name is long along one axis and next to nothing along the others."""
    return name in _FEW_ROWS or name.startswith((LONG, OVER, *STRETCHED, BYTES))


def rows_of(op: Op) -> int:
    """Elements of the first output but for its last dimension."""
    shape = op.footprint().outputs[0]
    return math.prod(shape[:-1])


def _tall(op: Op, sets: list[ShapeSet]) -> list[ShapeSet]:
    """Many short rows, by stretching the constant that makes most of them: a grid may end before they do."""
    small, known = sets[0], {rows_of(op.with_overrides(one.overrides)) for one in sets}
    found = []
    for name, value in sizes_of(small.overrides).items():
        overrides = {**small.overrides, name: _TALLER * value + 1}
        with contextlib.suppress(OpError):
            made = op.with_overrides(overrides)
            size = made.footprint().total_bytes
            if size <= 2 * _TALLER * small.total_bytes and rows_of(made) > max(known):
                found.append((rows_of(made), ShapeSet("tall", overrides, size, True, f"many {name}")))
    most = sorted(found, key=lambda one: -one[0])
    return [one for _, one in most if not op.holds_by_chance(one.overrides)][:1]


def _alike(op: Op, small: ShapeSet) -> list[ShapeSet]:
    """Sizes that are one and the same, though nothing asks it of them: all that the small shape sets, else
    the first two that may be. Two tensors of one shape are taken for one, or a square for symmetric."""
    for names in _to_be_alike(sizes_of(small.overrides)):
        size = min(int(small.overrides[name]) for name in names)  # type: ignore[arg-type]
        overrides = {**small.overrides, **dict.fromkeys(names, size)}
        with contextlib.suppress(OpError):
            made = op.with_overrides(overrides).footprint()
            if made.total_bytes <= 2 * small.total_bytes and op.is_sound(overrides):
                return [ShapeSet("alike", overrides, made.total_bytes, True, "sizes that agree by chance")]
    return []


def _to_be_alike(sizes: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    if len(set(sizes.values())) > 1:
        yield tuple(sizes)
        pairs = [pair for pair in combinations(sizes, 2) if sizes[pair[0]] != sizes[pair[1]]]
        yield from pairs[:_PAIRS]


def _longer(op: Op, sets: list[ShapeSet], most_bytes: int, named: int) -> list[ShapeSet]:
    """Rows of the first input twice as long as at full size, or as long as what a candidate names, where that
    is more (steps of a loop apart), and one element longer: a tile that holds one of those does not hold one
    of these, and the last of several tiles is not full."""
    inputs = op.footprint().inputs
    length = inputs[0][-1] if inputs and inputs[0] else 0
    if not 1 < length <= _LONGEST:
        return []
    names = [name for name, value in sizes_of(op.constants).items() if value == length]
    lengths = sorted({2 * length + 1, max(named, 2 * length) + 1}, reverse=True)
    loops = {name for name in names if is_loop(op, name)}
    for name, longer in ((name, longer) for longer in lengths for name in names):
        if name in loops and longer > 2 * length + 1:
            continue
        for others in (
            fewest(sets, 2),
            fewest(sets),
            *(one.overrides for one in sets[::-1]),
            fewest(sets, 1),
        ):
            overrides = {**others, name: longer}
            with contextlib.suppress(OpError):
                made = op.with_overrides(overrides).footprint()
                fits = made.inputs[0][-1] == longer and made.total_bytes <= most_bytes
                if fits and op.is_sound(overrides):
                    reason = f"{name} beyond full size"
                    return [ShapeSet("longer", overrides, made.total_bytes, True, reason)]
    return []


def _wider(op: Op, sets: list[ShapeSet], most_bytes: int) -> list[ShapeSet]:
    """Likewise the shortest axis of later inputs that the first does not have: keys beside queries, columns
    of a product."""
    first, *later = op.footprint().inputs or [()]
    own = {side for shape in later for side in shape} - {1, *first}
    for length in sorted(own)[:1]:
        for name in [name for name, value in sizes_of(op.constants).items() if value == length <= _WIDEST]:
            overrides = {**fewest(sets, 2), name: 2 * length + 1}
            if not builds_alike(op, fewest(sets, 2), overrides):
                continue
            with contextlib.suppress(OpError):
                size = op.with_overrides(overrides).footprint().total_bytes
                if size <= most_bytes and op.is_sound(overrides):
                    made = overrides, size
                    if is_crowded(op, overrides, sets[0].overrides):
                        made = roomier(op, name, overrides, sets[0].overrides, most_bytes) or made
                    return [ShapeSet("wider", *made, True, f"{name} beyond full size")]
    return []


def _beyond(op: Op, sets: list[ShapeSet], named: int, most_bytes: int) -> list[ShapeSet]:
    """An axis that is no longer at full size than the largest power of two that a candidate names, and longer
    than that: what is further away may be left out. With one of all that the model is not built from."""
    full = sizes_of(op.constants)
    reached = {name: max(int(one.overrides.get(name, full[name])) for one in sets) for name in full}  # type: ignore[arg-type]
    short = [name for name in free_sizes(op) if _LEAST_BEYOND <= full.get(name, 0) <= named >= reached[name]]
    found: list[ShapeSet] = []
    for name in sorted(short, key=lambda one: -full[one])[:2]:
        cut = {**sets[0].overrides, **fewest(sets)}
        ones = {one: 1 for one in free_sizes(op) if one != name}
        ones = {one: 1 for one in ones if builds_alike(op, cut, {**cut, one: 1})}
        made = first_sound(op, name, {**cut, **ones}, most_bytes, (named + _BEYOND[0],))
        if made is not None and is_constant(op, made[0]):
            twos = {**cut, **dict.fromkeys(ones, 2)}
            made = first_sound(op, name, twos, most_bytes, (made[0][name],)) or made
        if made is not None and is_crowded(op, made[0], sets[0].overrides):
            made = roomier(op, name, made[0], sets[0].overrides, most_bytes) or made
        if made is not None and builds_alike(op, cut, made[0]):
            called = "beyond too" if found else "beyond"
            found.append(ShapeSet(called, *made, True, f"{name} beyond those named", axis=made[0][name]))
    return found


_LEAST_BEYOND = 64

_WIDEST = 1024
"""Axes beyond which nobody takes one tile for all of them."""


def _uneven(op: Op, sets: list[ShapeSet], tile: int, most_bytes: int, alone_bytes: int) -> list[ShapeSet]:
    """The three largest sizes that `sets` cut, one after the other, as several tiles and a remainder: of work
    shared out in whole tiles smaller sizes leave nothing over, and full size neither. Where that takes more
    than `most_bytes`, with one of what the model is not built from, heads say, in `alone_bytes`."""
    full, least = sizes_of(op.constants), fewest(sets, FEW_AMONG)
    cut = [name for name in sizes_of(sets[0].overrides) if full.get(name, 0) > UNEVEN[-1]]
    cut_too = {**sets[0].overrides, **least}
    found: list[ShapeSet] = []
    for name in sorted(cut, key=lambda one: -full[one]):
        longer = tuple(2 * tile + more for more in _BEYOND if 2 * tile + more < full[name])
        made = first_sound(op, name, cut_too, alone_bytes, longer) if tile > UNEVEN[0] // 2 else None
        made = made or first_sound(op, name, cut_too, most_bytes, UNEVEN)
        if made is None:
            ones = {one: 1 for one in free_sizes(op) if one != name}
            ones = {one: 1 for one in ones if builds_alike(op, cut_too, {**cut_too, one: 1})}
            fewer = [{**cut_too, **dict(list(ones.items())[: count + 1])} for count in range(len(ones))]
            tried = [(others, room) for room in (alone_bytes, 8 * alone_bytes) for others in fewer]
            made = next((sound for one in tried if (sound := first_sound(op, name, *one, UNEVEN))), None)
        if made is not None and len(found) < len(PARTS):
            told_of, length = f"{name} in uneven parts", made[0][name]
            found.append(ShapeSet(PARTS[len(found)], *made, True, told_of, axis=length))
    return [
        *found,
        *together(op, sorted(cut, key=lambda one: -full[one])[:2], cut_too, _PAIRED * alone_bytes),
    ]


def _past(op: Op, sets: list[ShapeSet], most_bytes: int) -> list[ShapeSet]:
    """An axis a little longer than a constant that no tensor's size is made of (a window, a horizon), where
    full size has it longer and `sets` do not: up to there the constant has no part in the answer."""
    moved = {name for one in sets for name in one.overrides}
    full, least = sizes_of(op.constants), fewest(sets)
    for bound, limit in full.items():
        if bound in moved or limit < _LEAST_BOUND or not _shapes_nothing(op, bound, limit):
            continue
        for name in least:
            longest = max(int(one.overrides.get(name, full[name])) for one in sets)  # type: ignore[arg-type]
            beyond = limit + limit // 4 + 3
            if not longest <= limit < full[name]:
                continue
            for others in (fewest(sets, 2), least):
                overrides = {**sets[0].overrides, **others, name: min(beyond, full[name])}
                with contextlib.suppress(OpError):
                    made = op.with_overrides(overrides).footprint()
                    if made.total_bytes <= most_bytes and op.is_sound(overrides):
                        return [ShapeSet("past", overrides, made.total_bytes, True, f"{name} past {bound}")]
    return []


_LEAST_BOUND = 16
"""What is less is passed by every shape."""


def _shapes_nothing(op: Op, name: str, value: int) -> bool:
    return op.bytes_at({name: value + 1}) == op.bytes_at({})
