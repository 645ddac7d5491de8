"""Calls at sizes beside the planned ones: whole tiles, and what other stages ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from ..inputs.draw import Draw
from ..inputs.families import ENORMOUS, FAMILIES, MUST, NEAR_ONE, floats
from ..inputs.setting import Case, Setting, setting_at
from ..shapes.stretched import has_few_rows
from ..shapes.whole_tiles import whole_tiles
from .most import columns, longest_row
from .settings import ROOM
from .worth_asking import tells_more


def at_whole_tiles(op: Op, found: list[Setting], mode: str, seed: int) -> list[Case]:
    """Calls at sizes that are whole tiles where full size's are, for conditions that full size alone meets,
    or that no call with other values has met; none where there are no such sizes."""
    small = found[0].op
    budget = max(ROOM.wide, 2 * small.footprint().total_bytes)  # a network has its weights to hold, too
    sizes = whole_tiles(op, small.overrides, budget)
    families = [name for name in FAMILIES if name in MUST - {"as shipped"} or name in _TELLING]
    return at_sizes(op, "whole tiles", sizes, mode, seed, families, len(found)) if sizes else []


def at_long_rows(found: list[Setting], seed: int) -> list[Case]:
    """Calls at the shapes of the longest rows, where conditions may come out as at full size that do not
    where values are asked of."""
    rows = max(enumerate(found), key=lambda pair: columns(pair[1].op) * (not has_few_rows(pair[1].name)))
    longest = max(enumerate(found), key=lambda pair: longest_row(pair[1]))
    draw = Draw(torch.Generator().manual_seed(seed + 8))
    places = {place: one for place, one in (rows, longest) if place}
    return [
        replace(one, name=f"{one.name}, at last")
        for place, setting in places.items()
        for family in _TELLING
        if tells_more(family, setting)
        for one in [draw.case(place, setting, family, optional=False)]
    ]


_TELLING = ("shifted normal", "heavy tailed", "negative spikes", "all negative", NEAR_ONE, ENORMOUS)
"""Families by which a shorter way gives itself away: one that takes no maximum first, or begins with zero."""


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
