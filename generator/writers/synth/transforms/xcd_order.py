"""Give each die of a chiplet GPU neighbouring tiles, so that they share factors in its own L2."""

from __future__ import annotations

import math
from dataclasses import replace

from ..schedule import Choice, Schedule
from ..tiles import Tiles
from .site import Site

TRANSFORM = "xcd-program-order"
LEAST_GAIN = 0.1
GROUPS = (1, 2, 4, 8, 16)


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if site.loops.tiling is None:
        return "there is no matrix product"
    if schedule.dies > 1:
        return "done already"
    spec = site.spec
    if spec.l2_partitions == 1:
        return f"{spec.name} has one L2 for all its {spec.unit_name}s"
    if spec.unit_count is None:
        return f"the unit count of {spec.name} is not known"
    tiles = Tiles(site.loops, spec)
    own = spec.l2_bytes // spec.l2_partitions
    if sum(tiles.factor_bytes()) <= own / 2:
        return f"the factors fit into each of the {spec.l2_partitions} L2s of {own >> 20} MiB"
    before = strips(schedule, tiles, dealt=True)
    best = min(
        (replace(schedule, dies=spec.l2_partitions, group=group) for group in GROUPS),
        key=lambda s: strips(s, tiles, dealt=False),
    )
    after = strips(best, tiles, dealt=False)
    if after > (1 - LEAST_GAIN) * before:
        return f"a die needs {before} strips of factors at once in this order, {after} in the best one"
    why = (
        f"programs are dealt in turn to {spec.l2_partitions} dies with an L2 of {own >> 20} MiB each, so "
        f"one needs {before} strips of factors at once, and {after} in groups of {best.group} rows of its own"
    )
    return best.decide(Choice("order", f"by {spec.l2_partitions} dies", why, TRANSFORM), instead_of="GROUP")


def strips(schedule: Schedule, tiles: Tiles, *, dealt: bool) -> int:
    """Rows and columns of tiles of which one die works on some at once: where programs are dealt out in turn
    its tiles are spread over all that run, else they follow one another in groups of rows."""
    dies = tiles.spec.l2_partitions
    _, rows, cols, _ = tiles.shape
    down, across = math.ceil(rows / schedule.rows), math.ceil(cols / schedule.block)
    group, all_tiles = min(schedule.group, down), down * across
    held = max(1, tiles.resident(schedule) * (tiles.spec.unit_count or 1) // dies)
    places = range(0, held * dies, dies) if dealt else range(held)
    band = group * across
    found = {(p // band * group + p % band % group, p % band // group) for p in places if p < all_tiles}
    return len({row for row, _ in found}) + len({col for _, col in found})
