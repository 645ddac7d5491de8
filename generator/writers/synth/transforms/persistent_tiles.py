"""Launch as many programs as there are units: each walks tiles of a product and loads ahead for the next."""

from __future__ import annotations

import math
from dataclasses import replace

from ..schedule import Choice, Schedule
from ..skeletons.factors import only_loaded
from ..skeletons.rounding import longest_chain
from ..tile_ends import ended_us
from ..tiles import Tiles
from .site import Site

TRANSFORM = "persistent-tiles"
LEAST_GAIN = 0.03
"""Below it the estimate ranks no two kernels."""


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if site.loops.tiling is None:
        return "there is no matrix product"
    if schedule.persistent:
        return "done already"
    units = site.spec.unit_count
    if units is None or site.spec.clock_mhz is None:
        return f"the unit count or the clock of {site.spec.name} is not known"
    tiles = Tiles(site.loops, site.spec)
    if (refusal := _unfit(schedule, tiles)) is not None:
        return refusal
    count, unit = tiles.programs(schedule), site.spec.unit_name
    if count <= units:
        return f"{count} tiles leave {units} {unit}s one each at most: no tile follows another"
    if (held := tiles.resident(schedule)) > 1:
        return f"{held} programs on one {unit} fill each other's ends"
    stages = (schedule.num_stages, schedule.num_stages - 1)
    ways = [replace(schedule, persistent=1, num_stages=number) for number in stages if number > 1]
    best = min(ways, key=lambda way: ended_us(tiles, way))
    before, after = ended_us(tiles, schedule), ended_us(tiles, best)
    if math.isinf(before):
        return f"not one such tile fits on {site.spec.name}"
    if after > (1 - LEAST_GAIN) * before:
        return (
            f"loads for the next tile while results leave are expected to save "
            f"{max(0.0, 1 - after / before):.1%}, less than {LEAST_GAIN:.0%}"
        )
    why = (
        f"{count} tiles of {math.ceil(tiles.shape[3] / schedule.depth)} steps follow one another on {units} "
        f"{unit}s; the first loads of one are under way while the results of the last leave, which is "
        f"expected to save {1 - after / before:.0%}"
    )
    fewer = best.num_stages < schedule.num_stages  # to have room for results that leave beside the steps
    return schedule.decide(
        Choice("programs", f"one on each {unit}", why, TRANSFORM), instead_of="num_stages" if fewer else "",
        persistent=best.persistent, num_stages=best.num_stages,
    )  # fmt: skip


def _unfit(schedule: Schedule, tiles: Tiles) -> str | None:
    """Why tiles of such a schedule are left to the device's own scheduler."""
    if schedule.lanes:
        return "lanes have all loads of a step under way at once"
    if schedule.splits > 1:
        return "tiles whose sums are cut into parts are too few to be walked"
    if schedule.triangle or schedule.marks:
        return "tiles that skip steps take unequal times, and the device deals them as programs end"
    if schedule.stretch or longest_chain(tiles.loops, schedule) is not None:
        return "sums taken in stretches are a loop in a loop, which is not flattened with the one over tiles"
    builder = tiles.loops.region.builder
    loads = (only_loaded(builder, n) for p in tiles.products for n in (p.left, p.right))
    if any(load is not None and (load.taps or load.gathered) for load in loads):
        return "factors that are gathered element by element are not copied ahead"
    if schedule.num_stages < 2:
        return "with one step at a time nothing of the next tile could be under way"
    if not schedule.descriptors:
        return "walked tiles that threads bring took 1.5 to 2.7 times as long on an H200"
    return None
