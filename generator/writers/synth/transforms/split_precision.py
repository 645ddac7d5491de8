"""Multiply fp32 factors as three TF32 products of their halves, on matrix units and within the fp32 class."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from ..tiles import Tiles
from .site import Site

TRANSFORM = "tf32x3-split"


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
    peaks = site.spec.peak_tflops
    if "tensor_tf32" not in peaks:
        return f"{site.spec.name} has no TF32 units"
    gain = peaks["tensor_tf32"] / 3 / peaks["fp32"]
    if gain <= 1:
        return f"a third of the TF32 rate is {gain:.2f} of the fp32 rate"
    why = (
        f"a third of {peaks['tensor_tf32']:.0f} TFLOP/s on matrix units is {gain:.1f} times the "
        f"{peaks['fp32']:.0f} of the vector units; the dropped term is near 2^-22"
    )
    return schedule.decide(Choice("fp32 products", "three of TF32", why, TRANSFORM), dot="tf32x3")
