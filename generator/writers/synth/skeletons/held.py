"""Held-tile skeleton: tiles of matrix products that hold whole what is reduced of their results.

After the sums a tile is seen in up to four dimensions: sets of rows, the rows of a set, sets of columns, the
columns of a set. A reduction collapses one of them in registers, and what follows it is broadcast back, so
that softmax, normalisation or pooling behind a product cost no memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from ..builder import Builder
from ..emit.index import Group, Indexer
from ..emit.kernel import Kernel
from ..emit.reduce import argument, base_name, collapse, reduce_tile, running_type
from ..emit.taps import join_masks
from ..emit.text import Text
from ..emit.tile import Tile
from ..emit.values import Values
from ..expr import Reduce
from ..loops import LoopAxis
from ..lowering.factors import outside_products
from ..schedule import held_sides
from ..stages import reduce_node
from .contraction import count_of, enter_batch, sum_tile, tiling_of
from .frame import is_wide, prepare
from .job import Job


@dataclass(frozen=True)
class _Side:
    """Rows or columns of tiles: axes of the grid, axes that a tile holds whole (`whole` lanes of it), and
    whether these are just as many in every call."""

    word: str
    letter: str
    kept: tuple[LoopAxis, ...]
    held: tuple[LoopAxis, ...]
    block: int
    whole: int
    exact: bool

    @property
    def sets(self) -> str:
        """The constant that counts what of the grid's axes a tile has."""
        return f"SETS_{self.letter}" if self.held else f"BLOCK_{self.letter}"

    @property
    def dims(self) -> list[tuple[str, str]]:
        """(index variable after the sums, constant) of each dimension of a tile."""
        kept = [(f"out_{self.word}s", self.sets)] if self.kept else []
        return kept + ([(f"held_{self.word}s", f"HELD_{self.letter}")] if self.held else [])


def write(job: Job) -> list[Kernel]:
    kernel = Kernel(
        f"{job.name}_kernel",
        f"One tile of results a program, which holds what is reduced: {job.doc}.",
    )
    sides = _sides(job)
    found = sum_tile(job, kernel, _place)
    _side_by_side(kernel, sides)
    dims = [dim for side in sides for dim in side.dims]
    values = _seen_whole(job, kernel, sides, dims, found.results.taken)
    shape = ", ".join(size for _, size in dims)
    for name, number in found.sums.items():
        kernel.line(f"{name} = tl.reshape({name}, ({shape}))")
        values.define(number, Text(name))
    builder = job.loops.region.builder
    for number in outside_products(builder, [s.value for s in job.loops.region.stores]):
        if isinstance(builder.nodes[number], Reduce):
            _reduce(values, builder, number, sides, dims)
    for store in job.loops.region.stores:
        values.store(store, ())
    return [kernel]


def _side_by_side(kernel: Kernel, sides: Sequence[_Side]) -> None:
    """Tiles are copied whole where no lane of them is empty: then they lie side by side in memory."""
    for name, described in kernel.descriptors.items():
        if isinstance(described, str):
            continue
        full = [
            f"n_held_{side.word}s == {side.whole}"
            for side in sides
            if side.held and not side.exact and f"BLOCK_{side.letter}" in described.tile
        ]
        kernel.descriptors[name] = replace(described, when=" and ".join(full))


def _sides(job: Job) -> tuple[_Side, _Side]:
    tiling, schedule = tiling_of(job), job.schedule
    rows, cols = held_sides(tiling)

    def exact(axes: tuple[LoopAxis, ...], whole: int) -> bool:
        return count_of(job, axes).literal == whole

    return (
        _Side("row", "M", tiling.kept_rows, tiling.held_rows, schedule.rows, rows,
              exact(tiling.held_rows, rows)),
        _Side("col", "N", tiling.kept_cols, tiling.held_cols, schedule.block, cols,
              exact(tiling.held_cols, cols)),
    )  # fmt: skip


