"""Pack the factors of a convolution, channels side by side, and multiply them tap after tap."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from ..convolution_tiles import ConvolutionTiles
from ..convolutions import Convolution, convolution_of
from ..schedule import Choice, Schedule, held_sides, next_power_of_two
from ..tiles import Tiles, unit_of
from .site import Site
from .split_precision import STRETCH

TRANSFORM = "implicit-gemm"

ROWS, PLACES, WARPS, STAGES = (16, 32, 64, 128), (32, 64, 128, 256), (4, 8), (2, 3, 4)
DEPTHS = {"bf16": (16, 32, 64), "fp16": (16, 32, 64), "fp32": (16, 32)}
"""Elements of one tap that a step reads: 32 to 128 bytes side by side. Parts that threads bring are read 32
bytes at a time: on an H200 deeper steps, of which fewer are under way, took twice as long."""

LEAST_SUMS, MOST_SUMS = 8, 128
"""Sums of a thread, those of a stretch with them; half as many without one: conv2d of 256 channels in bf16
takes 1.1 ms on an H200 with 64 of them and 1.6 ms with 128."""

MANY_ROWS, MANY_PLACES = 128, 256
"""Sides of a tile from which eight warps do not share the rows that four have."""

LEAST_BOX = 16
"""Elements of a tap up to which a box is too small to be worth its barrier."""

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
    """Tiles that threads bring, and boxes where the device and the convolution have them."""
    conv, spec = tiles.conv, tiles.spec
    parts = tiles.dtype == "fp32" and spec.vendor == "nvidia"
    dot, stretch = ("bf16x6", STRETCH) if parts else ("ieee", 0)
    if unit_of(tiles.dtype, dot, spec, cut=parts) is None:
        return
    packed = Schedule("convolution", block=0, dot=dot, stretch=stretch, choices=schedule.choices)
    stages = STAGES if "cp_async" in spec.features else STAGES[:1]
    boxed = "tma" in spec.features and conv.boxes and (parts or tiles.dtype != "fp32")
    for boxes in (False, True) if boxed else (False,):
        if parts and not boxes and "tcgen05" in spec.features:
            continue  # Triton 3.7.1 compiles several such products in a step for sm_100 to nothing
        depths = [
            d for d in DEPTHS["bf16" if parts else tiles.dtype] if not parts or (d > LEAST_BOX) is boxes
        ]
        depths = [d for d in depths if d <= max(depths[0], next_power_of_two(conv.run))]
        for rows, block, depth, under_way in product(_heights(tiles), _widths(conv), depths, stages):
            for warps in WARPS if rows >= MANY_ROWS or block >= MANY_PLACES else WARPS[:1]:
                tile = replace(
                    packed, rows=rows, block=block, depth=depth, num_warps=warps, num_stages=under_way,
                    descriptors=boxes,
                )  # fmt: skip
                if LEAST_SUMS <= tiles.sums(tile) <= (MOST_SUMS if parts else MOST_SUMS // 2):
                    yield tile


def _heights(tiles: ConvolutionTiles) -> list[int]:
    """Channels of results in a tile; all of them where they are reduced together."""
    tiling = tiles.loops.tiling
    if tiling is not None and tiling.holds:
        return [held_sides(tiling)[0]]
    return [r for r in ROWS if r <= max(ROWS[0], next_power_of_two(tiles.conv.rows.full))]


def _widths(conv: Convolution) -> list[int]:
    return [p for p in PLACES if p <= max(PLACES[0], next_power_of_two(conv.places.full))]


def _decided(best: Schedule, tiles: ConvolutionTiles, before_us: float, us: float) -> Schedule:
    conv = tiles.conv
    image, weight = tiles.packing_bytes(best)
    told = f"{tiles.described}: {(image + weight) / 1e6:.0f} MB are moved for it"
    if best.stretch:
        told += ", as three parts of bf16, whose dropped products are near 2^-24"
    if conv.phases > 1:
        whole = conv.phases * conv.taps
        told += f"; {conv.taps_of_phases} taps of {conv.phases} phases are multiplied in place of {whole}"
    told += f"; about {us:.0f} us, {before_us:.0f} where windows are gathered (estimated)"
    if best.descriptors:
        told += "; tiles of neighbouring places are boxes that the copy engine brings"
    choice = Choice("windows", "packed before", told, TRANSFORM)
    name = f"{best.rows} channels x {best.block} places x {best.depth}"
    why = f"{tiles.programs(best)} programs of {tiles.steps(best)} steps, {best.num_stages} under way"
    return best.decide(choice).decide(Choice("tile", name, why, TRANSFORM))
