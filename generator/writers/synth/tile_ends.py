"""The two ends of a tile of products: its first loads, with nothing to multiply yet, and its results leaving.

Where a unit holds several programs, they fill each other's ends; where it holds one, only programs that walk
tiles do: they load for the next while the results of this one leave.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ....profiling.product_time import L2_BYTES_PER_CLOCK, L2_LATENCY_NS, ProductWork
from ....profiling.product_time import ended_us as work_us
from .dtypes import BYTES
from .schedule import Schedule
from .tiles import Tiles


def with_ends(tiles: Tiles, schedule: Schedule, work: ProductWork) -> ProductWork:
    """The work of a program with the time of a tile's ends, and the walk over tiles where it takes one."""
    if tiles.spec.clock_mhz is None:
        return work
    bytes_us = L2_BYTES_PER_CLOCK * tiles.spec.clock_mhz
    fill = L2_LATENCY_NS * 1e-3 + work.step_bytes / bytes_us
    drain = result_bytes(tiles, schedule) / bytes_us
    walked = tiles.programs(schedule) if schedule.persistent else 0
    return replace(work, fill_us=fill, drain_us=drain, roles=schedule.roles, walked=walked)


def result_bytes(tiles: Tiles, schedule: Schedule) -> float:
    """What leaves of one tile: its results, or its sums where these are parts of longer ones."""
    stores = sum(s.node.meta["val"].numel() * BYTES[s.dtype] for s in tiles.loops.region.stores)
    return (tiles.parts_bytes(schedule) or float(stores)) / tiles.programs(schedule)


def ended_us(tiles: Tiles, schedule: Schedule) -> float:
    """Time of all tiles with their ends; infinite where a tile does not fit."""
    work, resident = tiles.work(schedule), tiles.resident(schedule)
    if work is None or not resident or tiles.shared_bytes(schedule) > tiles.spec.shared_bytes_per_block:
        return math.inf
    return work_us(with_ends(tiles, schedule, work), launched(tiles, schedule), resident, tiles.spec)


def launched(tiles: Tiles, schedule: Schedule) -> int:
    """Programs of the kernel of products: one a tile, or as many as walk them."""
    if not schedule.persistent or tiles.spec.unit_count is None:
        return tiles.programs(schedule)
    return min(tiles.programs(schedule), schedule.persistent * tiles.spec.unit_count)
