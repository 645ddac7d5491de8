"""Contraction skeleton: tiles of matrix products, with pointwise work on the factors and on the results.

A program holds a tile of sums in registers and walks the summed direction; what is done with the results is
done before they leave. Two products over the same axes share the loop, and a common factor its loads.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..emit.index import Group, Indexer
from ..emit.kernel import Kernel
from ..emit.names import LOCALS, RESERVED
from ..emit.taps import join_masks
from ..emit.text import Text
from ..emit.values import Values
from ..expr import Apply, Contract, Load
from ..extent import Extent, product
from ..loops import LoopAxis, Tiling
from ..math import HELPERS
from ..space import Affine, CannotFuseError
from .frame import is_wide, prepare
from .job import Job


def write(job: Job) -> list[Kernel]:
    tiling = job.loops.tiling
    if tiling is None:
        raise ValueError("a region without a matrix product has no tiles")
    kernel = Kernel(f"{job.name}_kernel", f"One tile of results a program: {job.doc}.")
    rows = Group("rows", tiling.rows, "row_mask", "ROWS")
    cols = Group("cols", tiling.cols, "col_mask", "COLS")
    across = Group("left_ks", tiling.depth, "left_ks_mask", "K")
    down = Group("right_ks", tiling.depth, "right_ks_mask", "K")
    _place(job, kernel, tiling)
    taken = names_in_use()
    left = tile_values(job, kernel, rows, across, "left_mask", taken)
    right = tile_values(job, kernel, down, cols, "right_mask", taken)
    results = tile_values(job, kernel, rows, cols, "mask", taken)
    prepare(results, rows)
    prepare(results, cols)
    _sums(job, kernel, left, right, results, down)
    kernel.line("mask = row_mask & col_mask")
    for store in job.loops.region.stores:
        results.store(store, ())
    return [kernel]


def number_tiles(kernel: Kernel, *, batched: bool) -> None:
    """One program a tile, row after row of tiles, batch after batch."""
    tiles = "triton.cdiv({n_rows}, {BLOCK_M}) * triton.cdiv({n_cols}, {BLOCK_N})"
    kernel.grid = f"({{n_batch}} * {tiles},)" if batched else f"({tiles},)"
    kernel.line("row_blocks = tl.cdiv(n_rows, BLOCK_M)")
    kernel.line("col_blocks = tl.cdiv(n_cols, BLOCK_N)")
    kernel.line("program = tl.program_id(0)")
    if batched:
        kernel.line("batch = (program // (row_blocks * col_blocks)).to(tl.int64)")
        kernel.line("program = program % (row_blocks * col_blocks)")
    kernel.line("tile_row, tile_col = program // col_blocks, program % col_blocks")


def _place(job: Job, kernel: Kernel, tiling: Tiling) -> None:
    """Which tile a program holds: neighbouring ones run together, so that they share factors."""
    schedule, loops = job.schedule, job.loops
    kernel.size("n_rows", count_of(job, tiling.rows))
    kernel.size("n_cols", count_of(job, tiling.cols))
    kernel.size("n_k", count_of(job, tiling.depth))
    kernel.constant("BLOCK_M", str(schedule.rows))
    kernel.constant("BLOCK_N", str(schedule.block))
    kernel.constant("BLOCK_K", str(schedule.depth))
    number_tiles(kernel, batched=bool(tiling.batch))
    if schedule.group > 1:
        kernel.constant("GROUP", str(schedule.group))
        kernel.line("tile_row, tile_col = tl.swizzle2d(tile_row, tile_col, row_blocks, col_blocks, GROUP)")
    wide = ".to(tl.int64)" if is_wide(loops) else ""
    kernel.line(f"rows = tile_row{wide} * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]")
    kernel.line(f"cols = tile_col{wide} * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]")
    whole_tiles(kernel, M=("n_rows", schedule.rows), N=("n_cols", schedule.block), K=("n_k", schedule.depth))
    kernel.line("row_mask = (rows < n_rows) | EVEN_M")
    kernel.line("col_mask = (cols < n_cols) | EVEN_N")
    enter_batch(job, kernel, tiling)


def whole_tiles(kernel: Kernel, **sides: tuple[str, int]) -> None:
    """A constant for each side that tiles may fill without rest: masks that are true throughout fold away."""
    for side, (size, tile) in sides.items():
        kernel.constant(f"EVEN_{side}", f"{size} % {tile} == 0")


def enter_batch(job: Job, kernel: Kernel, tiling: Tiling) -> None:
    """Move every pointer to its batch entry, in 64 bits; inside of it 32 are enough."""
    if not tiling.batch:
        return
    group = Group("batch", tiling.batch, "", "BATCH")
    indexer = Indexer(kernel, job.loops, [group], job.vocabulary, job.tensors.values())
    moves: dict[str, str] = {}
    for tensor, index in _accesses(job):
        moved, _ = indexer.parts(index, {})
        if moves.setdefault(tensor, moved) != moved:
            raise CannotFuseError("a tensor is read at two entries of a batch at once")
    for tensor, moved in moves.items():
        if moved:
            kernel.line(f"{kernel.pointer(tensor)} += {moved}")


def _accesses(job: Job) -> Iterator[tuple[str, Affine]]:
    region = job.loops.region
    for number in region.builder.walk([s.value for s in region.stores]):
        node = region.builder.nodes[number]
        if isinstance(node, Load):
            yield job.tensors[node.buffer], node.index
    for store in region.stores:
        yield job.tensors[f"store:{store.name}"], store.index


def names_in_use() -> set[str]:
    return {*HELPERS, *RESERVED - {"out"}, *LOCALS}


def tile_values(job: Job, kernel: Kernel, first: Group, second: Group, both: str, taken: set[str]) -> Values:
    """Values over a tile whose rows run along one group and whose columns along the other."""
    indexer = Indexer(kernel, job.loops, [first, second], job.vocabulary, job.tensors.values())
    masks = {
        frozenset({first.variable}): first.mask,
        frozenset({second.variable}): second.mask,
        frozenset({first.variable, second.variable}): both,
    }
    return Values(kernel, job.loops, indexer, None, job.tensors, masks, job.hints, taken=taken)


def _sums(job: Job, kernel: Kernel, left: Values, right: Values, results: Values, down: Group) -> None:
    """The loop over the summed direction; after it every product is a variable."""
    builder, summed = job.loops.region.builder, down.leaves
    nodes = builder.walk([s.value for s in job.loops.region.stores])
    found = [(n, node) for n in nodes if isinstance(node := builder.nodes[n], Contract)]
    left.hoist([node.left for _, node in found], summed)
    right.hoist([node.right for _, node in found], summed)
    sums = [results.fresh(builder.hints.get(number, "acc")) for number, _ in found]
    for name in sums:
        kernel.line(f"{name} = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)")
    with kernel.block("for start in tl.range(0, n_k, BLOCK_K):"):
        kernel.line("left_ks = start + tl.arange(0, BLOCK_K)[None, :]")
        kernel.line("right_ks = start + tl.arange(0, BLOCK_K)[:, None]")
        kernel.line("left_ks_mask = (left_ks < n_k) | EVEN_K")
        kernel.line("right_ks_mask = (right_ks < n_k) | EVEN_K")
        kernel.line("left_mask = row_mask & left_ks_mask")
        kernel.line("right_mask = right_ks_mask & col_mask")
        for name, (_, node) in zip(sums, found, strict=True):
            factors = factor(left, node.left, "left_mask"), factor(right, node.right, "right_mask")
            how = f', input_precision="{job.schedule.dot}"' if builder.dtype(node.left) == "fp32" else ""
            kernel.line(f"{name} = tl.dot({', '.join(factors)}, {name}{how})")
    for name, (number, _) in zip(sums, found, strict=True):
        results.define(number, Text(name))


def factor(values: Values, number: int, mask: str) -> str:
    """A factor as a variable; lanes beyond the end are 0, whatever was computed from what they loaded."""
    builder, text = values.builder, values.named(number, ())
    node = builder.nodes[number]
    if isinstance(node, Apply) and node.function == "cast":
        node = builder.nodes[node.args[0]]
    if isinstance(node, Load):
        return text.source
    inside = {found for n in builder.walk([number]) if (found := values.inside.get(n))}
    return f"tl.where({join_masks(mask, *sorted(inside))}, {text.source}, 0.0)"


def count_of(job: Job, axes: tuple[LoopAxis, ...]) -> Extent:
    return product((axis.size for axis in axes), job.loops.one)
