"""The smaller shapes that an op is judged at, as large as an interpreter gets through in seconds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from ..inputs.lengths import with_known
from ..inputs.setting import PUBLIC_SEEDS, Setting, setting_at
from ..interpreter.pace import EVERY
from ..process.exchange import Shape
from ..shapes.crowds import crowded
from ..shapes.enlarged import ENLARGED, enlarged
from ..shapes.hints import hints
from ..shapes.longest import past_a_block
from ..shapes.multiples import multiples
from ..shapes.one_past import exactly, one_past, results_exactly
from ..shapes.ones import ones
from ..shapes.stretched import NAMED, stretched
from ..shapes.thousands import thousands
from ..shapes.thrice import thrice
from ..shapes.turns import beside, with_fewer_turns
from ..shapes.whole_tiles import whole_tiles
from ..text.candidate import with_constants


@dataclass(frozen=True)
class Room:
    """Bytes of inputs and temporaries that smaller shapes may take: the small and odd ones the first of
    `small` that any shape fits, the wide one `wide` before it may grow. A few seconds of interpreter, whose
    time goes by programs rather than by bytes."""

    small: tuple[int, ...] = (128 << 10, 1 << 20, 2 << 20, 4 << 20)
    wide: int = 1 << 20

    def less(self, times: float) -> Room:
        """At most so many times less, and by a power of two: where each element has programs of its own."""
        halvings = max(1, math.ceil(math.log2(times)))
        first = max(_LEAST_BYTES, self.small[0] >> halvings)
        smaller = [first << more for more in range(halvings) if first << more < self.small[0]]
        return Room((*smaller, *self.small), max(_LEAST_BYTES, self.wide >> halvings))


_LEAST_BYTES = 4 << 10

EVEN = "even"
"""The shape at which a candidate is held to what it promises its compiler."""

ROOM = Room()
NARROWER = Room(wide=ROOM.wide >> 6)
"""For a candidate that runs past its limit at the wide shape: one that walks the channels of a convolution
one by one, say, in hundreds of programs."""


def settings(op: Op, mode: str, seed: int, room: Room = ROOM, source: str = "") -> list[Setting]:
    """The op at each of its smaller shapes that an interpreter can run, as large as there is `room` for;
    those of uneven parts for a candidate whose `source` goes through any, and deep tables for one that casts
    to short integers.

    Raises OpError where the reference does not run on the CPU, as ops that torch has for cards alone do not.
    """
    sets, few = _sets(op, room, source), with_fewer_turns(op)
    sets = sets if few is None or not sets else beside(sets, few, _sets(few, room, source))
    sets.sort(key=lambda one: one.apart)  # which keeps the order of the others
    found = [
        setting_at(op, one, mode, seed + 1000 * place, PUBLIC_SEEDS[place % 2])
        for place, one in enumerate(sets)
    ]
    known = found[0].lengths if found else {}
    found = [
        replace(
            one, factors=hints(source).factors, lengths=with_known(one.shipped, one.lengths, known.keys())
        )
        for one in found
    ]
    for setting in found[:1]:
        _run_once(setting)
    return found


def _sets(op: Op, room: Room, source: str) -> list[ShapeSet]:
    sets = _smallest(op, room)
    if not sets:
        return []
    larger = _fitting(op, room.wide, ("wide",)) or _fitting(op, room.wide, ("small",))
    sets += [replace(one, name="wide") for one in larger if one.overrides != sets[0].overrides]
    told = hints(source)
    more = [
        *stretched(op, sets, 2 * room.wide, told),
        *(_even(op, sets[0], room.wide) if told.promises else []),
    ]
    known = [*sets, *more]
    taken = [one for one in known if not told.refuses or one.name not in NAMED]
    alone = [*multiples(op, sets, 2 * room.wide, told.moduli), *thousands(op, taken, 16 * room.wide)]
    alone += [*thrice(op, sets, 2 * room.wide), *ones(op, sets), *one_past(op, known)]
    whole = exactly(op, known, max(told.longest_tile, told.longest_row))
    alone += [*whole, *results_exactly(op, whole)]
    alone += past_a_block(op, known, told.longest_row, 16 * room.wide) if told.asks_atomics else []
    alone += enlarged(op, 16 * room.wide)
    return [*known, *(replace(one, apart=True) for one in (*crowded(op, sets), *alone))]


def _even(op: Op, small: ShapeSet, most_bytes: int) -> list[ShapeSet]:
    """Whole tiles, as full size has them, whose vectors no mask prevents."""
    sizes = whole_tiles(op, small.overrides, max(most_bytes, 2 * small.total_bytes))
    size = op.bytes_at(sizes) if sizes is not None else None
    return [ShapeSet(EVEN, sizes, size, True, "whole tiles")] if sizes and size else []


def uncrowded(found: list[Setting]) -> list[Setting]:
    """All but those at the end: one has so many places as nothing else is asked of, one sums of numbers at
    their ends, and of others it is asked alone whether usual values come out right."""
    return [one for one in found if not one.apart]


def _run_once(setting: Setting) -> None:
    try:
        setting.reference.eager(setting.shipped, setting.state)
    except Exception as error:  # whatever an op file's own code raises
        line = (str(error).strip().splitlines() or [""])[0]
        told = f"{type(error).__name__}: {line[:200]}"
        raise OpError(
            f"the reference does not run on the CPU, where right answers come from: {told}"
        ) from error


def _smallest(op: Op, room: Room) -> list[ShapeSet]:
    """The small and the odd shape of the first budget that any fits, and at which the reference tells one
    input from another, if there is such a one."""
    found: list[ShapeSet] = []
    for budget in room.small:
        sets = _fitting(op, budget, ("small", "odd"))
        if sets and sets[0].is_sound:
            return sets
        found = found or sets
    return found


def _fitting(op: Op, budget: int, names: tuple[str, ...]) -> list[ShapeSet]:
    return [found for found in op.shape_sets(budget) if found.fits and found.name in names]


def written(setting: Setting, source: str, scratch: Path, units: int | None = None) -> Shape:
    """The candidate's file for one setting, put into `scratch`, and how ModelNew is built there."""
    file = scratch / f"candidate_{setting.name.replace(' ', '_')}.py"
    file.write_text(with_constants(source, setting.op.overrides), encoding="utf-8")
    axis = EVERY if setting.name == ENLARGED else setting.axis
    told = setting.args, setting.kwargs, setting.seed, units, axis
    return Shape(setting.name, str(file.resolve()), *told)
