"""Cut the summed direction of a product into parts where its tiles are too few to fill the device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..schedule import Choice, Schedule
from ..tiles import Tiles
from . import tile_choice
from .site import Site

TRANSFORM = "split-k"
MOST_PARTS = 256
LEAST_STEPS = 4
"""Steps of the sum that a part has at least: fewer are mostly start-up."""

ENOUGH = 2
"""Programs for each unit from which no part is missing."""

LEAST_TILE = 64 * 64
"""Results of a tile that reuses what it reads; smaller ones may fill a device and still want parts."""

LEAST_GAIN = 0.1


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if site.loops.tiling is None:
        return "there is no matrix product"
    if site.loops.tiling.holds:
        return "what is reduced stays in its tile"
    if schedule.splits > 1:
        return "done already"
    if schedule.stretch:
        return "factors that a kernel before cuts into parts are not summed in parts as well"
    spec = site.spec
    if spec.unit_count is None or spec.clock_mhz is None:
        return f"the unit count or the clock of {spec.name} is not known"
    tiles = Tiles(site.loops, spec)
    found = list(ways(schedule, site, tiles))
    whole = min((s for s in found if s.splits == 1), key=lambda s: expected_us(tiles, s))
    if tiles.programs(whole) >= ENOUGH * spec.unit_count and whole.rows * whole.block >= LEAST_TILE:
        return f"{tiles.programs(whole)} tiles fill {spec.unit_count} {spec.unit_name}s without parts"
    best = min(found, key=lambda s: expected_us(tiles, s))
    before, after = expected_us(tiles, whole), expected_us(tiles, best)
    if after > (1 - LEAST_GAIN) * before:
        return f"parts of {tiles.shape[3]} terms are expected to save less than their join takes"
    why = (
        f"without it there are {tiles.programs(whole)} programs for {spec.unit_count} {spec.unit_name}s; "
        f"{best.splits} parts of each sum make {tiles.programs(best)}, and a second kernel adds them in order"
    )
    return best.decide(Choice("PARTS", str(best.splits), why, TRANSFORM))


def ways(schedule: Schedule, site: Site, tiles: Tiles) -> Iterator[Schedule]:
    """One part or as many as leave steps to each, with the tile at hand and with those made for them."""
    parts = 1
    while parts == 1 or parts <= min(MOST_PARTS, tiles.shape[3] // (LEAST_STEPS * schedule.depth)):
        split = replace(schedule, splits=parts)
        yield from (split, *tile_choice.alternatives(split, site))
        parts *= 2


def expected_us(tiles: Tiles, schedule: Schedule) -> float:
    """Expected time: of the tiles, or of reading the factors if that takes longer."""
    read_us = tiles.read_bytes(schedule) / tiles.spec.dram_gb_s * 1e-3
    return max(tile_choice.staged_us(tiles, schedule), read_us + tiles.join_us(schedule))
