"""Chooses the calls that one judgement makes: few enough for seconds, each shape, family and layout covered.

Not the full product: every family at the small shape, shipped and normal values at every shape, every layout
at the odd one. What matters most comes first; the rest is marked optional and is skipped, openly, when time
runs out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from ..inputs.draw import ALTERED, AT_LENGTH, Draw
from ..inputs.families import (
    FAMILIES,
    FAR_BELOW,
    HALVES,
    INFINITE,
    LATE_PEAKS,
    LONE_ROWS,
    MUST,
    ONE_AHEAD,
    ONE_NAN,
    OPPOSED,
    SILENT,
    floats,
)
from ..inputs.one_number import signed_tables
from ..inputs.repeated import most_rows
from ..inputs.setting import Case, Setting, setting_at
from ..process.exchange import Shape, Step
from ..process.layout import EMPTY, LAYOUTS, PITCHED, TRANSPOSED, suits
from ..shapes.crowds import CROWDED, crowded
from ..shapes.hints import hints
from ..shapes.in_parts import TOGETHER
from ..shapes.stretched import ONE_MORE, PARTS, has_few_rows, stretched
from ..shapes.turns import beside, with_fewer_turns
from ..shapes.whole_tiles import whole_tiles
from ..text.candidate import with_constants
from .most import columns, input_bytes, longest_row, most_places
from .worth_asking import changes_inputs, in_half, of_lengths, tells_more


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

ROOM = Room()
NARROWER = Room(wide=ROOM.wide >> 6)
"""For a candidate that runs past its limit at the wide shape: one that walks the channels of a convolution
one by one, say, in hundreds of programs."""

_ALIKE = ("tall", "alike", "short")
"""Shapes at which values are like the others'."""

_AT_ODD = {"spikes", "negative spikes", "small integers", "all negative", FAR_BELOW}
"""Families that look for elements left out, and for what fills lanes beyond them, where sizes are odd; the
others run at the first shape."""


def settings(op: Op, mode: str, seed: int, room: Room = ROOM, source: str = "") -> list[Setting]:
    """The op at each of its smaller shapes that an interpreter can run, as large as there is `room` for;
    those of uneven parts for a candidate whose `source` goes through any, and deep tables for one that casts
    to short integers.

    Raises OpError where the reference does not run on the CPU, as ops that torch has for cards alone do not.
    """
    sets, few = _sets(op, room, source), with_fewer_turns(op)
    sets = sets if few is None or not sets else beside(sets, few, _sets(few, room, source))
    found = [setting_at(op, one, mode, seed + 1000 * place) for place, one in enumerate(sets)]
    for setting in found[:1]:
        _run_once(setting)
    return found


def _sets(op: Op, room: Room, source: str) -> list[ShapeSet]:
    sets = _smallest(op, room)
    if not sets:
        return []
    larger = _fitting(op, room.wide, ("wide",)) or _fitting(op, room.wide, ("small",))
    sets += [replace(one, name="wide") for one in larger if one.overrides != sets[0].overrides]
    return [*sets, *stretched(op, sets, 2 * room.wide, hints(source)), *crowded(op, sets)]


def uncrowded(found: list[Setting]) -> list[Setting]:
    """All but the last where that has so many places as nothing else is asked of."""
    return found[:-1] if found[-1].name == CROWDED else found


def _run_once(setting: Setting) -> None:
    try:
        setting.reference.eager(setting.shipped, setting.state)
    except Exception as error:  # whatever an op file's own code raises
        line = (str(error).strip().splitlines() or [""])[0]
        told = f"{type(error).__name__}: {line[:200]}"
        raise OpError(
            f"the reference does not run on the CPU, where right answers come from: {told}"
        ) from error


def _gives_places(setting: Setting, case: Case) -> bool:
    """Whether outputs may be places, by which ties are told from each other."""
    answer = setting.reference.tried(case.inputs, case.step.state)
    return answer is not None and any(not output.is_floating_point() for output in answer.outputs)


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


