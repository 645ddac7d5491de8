"""Multiply fp32 factors as three TF32 products of their halves, on matrix units and within the fp32 class."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from ..tiles import Tiles
from .site import Site

TRANSFORM = "tf32x3-split"

REACHED = 0.2
"""Share of its peak that Triton's tf32x3 reaches, over the share that its fp32 products reach: 4096 x 4096 x
4096 on an H200 (Triton 3.6) took 6.2 ms as three TF32 products and 3.1 ms on the vector units."""


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
    gain = REACHED * peaks["tensor_tf32"] / 3 / peaks["fp32"]
    if gain <= 1:
        return f"as Triton writes them, three TF32 products reach {gain:.2f} of the fp32 rate here"
    why = (
        f"three products at {peaks['tensor_tf32']:.0f} TFLOP/s on matrix units are {gain:.2f} times as fast "
        f"as the vector units' {peaks['fp32']:.0f}, as Triton writes them; the dropped term is near 2^-22"
    )
    return schedule.decide(Choice("fp32 products", "three of TF32", why, TRANSFORM), dot="tf32x3")
