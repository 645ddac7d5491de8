"""Schedules to try generated kernels under: plain, forced, and all that a device's limits allow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from kbgen.generator.writers.synth.convolutions import convolution_of
from kbgen.generator.writers.synth.dtypes import BYTES
from kbgen.generator.writers.synth.loops import Loops
from kbgen.generator.writers.synth.program import Program
from kbgen.generator.writers.synth.schedule import (
    LEAST_DOT,
    Schedule,
    held_sides,
    next_power_of_two,
    start_schedule,
)
from kbgen.generator.writers.synth.skeletons.parts import cut_factors
from kbgen.generator.writers.synth.skeletons.zero_tiles import may_be_marked, triangle_of
from kbgen.generator.writers.synth.tiles import Tiles
from kbgen.generator.writers.synth.transforms.registry import TRANSFORMS
from kbgen.generator.writers.synth.transforms.site import Site
from kbgen.generator.writers.synth.transforms.tile_choice import LEAST_BYTES, LEAST_SIDE
from kbgen.hardware_specs.spec import find_spec

ORDER = (
    "row-in-registers", "online-softmax", "shifted-moments", "split-reduction", "rows-per-program",
    "column-tiles", "peel-row-edges", "vector-width", "warp-count", "integral-waves", "loads-first",
    "persistent-programs", "rows-in-l2", "skinny-gemm", "implicit-gemm", "tf32x3-split", "split-k",
    "gemm-tile-choice", "triangular-tiles", "zero-tile-skip", "flash-tiling", "pipelined-loop",
    "tma-bulk-copy", "grouped-program-order", "xcd-program-order", "persistent-tiles",
    "warp-specialisation", "cache-hints",
)  # fmt: skip
"""One order in which every transform is applied that applies."""


def greedy(loops: Loops, device: str) -> Schedule:
    schedule = start_schedule(loops)
    for name in ORDER:
        changed = TRANSFORMS[name](schedule, Site(loops, find_spec(device)))
        schedule = schedule if isinstance(changed, str) else changed
    return schedule


def _whole(loops: Loops, **changes: object) -> Schedule:
    start = start_schedule(loops)
    if start.layout == "tiles":
        return _by_lanes(loops)
    if start.layout != "rows":
        return start
    block = next_power_of_two(loops.columns.full)
    changes = changes if loops.kept else {}
    return replace(start, one_tile=True, nested=False, block=block, **changes)  # type: ignore[arg-type]


def _by_lanes(loops: Loops) -> Schedule:
    """Products of few rows or columns by lanes, in parts of 32 terms."""
    start = start_schedule(loops)
    assert loops.tiling is not None
    _, rows, cols, _ = Tiles(loops, find_spec("h100")).shape
    if min(rows, cols) >= LEAST_DOT or loops.tiling.holds:
        return start
    narrow = next_power_of_two(min(rows, cols))
    sides = {"rows": narrow, "block": 16} if rows <= cols else {"rows": 16, "block": narrow}
    return replace(start, lanes=True, depth=16, splits=2, **sides)


def _steps(loops: Loops) -> Schedule:
    """Several steps a row, whatever its length."""
    start = start_schedule(loops)
    if start.layout == "tiles" and loops.tiling is not None:
        kept = triangle_of(loops) is not None
        marks = kept and may_be_marked(loops)
        rows, block = (max(side, LEAST_DOT) for side in held_sides(loops.tiling))
        item = BYTES[Tiles(loops, find_spec("h100")).dtype]
        depth = LEAST_SIDE if item > 1 else LEAST_BYTES
        small = replace(start, block=block, rows=rows, depth=depth, group=2, dot="tf32x3")
        return replace(small, triangle=kept, marks=marks)
    if start.layout == "attention":
        return replace(start, block=16, rows=16, depth=16, inner=16, one_tile=False)
    return replace(start, one_tile=False, block=16, depth=4)


def _nested(loops: Loops) -> Schedule:
    """Two loops over a row of two axes."""
    start = _steps(loops)
    return replace(start, nested=start.layout == "rows" and len(loops.reduced) == 2)


def _nested_split(loops: Loops) -> Schedule:
    start = _nested(loops)
    holds = loops.tiling is not None and loops.tiling.holds
    return (
        start
        if start.layout == "flat" or loops.scans or holds
        else replace(start, splits=2, shifted_moments=True)
    )


def _fused(loops: Loops) -> Schedule:
    """Fewest passes, of which the last walks rows back; convolutions of factors packed whole."""
    if convolution_of(loops) is not None:
        return Schedule("convolution", block=32, rows=16, depth=16)
    steps = _steps(loops)
    again = steps.layout == "rows" and not loops.scans
    return replace(steps, online_softmax=True, shifted_moments=True, rows_in_l2=again)


def _peeled(loops: Loops, start: Schedule) -> Schedule:
    """Rows with their ends peeled off, where they do not begin on whole vectors."""
    changed = TRANSFORMS["peel-row-edges"](start, Site(loops, find_spec("h100")))
    return start if isinstance(changed, str) else changed


def _split(loops: Loops) -> Schedule:
    start = start_schedule(loops)
    if start.layout == "tiles" and loops.tiling is not None and not loops.tiling.holds:
        return replace(_steps(loops), splits=2, dot="ieee", marks=False)
    if start.layout not in ("rows", "columns") or loops.scans:
        return start
    return replace(start, one_tile=False, splits=4, block=16, depth=2)


def _split_fused(loops: Loops) -> Schedule:
    start = _split(loops)
    return start if start.layout == "flat" else replace(start, online_softmax=True, shifted_moments=True)


def _persistent(loops: Loops) -> Schedule:
    """Programs that walk rows, or tiles of products: two for each unit, whatever a unit is."""
    start = start_schedule(loops)
    if start.layout != "tiles" or (loops.tiling is not None and loops.tiling.holds):
        return _whole(loops, persistent=3)
    small = replace(_steps(loops), dot="ieee", triangle=False, marks=False, num_stages=2)
    return replace(small, persistent=2, roles=True, descriptors=True, dies=2)


def _two_rows(loops: Loops) -> Schedule:
    start = start_schedule(loops)
    if start.layout != "rows" or not loops.kept:
        return start
    return replace(start, one_tile=False, rows=2, block=16, nested=False, num_stages=3)


def _cut(loops: Loops) -> Schedule:
    """Products of parts that a kernel before cuts, in several stretches; halves of the results at a time.
    Of convolutions it packs them, too."""
    start = _steps(loops)
    if (conv := convolution_of(loops)) is not None:
        parts = {"dot": "bf16x6", "stretch": 32} if conv.image.dtype == "fp32" else {"dot": "ieee"}
        return Schedule("convolution", block=32, rows=16, depth=16, **parts)
    if start.layout != "tiles":
        return start
    if cut_factors(loops) is None:
        return replace(start, halves=True, dot="bf16x6")
    return replace(start, dot="bf16x6", stretch=16, descriptors=True, halves=True)


VARIANTS: Mapping[str, Callable[[Loops], Schedule]] = {
    "plain": start_schedule,
    "steps": _steps,
    "nested": _nested,
    "nested-split": _nested_split,
    "fused": _fused,
    "peeled": lambda loops: _peeled(loops, _steps(loops)),
    "peeled-fused": lambda loops: _peeled(loops, _fused(loops)),
    "whole": _whole,
    "whole-two-rows": lambda loops: _whole(loops, rows=2),
    "persistent": _persistent,
    "two-rows": _two_rows,
    "split": _split,
    "cut": _cut,
    "split-fused": _split_fused,
    "h100": lambda loops: greedy(loops, "h100"),
    "mi300x": lambda loops: greedy(loops, "mi300x"),
}


def schedules(program: Program, variant: str) -> dict[int, Schedule]:
    return {i: VARIANTS[variant](loops) for i, loops in program.loops.items()}
