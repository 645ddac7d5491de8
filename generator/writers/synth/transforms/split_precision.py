"""Multiply fp32 factors as products of their parts, on matrix units and within the fp32 class."""

from __future__ import annotations

import math

from .....profiling.roofline import LAUNCH_US
from ..schedule import LEAST_DOT, Choice, Schedule, holds_whole, next_power_of_two
from ..skeletons.parts import cut_factors
from ..tiles import SPLIT_PRODUCTS, Tiles, unit_of
from . import tile_choice
from .site import Site

TRANSFORM = "tf32x3-split"

STRETCH = 512
"""Elements after which the sums of matrix units, rounded towards zero, go to those in registers: at K = 4096
on an H200 results are off by 0.7e-6 with it, by 11e-6 without, and torch's own by 0.8e-6 (relative L2)."""

CUT_SIDE, CUT_DEPTH = 128, 64
"""Tile of products of cut parts: of those tried on an H200 the fastest that holds both sums in registers."""


_WORDS = {
    "tf32x3": ("three of TF32", "the dropped term is near 2^-22"),
    "bf16x6": ("six of bf16", "the dropped terms are near 2^-24"),
}


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if site.loops.tiling is None:
        return "there is no matrix product"
    tiles = Tiles(site.loops, site.spec)
    if tiles.dtype != "fp32":
        return f"{tiles.dtype} factors go to the matrix units as they are"
    if schedule.dot != "ieee":
        return "done already"
    if schedule.lanes:
        return "lanes multiply fp32 factors as they are"
    if site.spec.vendor != "nvidia":
        return "Triton has no TF32 products for this vendor"
    rates = {dot: rate for dot in SPLIT_PRODUCTS if (rate := _rate(tiles, dot)) is not None}
    if not rates:
        return f"{site.spec.name} has no TF32 units"
    best, vector = max(rates, key=rates.__getitem__), _rate(tiles, "ieee")
    if vector is None or rates[best] <= vector:
        reached = f"{rates[best]:.0f} TFLOP/s here, fp32 ones {vector or 0.0:.0f}"
        return f"products of parts are expected to reach {reached}"
    if (cut := _cut(schedule, tiles, rates[best])) is not None:
        return cut
    name, dropped = _WORDS[best]
    why = (
        f"by shares of peaks that an H200 reached, {rates[best]:.0f} TFLOP/s on matrix units and "
        f"{vector:.0f} on the vector units; {dropped}"
    )
    split = schedule.decide(Choice("fp32 products", name, why, TRANSFORM), dot=best)
    tiled = tile_choice.apply(split, site)
    return split if isinstance(tiled, str) else tiled


def _rate(tiles: Tiles, dot: str) -> float | None:
    """TFLOP/s of fp32 products that they may be expected to reach; None without such units."""
    unit = unit_of(tiles.dtype, dot, tiles.spec)
    return tiles.spec.peak_tflops[unit] / tiles.multiplied(dot) if unit else None


def _cut(schedule: Schedule, tiles: Tiles, beside: float) -> Schedule | None:
    """Parts cut by a kernel before, where that takes less time than `beside` TFLOP/s would."""
    batch, rows, cols, depth = tiles.shape
    flops = 2.0 * batch * rows * cols * depth
    unit = unit_of(tiles.dtype, "bf16x6", tiles.spec, cut=True)
    if (
        "tma" not in tiles.spec.features
        or unit is None
        or cut_factors(tiles.loops) is None
        or schedule.splits > 1
        or not holds_whole(tiles.tiling, CUT_SIDE, CUT_SIDE)
    ):
        return None
    rate = tiles.spec.peak_tflops[unit] / tiles.multiplied("bf16x6", cut=True)
    cutting_us = tiles.cut_bytes() / tiles.spec.dram_gb_s * 1e-3 + LAUNCH_US
    before_us, after_us = flops / beside * 1e-6, flops / rate * 1e-6 + cutting_us
    programs = batch * math.ceil(rows / CUT_SIDE) * math.ceil(cols / CUT_SIDE)
    if after_us >= before_us or programs < (tiles.spec.unit_count or math.inf):
        return None
    why = (
        f"by shares of peaks that an H200 reached, {rate:.0f} TFLOP/s of parts that a kernel before cuts in "
        f"{cutting_us:.0f} us, {beside:.0f} of parts cut on the way; the dropped terms are near 2^-24"
    )
    step = min(CUT_DEPTH, max(LEAST_DOT, next_power_of_two(depth)))
    name = f"{CUT_SIDE} x {CUT_SIDE} x {step}"
    tiled = schedule.decide(Choice("tile", name, "of those measured the fastest for cut parts", TRANSFORM))
    return tiled.decide(
        Choice("fp32 products", "six of bf16, cut before", why, TRANSFORM), dot="bf16x6", stretch=STRETCH,
        descriptors=True, rows=CUT_SIDE, block=CUT_SIDE, depth=step, num_warps=8, num_stages=4,
    )  # fmt: skip
