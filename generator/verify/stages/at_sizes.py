"""Calls at sizes beside the planned ones: whole tiles, and what other stages ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from ..inputs.altered import ALTERED
from ..inputs.draw import Draw
from ..inputs.families import ENORMOUS, FAMILIES, MUST, NEAR_ONE, floats
from ..inputs.setting import Case, Setting, setting_at
from ..process.layout import PITCHED, TRANSPOSED, Layout, suits
from ..shapes.stretched import has_few_rows
from ..shapes.whole_tiles import whole_tiles
from .most import columns, longest_row, most_rows
from .settings import ROOM, uncrowded
from .worth_asking import tells_more


@dataclass(frozen=True)
class BesidePlan:
    """Cases of which some are called if full size meets conditions otherwise: at whole tiles, at long axes.
    `altered`: what becomes of inputs that the plan asks for where values are asked of, and they do too."""

    natural: list[Case]
    long: list[Case]
    altered: tuple[str, ...] = ()

    def all(self) -> list[Case]:
        return [*self.natural, *self.long]


def beside_plan(op: Op, found: list[Setting], planned: Sequence[Case], mode: str, seed: int) -> BesidePlan:
    """Whole tiles are a shape of their own, behind all that were `found`; the long axes are among those of
    which more than usual values is asked."""
    at_first = [case.family for case in planned if case.setting.name in OF_VALUES]
    altered = tuple(dict.fromkeys(family for family in at_first if family in ALTERED))
    natural = at_whole_tiles(op, found, altered, mode, seed)
    return BesidePlan(natural, at_long_axes(uncrowded(found), altered, seed), altered)


OF_VALUES = ("small", "odd")
"""Shapes at which most families of values are asked for, one of them each."""


def at_whole_tiles(op: Op, found: list[Setting], altered: Sequence[str], mode: str, seed: int) -> list[Case]:
    """Calls at sizes that are whole tiles where full size's are, for conditions that full size alone meets,
    or that no call with other values has met; none where there are no such sizes."""
    small = found[0].op
    budget = max(ROOM.wide, 2 * small.footprint().total_bytes)  # a network has its weights to hold, too
    sizes = whole_tiles(op, small.overrides, budget)
    families = [name for name in FAMILIES if name in MUST - {"as shipped"} or name in _TELLING]
    if not sizes:
        return []
    cases = at_sizes(op, "whole tiles", sizes, mode, seed, families, len(found), altered=altered)
    must = {*MUST, *ALWAYS, *COUNTED}
    return [replace(one, step=replace(one.step, optional=one.family not in must)) for one in cases]


def at_long_axes(found: list[Setting], altered: Sequence[str], seed: int) -> list[Case]:
    """Calls at the shapes of the longest rows and of most of them, where conditions may come out as at full
    size that do not where values and layouts are asked of."""
    rows = max(enumerate(found), key=lambda pair: columns(pair[1].op) * (not has_few_rows(pair[1].name)))
    longest = max(enumerate(found), key=lambda pair: longest_row(pair[1]))
    most = max(enumerate(found), key=lambda pair: most_rows(pair[1]))
    draw = Draw(torch.Generator().manual_seed(seed + 8))
    cases = []
    for place, setting in {place: one for place, one in (rows, longest, most) if place}.items():
        told = [family for family in _TELLING if tells_more(family, setting)]
        layouts = [layout for layout in (PITCHED, TRANSPOSED) if suits(setting.shipped, layout)]
        cases += [draw.case(place, setting, "normal", layout=layout, optional=True) for layout in layouts]
        cases += [draw.case(place, setting, family, optional=True) for family in told[:2]]
        usual = draw.case(place, setting, "as shipped", shipped_weights=True)
        cases += [case for family in altered for case in draw.altered(usual, family)]
        cases += [draw.case(place, setting, family, optional=True) for family in told[2:]]
    return [replace(one, name=f"{one.name}, at last") for one in cases]


_TELLING = (ENORMOUS, "all negative", "heavy tailed", "negative spikes", "shifted normal", NEAR_ONE)
"""Families by which a shorter way gives itself away: one that takes no maximum first, or begins with zero."""


ALWAYS, COUNTED = ("padded masks", "full lengths"), ("extreme integers", "lowest places")
"""What becomes of inputs at all such sizes, and where no input floats."""


def at_sizes(
    op: Op,
    name: str,
    sizes: Mapping[str, Any],
    mode: str,
    seed: int,
    families: Sequence[str] = ("normal",),
    place: int = 0,
    layout: Layout = "contiguous",
    altered: Sequence[str] = (),
) -> list[Case]:
    """Calls at these sizes, one for each of `families` that tells anything, one in another `layout`, and
    those with inputs that are `altered`, masks and lengths always; none where the op has no such."""
    try:
        setting = setting_at(op, ShapeSet(name, dict(sizes), 0, True, ""), mode, seed + 1000 * place)
    except OpError:
        return []
    draw = Draw(torch.Generator().manual_seed(seed + 1))  # the plan's own draws stay what they were
    told = [family for family in families if tells_more(family, setting)] or ["as shipped"]
    found = [draw.case(place, setting, family) for family in told]
    shipped = draw.case(place, setting, "as shipped")
    counted = [] if any(map(floats, setting.shipped)) else COUNTED
    asked = dict.fromkeys((*ALWAYS, *counted, *altered))
    found += [case for family in asked for case in draw.altered(shipped, family)]
    laid = [draw.case(place, setting, told[0], layout=layout)] if suits(setting.shipped, layout) else []
    return [*found, *laid]
