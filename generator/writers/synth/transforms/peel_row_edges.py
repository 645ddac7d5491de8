"""Peel off the ends of rows that begin between 16-byte boundaries, so that the rest is whole vectors."""

from __future__ import annotations

import math

from ..loops import Loops
from ..schedule import Choice, Schedule
from .site import VECTOR_BYTES, Site

TRANSFORM = "peel-row-edges"


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout != "rows" or schedule.one_tile:
        return "there is no loop over a row whose ends could be peeled off"
    if schedule.peel:
        return "done already"
    if site.columns % site.vector == 0:
        return f"rows of {site.columns} elements begin and end on {VECTOR_BYTES}-byte boundaries"
    if schedule.splits > 1 or schedule.nested or schedule.rows > 1 or len(site.loops.reduced) > 1:
        return "only a row that one program walks in one loop is peeled"
    if schedule.block < 2 * site.vector:
        return f"a step of {schedule.block} elements does not hold the ends of a row"
    if not _all_packed(site.loops, site):
        return "not all tensors lie row behind row, so that their ends differ"
    narrow = math.gcd(site.columns, site.vector) * site.element_bytes * 8
    why = (
        f"rows of {site.columns} begin anywhere, which leaves accesses of {narrow} bit; between their first "
        f"and last {VECTOR_BYTES}-byte boundary they are 128 bit wide"
    )
    return schedule.decide(Choice("VECTOR", str(site.vector), why, TRANSFORM), peel=site.vector)


def _all_packed(loops: Loops, site: Site) -> bool:
    """Whether every tensor as large as the rows is walked as the largest is."""
    if loops.packed is None:
        return False
    space = loops.region.builder.space
    walked = [n.index for n in site.streams]
    inner = {leaf for axis in loops.reduced for leaf in axis.leaves}
    for store in loops.region.stores:
        if inner & {axis for axis, _ in space.resolve(store.index).terms}:
            walked.append(store.index)
    return all(space.resolve(index) == loops.packed for index in walked)
