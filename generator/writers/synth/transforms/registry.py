"""The transforms a schedule can be given, by the id of the technique whose card argues for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..schedule import Schedule
from . import (
    cache_hints,
    column_tiles,
    copy_engine,
    flash_tiling,
    grouped_order,
    implicit_gemm,
    integral_waves,
    loads_first,
    online_softmax,
    peel_row_edges,
    persistent_programs,
    persistent_tiles,
    pipelined_loop,
    row_in_registers,
    rows_in_l2,
    rows_per_program,
    shifted_moments,
    shrink_tile,
    skinny,
    split_k,
    split_precision,
    split_reduction,
    tile_choice,
    triangular,
    vector_width,
    warp_count,
    warp_roles,
    xcd_order,
    zero_tiles,
)  # fmt: skip
from .site import Site

Transform = Callable[[Schedule, Site], Schedule | str]

_MODULES = (
    cache_hints, column_tiles, copy_engine, flash_tiling, grouped_order, implicit_gemm, integral_waves,
    loads_first, online_softmax, peel_row_edges, persistent_programs, persistent_tiles, pipelined_loop,
    row_in_registers, rows_in_l2, rows_per_program, shifted_moments, skinny, split_k, split_precision,
    split_reduction, tile_choice, triangular, vector_width, warp_count, warp_roles, xcd_order, zero_tiles,
)  # fmt: skip

_OF_TILES = {
    module.TRANSFORM
    for module in (
        copy_engine,
        grouped_order,
        implicit_gemm,
        persistent_tiles,
        pipelined_loop,
        skinny,
        split_k,
        split_precision,
        tile_choice,
        triangular,
        warp_roles,
        xcd_order,
        zero_tiles,
    )
}
_OF_LAYOUT: Mapping[str, set[str]] = {
    "tiles": _OF_TILES,
    "attention": {flash_tiling.TRANSFORM, copy_engine.TRANSFORM},
    "window": set(),
    "convolution": set(),
}
"""What knows the tiles of matrix products, and windows; the rest is for rows, columns and flat grids."""


_NOT_HELD = {module.TRANSFORM for module in (copy_engine, persistent_tiles, split_k, warp_roles)}
"""What takes tiles for neighbours in memory, their sums for sums of parts, or one tile to be like another."""

_BEFORE_WALKS = {
    module.TRANSFORM
    for module in (implicit_gemm, skinny, split_k, split_precision, tile_choice, triangular, zero_tiles)
}
"""What decides which tiles there are, and how they are summed: before programs walk or warps have roles."""

_IN_ANY_ORDER = {module.TRANSFORM for module in (peel_row_edges, rows_in_l2, split_reduction)}
"""What takes the parts of a row as they come, or more than once: not for running sums."""


def _for_its_layouts(name: str, apply: Transform) -> Transform:
    def gated(schedule: Schedule, site: Site) -> Schedule | str:
        if name in _IN_ANY_ORDER and site.loops.scans:
            return f"{name} is not for running sums, whose parts follow one another"
        if name not in _OF_LAYOUT.get(schedule.layout, {name}):
            return f"{name} is not for {_WORDS[schedule.layout]}"
        if name in _NOT_HELD and site.loops.tiling is not None and site.loops.tiling.holds:
            return f"{name} is not for tiles that hold what is reduced of them"
        if name in _BEFORE_WALKS and schedule.layout == "tiles" and (schedule.persistent or schedule.roles):
            return f"{name} is not for tiles that programs walk or warps share out"
        if name == flash_tiling.TRANSFORM and schedule.layout != "attention":
            return "there is no attention"
        return apply(schedule, site)

    return gated


_WORDS = {
    "tiles": "matrix products",
    "window": "windows",
    "convolution": "packed factors",
    "attention": "attention",
}

TRANSFORMS: Mapping[str, Transform] = {
    module.TRANSFORM: _for_its_layouts(module.TRANSFORM, module.apply) for module in _MODULES
}

ALTERNATIVES: Mapping[str, Callable[[Schedule, Site], list[Schedule]]] = {
    module.TRANSFORM: module.alternatives for module in (flash_tiling, implicit_gemm, tile_choice)
}
"""What a transform may decide instead of its first choice, that one included, best first."""


def variant(name: str, number: int) -> Transform:
    """The transform with its alternative of that number in place of its first choice."""

    def apply(schedule: Schedule, site: Site) -> Schedule | str:
        if isinstance(first := TRANSFORMS[name](schedule, site), str):
            return first
        found = ALTERNATIVES[name](schedule, site) if name in ALTERNATIVES else []
        return found[number] if number < len(found) else f"{name} has no further variant"

    return apply


MEND: tuple[str, Transform] = (shrink_tile.TRANSFORM, shrink_tile.apply)
"""What a kernel gets that spills or does not fit."""
