"""The tiles of a region's products as its schedule lays them, and how each of its kernels multiplies."""

from __future__ import annotations

from ....hardware_specs.spec import DeviceSpec
from ....profiling.product_time import ProductWork
from .attention_tiles import AttentionTiles
from .convolution_tiles import ConvolutionTiles
from .loops import Loops
from .schedule import Schedule
from .tile_ends import with_ends
from .tiles import Tiles


def tiles_of(loops: Loops, schedule: Schedule, spec: DeviceSpec) -> Tiles | AttentionTiles | ConvolutionTiles:
    """Of a region with matrix products."""
    if loops.tiling is not None and loops.tiling.inner:
        return AttentionTiles(loops, spec)
    if schedule.layout == "convolution":
        return ConvolutionTiles(loops, spec)
    return Tiles(loops, spec)


def works_of(loops: Loops, schedule: Schedule, spec: DeviceSpec) -> tuple[ProductWork | None, ...]:
    """What a program of each kernel multiplies, in launch order; None of kernels before and behind."""
    tiles = tiles_of(loops, schedule, spec)
    found = tiles.work(schedule)
    if found is not None and isinstance(tiles, Tiles):
        found = with_ends(tiles, schedule, found)
    if schedule.layout == "convolution":
        return (None, None, found)
    before = (None,) * (bool(schedule.stretch) + schedule.marks)
    return (*before, found, *((None,) * (schedule.splits > 1)))