def plan(found: list[Setting], seed: int) -> list[Case]:
    """All cases in the order of their importance."""
    draw = Draw(torch.Generator().manual_seed(seed))
    found, crowd = uncrowded(found), found[len(uncrowded(found)) :]
    first, rest = found[0], found[1:]
    odd_place, odd = next(((place, one) for place, one in enumerate(found) if one.name == "odd"), (0, first))

    def families(must: bool) -> list[Case]:
        elsewhere = ("normal", LONE_ROWS, LATE_PEAKS, SILENT, ONE_NAN, HALVES, ONE_AHEAD)
        chosen = [name for name in FAMILIES if name not in elsewhere and (name in MUST) is must]
        pairs = [(name, (odd_place, odd) if name in _AT_ODD else (0, first)) for name in chosen]
        return [draw.case(*where, name) for name, where in pairs if tells_more(name, where[1])]

    cases = [draw.case(0, first, "as shipped", shipped_weights=True, again=True)]
    normal = [draw.case(place, one, "normal") for place, one in enumerate(rest, 1)]
    beside_full = [case for case in normal if case.setting.name == ONE_MORE]  # takes longest, and tells least
    cases += [case for case in normal if case not in beside_full]
    cases.append(draw.case(0, first, "normal"))
    left_out = cases[0 if changes_inputs(first) else -1]  # of other draws a step may be skipped, say
    cases.append(replace(left_out, name=f"{left_out.name}, kernels left out", step=_ghost(left_out.step)))
    cases += [*families(must=True), draw.nudged(cases[0])]
    cases += [case for family in ALTERED for case in draw.altered(cases[0], family)]
    cases += [*draw.renumbered(0, first), *draw.trained(0, first)]
    cases += [draw.case(0, first, HALVES, optional=False)] if in_half(first) else []
    with_rows = [pair for pair in enumerate(found) if not has_few_rows(pair[1].name)]
    widest, one = max(with_rows, key=lambda pair: columns(pair[1].op))
    if _gives_places(first, cases[0]):
        cases.append(draw.case(widest, one, "equal rows", optional=False))
        cases += draw.weights_twice(*max(enumerate(found), key=lambda pair: most_rows(pair[1].state)))
    if one is not first:
        cases += draw.trained(widest, one)
    if one is not first:
        usual = draw.case(odd_place, odd, "as shipped", shipped_weights=True)
        for family in ("met integers", "full lengths", "idle NaN"):  # whole tiles hide a length's last
            cases += draw.altered(usual, family)
    for place, uneven in enumerate(found):
        if uneven.name == "past" and tells_more(OPPOSED, uneven):
            cases.append(draw.case(place, uneven, OPPOSED, optional=False))
        if uneven.name == TOGETHER and tells_more(ONE_AHEAD, uneven):
            cases.append(draw.case(place, uneven, ONE_AHEAD, optional=False))
        if uneven.name in PARTS:
            cases += draw.farthest(place, uneven)
            cases += [draw.case(place, uneven, SILENT)] if tells_more(SILENT, uneven) else []
            told = [family for family in ("spikes", ONE_AHEAD) if tells_more(family, uneven)]
            cases += [draw.case(place, uneven, family, optional=False) for family in told]
    for place, deep in ((place, one) for place, one in enumerate(found) if of_lengths(one.name)):
        usual = draw.case(place, deep, "as shipped", shipped_weights=True)
        cases += draw.altered(usual, "met integers") + draw.altered(usual, "full lengths")
    place, longest = max(enumerate(found), key=lambda pair: longest_row(pair[1]))
    if longest is not first:
        usual = draw.case(place, longest, "as shipped", shipped_weights=True)
        for family in ("padded masks", "all but one", "one alone", "one place", "one branch"):
            cases += draw.altered(usual, family)
        shifted = draw.case(place, longest, "shifted normal")  # whose mean shows what it was divided by
        cases += draw.altered(shifted, "all but one")
    place, most = max(enumerate(found), key=lambda pair: most_places(pair[1]))
    if most_places(most) > most_places(longest):  # one that is met more often than a byte counts
        usual = draw.case(place, most, "as shipped", shipped_weights=True)
        cases += draw.altered(usual, "one place")
    largest, _ = max(enumerate(found), key=lambda pair: input_bytes(pair[1]))
    for place in sorted({largest, widest} - {0}):  # where sums of the largest numbers are longest
        usual = draw.case(place, found[place], "as shipped", shipped_weights=True)
        cases += [case for family in AT_LENGTH for case in draw.altered(usual, family)]
    for place, other in enumerate(
        found
    ):  # few of their sums are the largest, and of these some wrap to others
        if place not in (0, largest, widest) and signed_tables(other.state):
            usual = draw.case(place, other, "as shipped", shipped_weights=True)
            cases += draw.altered(usual, "as their weights")
    cases += beside_full
    for one_of_many in crowd:
        usual = draw.case(len(found), one_of_many, "as shipped", shipped_weights=True)
        cases += draw.altered(usual, "one place")
    cases.append(replace(cases[0], name=f"{cases[0].name}, moved", step=_moved(first, cases[0])))
    cases += [draw.case(0, first, ONE_NAN, optional=False)] if tells_more(ONE_NAN, first) else []
    for layout in LAYOUTS:
        where = (0, first) if layout == PITCHED else (odd_place, odd)  # whole tiles in rows of odd length
        written_twice = layout == "expanded" and changes_inputs(where[1])
        if suits(where[1].shipped, layout) and not written_twice:
            cases.append(draw.case(*where, "normal", layout=layout, optional=layout != TRANSPOSED))
    cases += [case for layout in EMPTY for case in draw.emptied(plain(cases, odd), layout)]
    cases += families(must=False)
    cases += [
        draw.case(place, one, "as shipped", optional=True)
        for place, one in enumerate(rest, 1)
        if one.name not in _ALIKE and not has_few_rows(one.name)
    ]
    if one is not first and tells_more(INFINITE, one):
        cases.append(draw.case(widest, one, INFINITE, optional=True))
    return cases


