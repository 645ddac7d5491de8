"""The transforms a schedule can be given, by the id of the technique whose card argues for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..schedule import Schedule
from . import (
    cache_hints,
    column_tiles,
    integral_waves,
    online_softmax,
    peel_row_edges,
    persistent_programs,
    pipelined_loop,
    row_in_registers,
    rows_in_l2,
    rows_per_program,
    shifted_moments,
    shrink_tile,
    split_reduction,
    vector_width,
    warp_count,
)  # fmt: skip
from .site import Site

Transform = Callable[[Schedule, Site], Schedule | str]

TRANSFORMS: Mapping[str, Transform] = {
    module.TRANSFORM: module.apply
    for module in (
        cache_hints, column_tiles, integral_waves, online_softmax, peel_row_edges, persistent_programs,
        pipelined_loop, row_in_registers, rows_in_l2, rows_per_program, shifted_moments,
        split_reduction, vector_width, warp_count,
    )
}  # fmt: skip

MEND: tuple[str, Transform] = (shrink_tile.TRANSFORM, shrink_tile.apply)
"""What a kernel gets that spills or does not fit."""
