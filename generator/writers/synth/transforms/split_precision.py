"""Multiply fp32 factors as products of their parts, on matrix units and within the fp32 class."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from ..tiles import SPLIT_PRODUCTS, Tiles, unit_of
from .site import Site

TRANSFORM = "tf32x3-split"

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
    if site.spec.vendor != "nvidia":
        return "Triton has no TF32 products for this vendor"
    rates = {dot: rate for dot in SPLIT_PRODUCTS if (rate := _rate(tiles, dot)) is not None}
    if not rates:
        return f"{site.spec.name} has no TF32 units"
    best, vector = max(rates, key=rates.__getitem__), _rate(tiles, "ieee")
    if vector is None or rates[best] <= vector:
        reached = f"{rates[best]:.0f} TFLOP/s here, fp32 ones {vector or 0.0:.0f}"
        return f"products of parts are expected to reach {reached}"
    name, dropped = _WORDS[best]
    why = (
        f"by shares of peaks that an H200 reached, {rates[best]:.0f} TFLOP/s on matrix units and "
        f"{vector:.0f} on the vector units; {dropped}"
    )
    return schedule.decide(Choice("fp32 products", name, why, TRANSFORM), dot=best)


def _rate(tiles: Tiles, dot: str) -> float | None:
    """TFLOP/s of fp32 products that they may be expected to reach; None without such units."""
    unit = unit_of(tiles.dtype, dot, tiles.spec)
    return tiles.spec.peak_tflops[unit] / tiles.multiplied(dot) if unit else None
