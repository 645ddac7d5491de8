"""How one region is mapped to a device: layout, tile, warps, passes; every field a decision with a reason."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .extent import product
from .loops import LoopAxis, Loops, Tiling

Layout = Literal["flat", "rows", "columns", "tiles", "window", "convolution", "attention"]


@dataclass(frozen=True)
class Choice:
    """One decision, why it was taken, and the technique whose card argues for it ("" for a default)."""

    name: str
    value: str
    why: str
    technique: str = ""


@dataclass(frozen=True)
class Schedule:
    """Tile and launch of one region.

    `block` is the tile along the fast direction in elements: the flat tile, the step over a row, or the
    width of a column tile. `depth` is the step over the reduced direction of a column tile. `one_tile`
    holds a whole row at once. `nested` walks a row of two axes (channels of pixels, say) by two loops, so
    that no index is divided. `unit` elements divide a row's length and `peel` elements fill the widest
    access: where the first falls short of the second, a row's ends are peeled off (0 for not at all).
    `rows_in_l2` expects a row's next reading in the L2: the cache is asked to keep it until the last one,
    which walks the row back. `loads_first` asks for all that a held row needs before its first reduction.

    "window" is flat, and every result gathers the elements of its window; `nested` programs take results of
    one row, so that no index is divided. "tiles" are those of matrix
    products: `rows` x `block` results a program, `depth` of the summed direction a step; they are walked in
    groups of `group` rows, so that tiles that run together share their factors in the L2. `dot` is how the
    units take fp32 factors: "ieee" as they are, "tf32x3" as three TF32 products of their parts, "bf16x6" as
    six of bf16; with a `stretch` a kernel before cuts these, and sums are taken over so many elements at a
    time. With `descriptors` the copy engine brings tiles; with `halves` results leave in two halves of their
    columns. `splits` parts of every sum are programs of their own, which a second kernel joins. With `lanes`
    products of few rows or columns are added up lane by lane, on no matrix unit. `triangle` skips tiles that
    a triangle of results leaves out, `marks` the ends of sums where a kernel before found only zeros. Each of
    `dies` with an L2 of its own gets neighbouring tiles. `persistent` programs walk rows, and as many on
    each unit walk tiles; with `roles` some warps load and others multiply.

    "convolution" is "tiles" over factors that a kernel before packs, channels side by side: `rows` channels x
    `block` places of results, `depth` elements of one tap a step.

    "attention" holds `rows` queries and `block` columns of their results, and walks `depth` keys a step;
    scores are summed `inner` at a time, all at once where `one_tile` holds the queries.
    """

    layout: Layout
    block: int
    depth: int = 1
    rows: int = 1
    one_tile: bool = False
    num_warps: int = 4
    num_stages: int = 1
    splits: int = 1
    online_softmax: bool = False
    shifted_moments: bool = False
    cache_hints: bool = False
    persistent: int = 0
    nested: bool = False
    unit: int = 1
    peel: int = 0
    rows_in_l2: bool = False
    loads_first: bool = False
    group: int = 1
    dot: str = "ieee"
    inner: int = 0
    descriptors: bool = False
    halves: bool = False
    lanes: bool = False
    triangle: bool = False
    marks: bool = False
    dies: int = 1
    stretch: int = 0
    roles: bool = False
    choices: tuple[Choice, ...] = field(default=(), compare=False)

    def decide(self, choice: Choice, *, instead_of: str = "", **changes: Any) -> Schedule:
        """A changed schedule that remembers why; `instead_of` names an earlier choice that holds no more."""
        others = tuple(c for c in self.choices if c.name not in (choice.name, instead_of))
        return replace(self, choices=(*others, choice), **changes)


PLAIN_TILE = 1024
"""Elements of the tile to start from; a row that is no longer is held whole, with nothing to loop over."""

PLAIN_WINDOW_TILE = 256
"""Results of a program that gathers windows: two a thread where they slide by one element, else one. The
more lie side by side in a thread, the farther apart are the elements that a warp loads at once. On an H200
pooling rows by 8 took 2.4 ms with four a thread, 1.6 with two and 1.8 with one (KernelBench's level1/44), by
3 x 3 x 3 with a step of 2 it took 7.1, 3.6 and 3.0 ms (level1/46)."""

LEAST_FILLED = 0.75
"""Of tiles that rows of windows are cut into. On an H200 max pooling by 4 x 4 took 3.8 ms flat and 2.6 row by
row, 511 results each (level1/42), a depthwise convolution by 3 x 3 3.9 and 3.1 (level1/84); with steps it is
alike."""

PLAIN_PRODUCT_TILE, PLAIN_DEPTH = 64, 32
"""Rows and columns, and step of the sum, of the tile of a matrix product to start from."""

PLAIN_QUERIES, PLAIN_KEYS = 64, 32
"""Queries of a program and keys of a step to start from."""

MOST_COLUMNS, MOST_INNER, INNER_STEP = 256, 256, 64
"""Columns of an attention that a program sums, elements of a query that it holds, the step where more."""

LEAST_DOT = 16
"""The least side of a matrix unit's tile."""

MOST_PLAIN_SUMS = 8192
"""Results of the tile to start from where it must hold what is reduced."""

LEAST_NESTED = 512
"""An inner axis at least this long fills the tiles of a loop of its own."""


def next_power_of_two(n: int) -> int:
    return 1 << max(0, n - 1).bit_length()


def start_schedule(loops: Loops) -> Schedule:
    """The plain starting point, before any technique: correct anywhere, tuned for nothing."""
    if loops.tiling is not None and loops.tiling.inner:
        return _attention(loops, loops.tiling)
    if loops.tiling is not None:
        return _tiles(loops.tiling)
    if not loops.reduced:
        return Schedule("flat", block=PLAIN_TILE)
    if loops.windowed:
        return _window(loops)
    if loops.reduces_innermost:
        inner = loops.reduced[-1].size.full
        if len(loops.reduced) == 2 and inner >= LEAST_NESTED and not loops.scans:
            return Schedule("rows", block=min(PLAIN_TILE, next_power_of_two(inner)), nested=True)
        padded = next_power_of_two(max(loops.columns.values))
        return Schedule("rows", block=min(PLAIN_TILE, padded), one_tile=padded <= PLAIN_TILE)
    return Schedule("columns", block=32, depth=32)


def _window(loops: Loops) -> Schedule:
    """Vectors where no window slides along the innermost axis; rows of their own where windows of several
    dimensions overlap and rows fill their tiles."""
    if loops.apart == 0:
        return Schedule("window", block=2 * PLAIN_WINDOW_TILE)
    if loops.apart > 1:
        return Schedule("window", block=PLAIN_WINDOW_TILE, num_warps=8)
    width = loops.kept[-1].size.full if loops.kept else 1
    padded = -(-width // PLAIN_WINDOW_TILE) * PLAIN_WINDOW_TILE
    by_rows = len(loops.kept) > 1 and len(loops.reduced) > 1 and width >= LEAST_FILLED * padded
    return Schedule("window", block=PLAIN_WINDOW_TILE, nested=by_rows)


def _tiles(tiling: Tiling) -> Schedule:
    """A tile that holds what is reduced, the other side shorter for it."""
    rows, cols = (
        max(side, PLAIN_PRODUCT_TILE) if kept else side
        for side, kept in zip(held_sides(tiling), (tiling.kept_rows, tiling.kept_cols), strict=True)
    )
    least_rows, least_cols = (max(side, LEAST_DOT) for side in held_sides(tiling))
    while rows * cols > MOST_PLAIN_SUMS and (rows > least_rows or cols > least_cols):
        rows, cols = (rows // 2, cols) if rows > least_rows else (rows, cols // 2)
    warps = 8 if rows * cols > MOST_PLAIN_SUMS // 2 else 4
    return Schedule("tiles", block=cols, rows=rows, depth=PLAIN_DEPTH, num_warps=warps)


def held_sides(tiling: Tiling) -> tuple[int, int]:
    """Rows and columns that a tile must hold together for what is reduced: a power of two, 1 for nothing. A
    side that is held entirely is as long as matrix units ask for."""
    pairs = ((tiling.held_rows, tiling.kept_rows), (tiling.held_cols, tiling.kept_cols))
    rows, cols = (max(_longest(held), 1 if kept or not held else LEAST_DOT) for held, kept in pairs)
    return rows, cols


def holds_whole(tiling: Tiling, rows: int, cols: int) -> bool:
    """Whether a tile of so many rows and columns holds what is reduced, and nothing twice."""
    pairs = ((tiling.held_rows, tiling.kept_rows), (tiling.held_cols, tiling.kept_cols))
    sides = zip((rows, cols), held_sides(tiling), pairs, strict=True)
    return all(
        block % whole == 0 and (block == whole or bool(kept) or not held)
        for block, whole, (held, kept) in sides
    )


def _longest(axes: tuple[LoopAxis, ...]) -> int:
    """The power of two that holds all places of some axes in every trace."""
    counts = (math.prod(sizes) for sizes in zip(*(axis.size.values for axis in axes), strict=True))
    return next_power_of_two(max(counts, default=1))


def _attention(loops: Loops, tiling: Tiling) -> Schedule:
    def padded(axes: tuple[LoopAxis, ...]) -> int:
        return max(LEAST_DOT, next_power_of_two(product((a.size for a in axes), loops.one).full))

    block, inner = min(MOST_COLUMNS, padded(tiling.cols)), padded(tiling.inner)
    held = inner <= MOST_INNER
    return Schedule(
        "attention",
        block=block,
        rows=min(PLAIN_QUERIES, padded(tiling.rows)),
        depth=PLAIN_KEYS,
        inner=inner if held else INNER_STEP,
        one_tile=held,
        num_warps=8 if block > MOST_COLUMNS // 2 else 4,
    )