def plain(cases: list[Case], setting: Setting) -> Case:
    """A planned call at one shape with usual values."""
    usual = (case for case in cases if case.setting is setting and case.family in ("normal", "as shipped"))
    return next(usual)


def at_whole_tiles(op: Op, found: list[Setting], mode: str, seed: int) -> list[Case]:
    """Calls at sizes that are whole tiles where full size's are, for conditions that full size alone meets;
    none where there are no such sizes."""
    small = found[0].op
    budget = max(ROOM.wide, 2 * small.footprint().total_bytes)  # a network has its weights to hold, too
    sizes = whole_tiles(op, small.overrides, budget)
    families = [name for name in FAMILIES if name in MUST - {"as shipped"}]
    return at_sizes(op, "whole tiles", sizes, mode, seed, families, len(found)) if sizes else []


def at_sizes(
    op: Op,
    name: str,
    sizes: Mapping[str, Any],
    mode: str,
    seed: int,
    families: Sequence[str] = ("normal",),
    place: int = 0,
) -> list[Case]:
    """Calls at these sizes, one for each of `families` that tells anything; none where the op has no such."""
    try:
        setting = setting_at(op, ShapeSet(name, dict(sizes), 0, True, ""), mode, seed + 1000 * place)
    except OpError:
        return []
    draw = Draw(torch.Generator().manual_seed(seed + 1))  # the plan's own draws stay what they were
    told = [family for family in families if tells_more(family, setting)] or ["as shipped"]
    found = [draw.case(place, setting, family) for family in told]
    shipped = draw.case(place, setting, "as shipped")
    counted = [] if any(map(floats, setting.shipped)) else ("extreme integers", "lowest places")
    altered = ("padded masks", "full lengths", *counted)
    found += [case for family in altered for case in draw.altered(shipped, family)]
    return found


def written(setting: Setting, source: str, scratch: Path, units: int | None = None) -> Shape:
    """The candidate's file for one setting, put into `scratch`, and how ModelNew is built there."""
    file = scratch / f"candidate_{setting.name.replace(' ', '_')}.py"
    file.write_text(with_constants(source, setting.op.overrides), encoding="utf-8")
    told = setting.args, setting.kwargs, setting.seed, units, setting.axis
    return Shape(setting.name, str(file.resolve()), *told)


def _ghost(step: Step) -> Step:
    """The call before once more, with every kernel left out."""
    return replace(step, ghost=True, optional=False, again=False)


def _moved(setting: Setting, case: Case) -> Step:
    """The same contents at new addresses, late in the instance's life, with gradients on, and in the other
    mode where that makes no difference to the reference."""
    flipped = setting.reference.ignores_mode(case.inputs, case.step.state)
    return replace(case.step, again=False, moved=True, late=True, flipped=flipped)
