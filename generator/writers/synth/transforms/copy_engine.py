"""Let the copy engine bring the tiles of factors: one instruction a tile, and no addresses in registers."""

from __future__ import annotations

from ..expr import Load
from ..lowering.attending import only_product
from ..schedule import Choice, Schedule
from ..skeletons.factors import only_loaded
from ..skeletons.scores import attention_of
from ..tiles import Tiles
from .site import VECTOR_BYTES, Site

TRANSFORM = "tma-bulk-copy"


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if site.loops.tiling is None:
        return "there is no matrix product"
    if "tma" not in site.spec.features:
        return f"{site.spec.name} has no engine that copies tiles"
    if schedule.descriptors:
        return "done already"
    if schedule.lanes:
        return "lanes multiply from registers, to which no engine copies"
    factors, dtype = factors_of(site)
    if dtype == "fp32" and schedule.dot == "ieee":
        return f"{dtype} factors are multiplied from registers, to which no engine copies"
    if not any(load is not None and not load.taps and not load.gathered for load in factors):
        return "no factor is a tensor as it lies in memory"
    accesses = schedule.rows * schedule.depth * site.element_bytes // VECTOR_BYTES
    why = (
        f"{schedule.rows} x {schedule.depth} elements are one copy in place of {accesses} accesses of "
        f"{VECTOR_BYTES} bytes, and no thread computes their addresses"
    )
    return schedule.decide(Choice("tiles", "by the copy engine", why, TRANSFORM), descriptors=True)


def factors_of(site: Site) -> tuple[list[Load | None], str]:
    """The factors of all products, None for what is computed, and their type."""
    builder = site.loops.region.builder
    if site.loops.tiling is not None and site.loops.tiling.inner:
        _, node = attention_of(site.loops)
        inner = only_product(builder, node)
        numbers = [inner.left, inner.right, node.values]
        return [only_loaded(builder, n) for n in numbers], builder.dtype(node.values)
    tiles = Tiles(site.loops, site.spec)
    numbers = [n for p in tiles.products for n in (p.left, p.right)]
    return [only_loaded(builder, n) for n in numbers], tiles.dtype