def _place(job: Job, kernel: Kernel) -> tuple[Group, Group, Group | None]:
    """Rows, columns and batch entry of a program's tile, whole sets of what is held."""
    tiling, sides = tiling_of(job), _sides(job)
    kernel.size("n_k", count_of(job, tiling.depth))
    kernel.constant("BLOCK_M", str(job.schedule.rows))
    kernel.constant("BLOCK_N", str(job.schedule.block))
    kernel.constant("BLOCK_K", str(job.schedule.depth))
    for side in sides:
        if side.kept:
            kernel.size(f"n_{side.word}s", count_of(job, side.kept))
        if side.held:
            kernel.size(f"n_held_{side.word}s", count_of(job, side.held))
            kernel.constant(f"HELD_{side.letter}", str(side.whole))
            kernel.constant(f"SETS_{side.letter}", str(side.block // side.whole))
    _number(job, kernel, sides, batched=bool(tiling.batch))
    for side, spread in zip(sides, ("[:, None]", "[None, :]"), strict=True):
        _lanes(job, kernel, side, spread)
    rows, cols = (
        Group("rows", tiling.rows, "row_mask", "ROWS"),
        Group("cols", tiling.cols, "col_mask", "COLS"),
    )
    return rows, cols, enter_batch(job, kernel, tiling)


def _number(job: Job, kernel: Kernel, sides: Sequence[_Side], *, batched: bool) -> None:
    """One program a tile, row after row of tiles, batch after batch; a side that is held has one tile."""
    counts = [f"triton.cdiv({{n_{s.word}s}}, {{{s.sets}}})" for s in sides if s.kept]
    kernel.grid = f"({' * '.join(['{n_batch}'] * batched + counts) or '1'},)"
    blocks = [f"{side.word}_blocks" for side in sides if side.kept]
    for side in sides:
        if side.kept:
            kernel.line(f"{side.word}_blocks = tl.cdiv(n_{side.word}s, {side.sets})")
    kernel.line("program = tl.program_id(0)")
    if batched:
        tiles = f"({' * '.join(blocks)})" if len(blocks) > 1 else blocks[0]
        kernel.line(f"batch = (program // {tiles}).to(tl.int64)")
        kernel.line(f"program = program % {tiles}")
    if len(blocks) == 1:
        kernel.line(f"tile_{blocks[0].removesuffix('_blocks')} = program")
        return
    kernel.line("tile_row, tile_col = program // col_blocks, program % col_blocks")
    if job.schedule.group > 1:
        kernel.constant("GROUP", str(job.schedule.group))
        kernel.line("tile_row, tile_col = tl.swizzle2d(tile_row, tile_col, row_blocks, col_blocks, GROUP)")


def _tile(job: Job, side: _Side) -> str:
    return f"tile_{side.word}{'.to(tl.int64)' if is_wide(job.loops) else ''}"


def _lanes(job: Job, kernel: Kernel, side: _Side, spread: str) -> None:
    """Index and mask of the rows (or columns) of a tile, as factors are read."""
    word, block, whole = side.word, f"BLOCK_{side.letter}", f"HELD_{side.letter}"
    lanes, inside = f"tl.arange(0, {block}){spread}", f"n_{word}s"
    if not side.kept:
        kernel.line(f"{word}s = {lanes}")
        kernel.line(f"{word}_mask = {word}s < n_held_{word}s")
        return
    if not side.held or side.exact:
        kernel.line(f"{word}s = {_tile(job, side)} * {block} + {lanes}")
        kernel.line(f"{word}_mask = {word}s < {inside}{f' * {whole}' if side.held else ''}")
        return
    kernel.line(f"{word}_lanes = {lanes}")
    kernel.line(f"{word}_sets = {_tile(job, side)} * {side.sets} + {word}_lanes // {whole}")
    kernel.line(f"{word}s = {word}_sets * n_held_{word}s + {word}_lanes % {whole}")
    kernel.line(f"{word}_mask = ({word}_sets < {inside}) & ({word}_lanes % {whole} < n_held_{word}s)")


def _seen_whole(
    job: Job, kernel: Kernel, sides: Sequence[_Side], dims: list[tuple[str, str]], taken: set[str]
) -> Values:
    """Values over the dimensions of a tile, with their index variables written."""
    groups: list[Group] = []
    for side in sides:
        masked = "" if side.exact else f"held_{side.word}_mask"
        if side.kept:
            groups.append(
                Group(f"out_{side.word}s", side.kept, f"out_{side.word}_mask", f"OUT_{side.word.upper()}S")
            )
        if side.held:
            groups.append(Group(f"held_{side.word}s", side.held, masked, f"HELD_{side.word.upper()}S"))
    for place, (variable, size) in enumerate(dims):
        spread = ", ".join(":" if p == place else "None" for p in range(len(dims)))
        side = sides[0] if "row" in variable else sides[1]
        first = f"{_tile(job, side)} * {size} + " if variable.startswith("out") else ""
        kernel.line(f"{variable} = {first}tl.arange(0, {size})[{spread}]")
    bounded = [g for g in groups if g.mask]
    for group in bounded:
        kernel.line(f"{group.mask} = {group.variable} < n_{group.variable.removeprefix('out_')}")
    masks = {
        frozenset(g.variable for g in some): join_masks(*(g.mask for g in some))
        for count in range(1, len(bounded) + 1)
        for some in combinations(bounded, count)
    }
    indexer = Indexer(kernel, job.loops, groups, job.vocabulary, job.tensors.values())
    values = Values(kernel, job.loops, indexer, None, job.tensors, masks, job.hints, taken=taken)
    for group in groups:
        prepare(values, group)
    return values


def _reduce(
    values: Values, builder: Builder, number: int, sides: Sequence[_Side], dims: list[tuple[str, str]]
) -> None:
    """Collapse the dimensions that a reduction runs over, one after another."""
    node = reduce_node(builder, number)
    over = frozenset(builder.space.leaves(node.axes))
    mine = [s for s in sides if over & {leaf for axis in s.held for leaf in axis.leaves}]
    places = [next(i for i, (name, _) in enumerate(dims) if name == f"held_{s.word}s") for s in mine]
    mask = join_masks(*("" if s.exact else f"held_{s.word}_mask" for s in mine))
    tiles = [Tile("", place, True, "") for place in places]
    if len(tiles) == 1:
        reduce_tile(values, number, tiles[0], mask)
        return
    source, dtype = argument(values, number, mask), running_type(builder, node)
    for tile in tiles:
        source = collapse(values, node.kind, source, tile, dtype)
    name = values.fresh(base_name(values, number))
    values.kernel.line(f"{name} = {source}")
    values.define(number, Text(name))
