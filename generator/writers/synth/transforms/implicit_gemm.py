"""Pack the factors of a convolution, channels side by side, and multiply them tap after tap."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from ..convolution_tiles import ConvolutionTiles
from ..convolutions import convolution_of
from ..schedule import Choice, Schedule, next_power_of_two
from ..tiles import Tiles, unit_of
from .site import Site
from .split_precision import STRETCH

TRANSFORM = "implicit-gemm"

ROWS, PLACES, WARPS, STAGES = (16, 32, 64, 128), (32, 64, 128, 256), (4, 8), (2, 3, 4)
DEPTHS = {"bf16": (16, 32, 64), "fp16": (16, 32, 64), "fp32": (16, 32)}
"""Elements of one tap that a step reads: 32 to 128 bytes side by side."""

LEAST_SUMS, MOST_SUMS = 8, 128
"""Sums of a thread, those of a stretch with them."""

MOST, NEAR = 6, 1.25
"""Tiles that are worth a try, and how far from the best of the model they may be."""

EARNS = 0.05
"""What packing must save of the estimate."""


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout == "convolution":
        return "done already"
    if site.loops.tiling is None or convolution_of(site.loops) is None:
        return "there is no convolution of tensors as they lie in memory"
    if site.spec.unit_count is None or site.spec.clock_mhz is None:
        return f"the unit count or the clock of {site.spec.name} is not known"
    found = alternatives(schedule, site)
    return found[0] if found else "windows that are gathered are expected to be as fast as packed ones"


def alternatives(schedule: Schedule, site: Site) -> list[Schedule]:
    """Tiles that the model holds to be faster than the one at hand, best first; a clock may differ."""
    tiles = ConvolutionTiles(site.loops, site.spec)
    before = tiles if schedule.layout == "convolution" else Tiles(site.loops, site.spec)
    now = before.estimate_us(schedule)
    times = {candidate: tiles.estimate_us(candidate) for candidate in _candidates(schedule, tiles)}
    least = min(times.values(), default=math.inf)
    near = [c for c, us in times.items() if us < (1 - EARNS) * now and us <= NEAR * least]
    return [_decided(c, tiles, now, times[c]) for c in sorted(near, key=times.__getitem__)[:MOST]]


def _candidates(schedule: Schedule, tiles: ConvolutionTiles) -> Iterator[Schedule]:
    conv, parts = tiles.conv, tiles.dtype == "fp32" and tiles.spec.vendor == "nvidia"
    dot, stretch = ("bf16x6", STRETCH) if parts else ("ieee", 0)
    if unit_of(tiles.dtype, dot, tiles.spec, cut=parts) is None:
        return
    most_rows = max(ROWS[0], next_power_of_two(conv.rows.full))
    most_places = max(PLACES[0], next_power_of_two(conv.places.full))
    most_depth = max(DEPTHS["bf16"][0], next_power_of_two(conv.run))
    packed = replace(schedule, layout="convolution", dot=dot, stretch=stretch, descriptors=False, halves=False,
                     group=1, splits=1, marks=False)  # fmt: skip
    stages = STAGES if "cp_async" in tiles.spec.features else STAGES[:1]
    for rows in (r for r in ROWS if r <= most_rows):
        for block in (p for p in PLACES if p <= most_places):
            for depth in (d for d in DEPTHS["bf16" if parts else tiles.dtype] if d <= most_depth):
                for warps in WARPS:
                    for under_way in stages:
                        tile = replace(packed, rows=rows, block=block, depth=depth, num_warps=warps, num_stages=under_way)
                        if LEAST_SUMS <= tiles.sums(tile) <= MOST_SUMS:
                            yield tile


def _decided(best: Schedule, tiles: ConvolutionTiles, before_us: float, us: float) -> Schedule:
    conv = tiles.conv
    image, weight = tiles.packing_bytes(best)
    told = f"{tiles.described}: {(image + weight) / 1e6:.0f} MB are moved for it"
    if best.stretch:
        told += ", as three parts of bf16, whose dropped products are near 2^-24"
    if conv.phases > 1:
        told += f"; {conv.taps_of_phases} taps of {conv.phases} phases are multiplied in place of {conv.phases * conv.taps}"
    told += f"; about {us:.0f} us, {before_us:.0f} where windows are gathered (estimated)"
    choice = Choice("windows", "packed before", told, TRANSFORM)
    name = f"{best.rows} channels x {best.block} places x {best.depth}"
    why = f"{tiles.programs(best)} programs of {tiles.steps(best)} steps, {best.num_stages} under way"
    return best.decide(choice).decide(Choice("tile", name, why, TRANSFORM))
