"""Shapes with one axis longer than at full size, or a little longer than whole tiles, and next to nothing
along all others: who takes full size's length for the longest there is leaves work undone on them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from .sizing import builds_alike, fewest, first_sound, free_sizes, is_crowded, sizes_of

LONG, OVER, OTHER, PAST_A_BLOCK = "long ", "one over ", "another ", "past a block of "
"""What their names begin with."""

_SHORTEST, _LONGEST = 8, 1024
"""Sizes at full size that are made longer: nobody takes more for a tile, and fewer are no tile."""

_FEWEST = 3
"""Of what the constructor is told: two may be the two ends or the two halves of something."""

CALLS = 4000
"""Of a loop at full size: at twice as many a reference takes a second for each of its answers."""

_OTHERS = 4
"""Elements along other axes: results of fewer than eight numbers are asked of few ops."""

_AXES, _PARTED = 5, 2
"""How many are made longer, and how many one longer than whole tiles."""

_ONE_OVER, _TILE, _LITTLE = (257, 264, 272), 128, 16
"""What is shared out in parts of so many tiles is a little more than they hold."""


_PAST_A_BYTE = (703, 704, 768)
"""Of such steps a mask that keeps two in five keeps more than a byte counts."""


def longest(
    op: Op, sets: list[ShapeSet], most_bytes: int, loops: bool = False, counts: bool = False
) -> list[ShapeSet]:
    """For each size of the op that none of `sets`, the small one first, has beyond full size; with `loops`,
    for those alone that are the steps of a loop, of not too many calls. Where a candidate `counts` in short
    integers, or in bfloat16, beyond what a byte counts."""
    full = sizes_of(op.constants)
    short = [name for name in free_sizes(op) if _SHORTEST <= full.get(name, 0) <= _LONGEST]
    found: list[ShapeSet] = []
    few = len(op.footprint().calls) <= CALLS
    for name in sorted(short, key=lambda one: -full[one]):
        is_set = any(name in one.overrides for one in sets)
        least = max(full[name], _PAST_A_BYTE[0] - 1 if counts else 0)
        if max(_judged(op, name, sets)) > least or len(found) == _AXES:
            continue
        if (few and is_loop(op, name)) if loops else is_set or is_axis(op, name):
            lengths = [one for one in _PAST_A_BYTE if counts and one > 2 * full[name]]
            lengths += _lengths(full[name]) if max(_judged(op, name, sets)) <= full[name] else ()
            found += made_along(op, f"{LONG}{name}", name, tuple(lengths), sets, most_bytes)
    return found


def short(op: Op, sets: list[ShapeSet]) -> list[ShapeSet]:
    """The small sizes with two elements along each axis that the constructor is told nothing of, or else
    along the longest that can be so short: less than a window, or than what is kept of an axis."""
    full, small = sizes_of(op.constants), sets[0].overrides
    axes = [name for name in free_sizes(op) if full.get(name, 0) > 2 and is_axis(op, name)]
    every = dict.fromkeys(axes, 2)
    for sizes in (every, *({name: 2} for name in sorted(axes, key=lambda one: -full[one]))):
        overrides = {**small, **sizes}
        if len(sizes) > 0 and op.bytes_at(overrides) is not None and op.is_sound(overrides):
            size = op.bytes_at(overrides) or 0
            return [ShapeSet("short", overrides, size, True, "two elements along an axis")]
    return []


def of_another_size(op: Op, sets: list[ShapeSet], most_bytes: int) -> list[ShapeSet]:
    """For what the constructor is given and shapes what goes in or comes out, and none of `sets` changes,
    half as much, or where that is no whole number or few, two more: the small sizes with a group of another
    width, say. What convolutions and pools make of their widths in what comes out is not asked."""
    full = sizes_of(op.constants)
    found: list[ShapeSet] = []
    for name in free_sizes(op):
        size = full.get(name, 0)
        if size < _FEWEST or any(_is_set(op, name, one) for one in sets) or len(found) == _PARTED:
            continue
        for other in (size // 2,) if size >= _SHORTEST and size % 2 == 0 else (size + 2, size + 1):
            changed = {**sets[0].overrides, name: other}
            if not builds_alike(op, {}, {name: other}) and _reshapes(op, changed, sets[0]):
                made = op.bytes_at(changed)
                if made is not None and made <= most_bytes and op.is_sound(changed):
                    found.append(ShapeSet(f"{OTHER}{name}", changed, made, True, f"{other} of {name}"))
                    break
    return found


def _reshapes(op: Op, changed: Mapping[str, Any], small: ShapeSet) -> bool:
    with contextlib.suppress(OpError):
        now, was = (op.with_overrides(one).footprint() for one in (changed, small.overrides))
        slides = any("conv" in call.name or "pool" in call.name for call in was.calls)
        return now.inputs != was.inputs or (now.outputs != was.outputs and not slides)
    return False


def _is_set(op: Op, name: str, one: ShapeSet) -> bool:
    return one.overrides.get(name, op.constants[name]) != op.constants[name]


def one_over(op: Op, sets: list[ShapeSet], most_bytes: int) -> list[ShapeSet]:
    """For the largest sizes that `sets` cut and none of them has a little longer than whole tiles."""
    full = sizes_of(op.constants)
    cut = [name for name in sizes_of(sets[0].overrides) if full.get(name, 0) > _ONE_OVER[-1]]
    found: list[ShapeSet] = []
    for name in sorted(cut, key=lambda one: -full[one])[:_PARTED]:
        if not any(size > _TILE and 0 < size % _TILE <= _LITTLE for size in _judged(op, name, sets)):
            found += made_along(op, f"{OVER}{name}", name, _ONE_OVER, sets, most_bytes)
    return found


def past_a_block(op: Op, sets: list[ShapeSet], block: int, most_bytes: int) -> list[ShapeSet]:
    """For the largest sizes that may be longer than a candidate's longest `block`, a little longer: programs
    that share a row meet there."""
    full, lengths = sizes_of(op.constants), (block + 1, block + 8, block + 16)
    long = [name for name in free_sizes(op) if _MOST_TIMES * full.get(name, 0) > block > 0]
    long.sort(key=lambda one: -full[one])
    made = (
        made_along(op, f"{PAST_A_BLOCK}{name}", name, lengths, sets, most_bytes, alone=True)
        for name in long[:_PARTED]
    )
    return [one for found in made for one in found]


_MOST_TIMES = 3
"""As full size's that an axis may be."""


