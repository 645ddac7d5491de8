"""Shapes with one axis beyond a thousand, where full size has hundreds or fewer, and beyond three times full
size, where that is more; next to nothing along all others: what a tile made for hundreds does not hold, or a
number of tiles that full size fills by half, is left out there."""

from __future__ import annotations

import contextlib
import math

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from ..inputs.integers import is_whole
from .longest import CALLS, is_axis, is_loop, made_along
from .sizing import first_sound, free_sizes, sizes_of

THOUSAND, THRICE, TWICE = "a thousand of ", "three times ", "more than twice "
"""What their names begin with; the last where there is no room for the others, every two of so many met."""

HUNDREDS = "hundreds of "
"""Likewise, beside one of a thousand of which every two meet: a kernel that walks them for each gets through
this one alone in its time."""

STEPS = "a long loop of "
"""Likewise, of a loop of the reference's, which is through a thousand of few."""

STRETCHED = (HUNDREDS, THOUSAND, THRICE, TWICE, STEPS)

_LENGTHS, _THOUSAND = (1011, 1006, 1008, 1024), 1000
"""The first that an op takes: a product of either of the first two with its reciprocal in float32 is less
than one."""

_SHORTEST, _LONGEST = 5, 8192
"""Sizes at full size: fewer elements are parts of a whole, and of more nobody takes all for some tiles."""

_AXES = 5
"""How many are made so long."""


def thousands(op: Op, sets: list[ShapeSet], most_bytes: int) -> list[ShapeSet]:
    """For each size of the op that none of `sets`, the small one first, has beyond a thousand and three times
    full size, or as many steps of a loop as there is time for. None but these where a call of the reference
    takes a second, and none of a network that takes less."""
    whole = op.footprint()
    many = len(whole.calls) > CALLS
    if whole.state and whole.is_network and not many:
        return []
    full, found, few = sizes_of(op.constants), list[ShapeSet](), list[ShapeSet]()
    beside_bytes = (_TIMES_OF_TABLES if _looks_up(op, sets[0]) else _TIMES) * sets[0].total_bytes
    short = [name for name in free_sizes(op) if _SHORTEST <= full.get(name, 0) <= _LONGEST]
    for name in sorted(short, key=lambda one: -full[one]):
        judged = max(int(one.overrides.get(name, full[name])) for one in sets)  # type: ignore[arg-type]
        if judged > max(_THOUSAND, 3 * full[name]) or len(found) == _AXES:
            continue
        if is_loop(op, name):
            found += _of_steps(op, name, judged, sets, most_bytes)
            continue
        if not many and (any(name in one.overrides for one in sets) or is_axis(op, name)):
            beyond = _beyond(name, full[name])
            alone = 3 * full[name] >= _THOUSAND
            made = (
                _beside_all(op, *beyond, sets[0], beside_bytes)
                or made_along(op, *beyond, sets, most_bytes, alone)
                or _of_pairs(op, *beyond, sets, _PAIRS * most_bytes)
                or made_along(op, *_twice(name, full[name], judged), sets, most_bytes, alone=True)
            )
            found += made
            few += [one for long in made if judged < _HUNDREDS[0] for one in _hundreds(op, name, long)]
    return [*found, *few]


def _of_steps(op: Op, name: str, judged: int, sets: list[ShapeSet], most_bytes: int) -> list[ShapeSet]:
    """A thousand, or as many as the reference takes in so many calls, if half as many again as are `judged`:
    what fades along them, or is cut into parts of some steps, shows when nothing ends it before."""
    full = sizes_of(op.constants)[name]
    steps = min(_LENGTHS[0], full * CALLS // len(op.footprint().calls))
    lengths = (steps - (steps % 2 == 0), steps - steps % 2)
    return made_along(op, f"{STEPS}{name}", name, lengths, sets, most_bytes) if 2 * steps > 3 * judged else []


def _beside_all(
    op: Op, called: str, name: str, lengths: tuple[int, ...], small: ShapeSet, most_bytes: int
) -> list[ShapeSet]:
    """With as much along the other axes as the `small` shape has, where that takes little more: of a table's
    rows few are asked for by four numbers."""
    made = first_sound(op, name, small.overrides, most_bytes, lengths)
    return [ShapeSet(called, *made, True, called, axis=int(made[0][name]))] if made is not None else []


def _of_pairs(
    op: Op, called: str, name: str, lengths: tuple[int, ...], sets: list[ShapeSet], most_bytes: int
) -> list[ShapeSet]:
    """With one along the other axes, where little goes in and scores of all pairs alone take room: a kernel
    that keeps them in tiles is through them soon."""
    made = made_along(op, called, name, lengths, sets, most_bytes, alone=True)
    return [one for one in made if _goes_in(op.with_overrides(one.overrides)) <= _LITTLE]


def _hundreds(op: Op, name: str, long: ShapeSet) -> list[ShapeSet]:
    """The same with hundreds, where half as many take less than a third of the room."""
    half = {**long.overrides, name: long.overrides[name] // 2}  # type: ignore[operator]
    room = op.bytes_at(half)
    if room is None or _GROWS * room > long.total_bytes:
        return []
    made = first_sound(op, name, long.overrides, long.total_bytes, _HUNDREDS)
    return [ShapeSet(f"{HUNDREDS}{name}", *made, True, f"hundreds of {name}")] if made is not None else []


_HUNDREDS, _GROWS = (263, 261, 264, 272), 3
"""A little more than most take for a tile, and than a byte counts; and times the room."""


def _goes_in(op: Op) -> int:
    return sum(math.prod(shape) for shape in op.footprint().inputs)


_PAIRS, _LITTLE = 3, 1 << 16
"""Times the bytes of other shapes, a dozen matrices of a thousand rows and columns; and elements going in."""


def _looks_up(op: Op, small: ShapeSet) -> bool:
    with contextlib.suppress(OpError):
        return any(map(is_whole, op.with_overrides(small.overrides).instantiate(0)[1]))
    return False


_TIMES, _TIMES_OF_TABLES = 2, 4
"""The bytes of the small shape; and where some of the numbers may name places."""


def _twice(name: str, full: int, judged: int) -> tuple[str, str, tuple[int, ...]]:
    """As many as there is room for, but for what is `judged` as it is."""
    lengths = ((3 * full + 1) | 1, (2 * full + full // 3) | 1, 2 * full + 2, 2 * full)
    return f"{TWICE}{name}", name, tuple(one for one in lengths if one > judged)


def _beyond(name: str, full: int) -> tuple[str, str, tuple[int, ...]]:
    """What a shape that is long along `name` is called, and the lengths it may have: one of a thousand where
    that is more than three times `full`."""
    if 3 * full < _THOUSAND:
        return f"{THOUSAND}{name}", name, (*_LENGTHS, -(-_THOUSAND // full) * full)
    return f"{THRICE}{name}", name, ((3 * full + 1) | 1, 3 * full + 2, 3 * full)