def _judged(op: Op, name: str, sets: list[ShapeSet]) -> list[int]:
    return [int(one.overrides.get(name, op.constants[name])) for one in sets]  # type: ignore[arg-type]


def made_along(
    op: Op,
    called: str,
    name: str,
    lengths: tuple[int, ...],
    sets: list[ShapeSet],
    most_bytes: int,
    alone: bool = False,
) -> list[ShapeSet]:
    """`alone`: with one along other axes where that can be, since scores grow with the square of a length."""
    few: Iterable[Mapping[str, Any]] = _few(op, name, sets)
    if alone:
        least, ones, *rest = few
        few = [ones, least, *rest]
    tried = (first_sound(op, name, one, most_bytes, lengths) for one in few)
    made = next((one for one in tried if one is not None), None)
    if made is not None and is_crowded(op, made[0], sets[0].overrides):
        made = roomier(op, name, made[0], sets[0].overrides, most_bytes) or made
    return [ShapeSet(called, *made, True, called, axis=int(made[0][name]))] if made is not None else []


def roomier(
    op: Op, name: str, crowded: Mapping[str, Any], small: Mapping[str, Any], most_bytes: int
) -> tuple[dict[str, Any], int] | None:
    """As long, with another size as at full size, so that there are more places to name than names."""
    for other, size in sizes_of(op.constants).items():
        if other != name and other in free_sizes(op):
            found = first_sound(op, name, {**crowded, other: size}, most_bytes, (crowded[name],))
            if found is not None and not is_crowded(op, found[0], small):
                return found
    return None


def is_axis(op: Op, name: str) -> bool:
    """Whether it changes inputs and no argument of the constructor."""
    return _changes_inputs(op, name) and builds_alike(op, {}, {name: 2 * op.constants[name]})  # type: ignore[operator]


def _changes_inputs(op: Op, name: str) -> bool:
    longer = {name: 2 * op.constants[name]}  # type: ignore[operator]
    with contextlib.suppress(OpError):
        return op.with_overrides(longer).footprint().inputs != op.footprint().inputs
    return False


def is_loop(op: Op, name: str) -> bool:
    """Whether fewer calls are made where it is half as much; each may have weights of its own."""
    calls, half = len(op.footprint().calls), {name: op.constants[name] // 2}  # type: ignore[operator]
    with contextlib.suppress(OpError):  # half as much is measured sooner than whether inputs change
        return len(op.with_overrides(half).footprint().calls) < calls and _changes_inputs(op, name)
    return False


def _lengths(full: int) -> tuple[int, ...]:
    """Two and a third, which is no multiple of anything, else what a group divides."""
    return ((2 * full + full // 3) | 1, 2 * full + 2, 3 * full, 2 * full)


def _few(op: Op, name: str, sets: list[ShapeSet]) -> Iterator[Mapping[str, Any]]:
    """The other sizes: four, or one of what the model is not built from, or as few as any of `sets` has, each
    halved as often as the op has such sizes."""
    full = sizes_of(op.constants)
    least = {**sets[0].overrides, **{one: min(_OTHERS, full[one]) for one in fewest(sets)}}
    yield least
    ones = {one: 1 for one in free_sizes(op) if one != name and is_axis(op, one)}
    yield {**least, **{one: 1 for one in ones if builds_alike(op, least, {**least, one: 1})}}
    known = {**sets[0].overrides, **fewest(sets)}
    for one in sizes_of(known):
        while one != name and known[one] > 1 and op.bytes_at({**known, one: known[one] // 2}) is not None:  # type: ignore[operator]
            known[one] //= 2  # type: ignore[operator]
    yield known
    yield {**sets[0].overrides, **fewest(sets)}
