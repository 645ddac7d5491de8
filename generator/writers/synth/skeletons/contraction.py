"""Contraction skeleton: tiles of matrix products, with pointwise work on the factors and on the results.

A program holds a tile of sums in registers and walks the summed direction; what is done with the results is
done before they leave. Two products over the same axes share the loop, and a common factor its loads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from ..builder import Builder
from ..dtypes import EIGHT_BITS, TRITON
from ..emit.descriptors import Side
from ..emit.index import Group, Indexer
from ..emit.kernel import Kernel
from ..emit.text import Text
from ..emit.values import Values
from ..expr import Contract, Load
from ..extent import Extent, product
from ..loops import LoopAxis, Loops, Tiling
from ..space import Affine, CannotFuseError
from .factors import Factors, names_in_use, only_loaded, tile_values
from .frame import is_wide, prepare
from .job import Job
from .parts import cut_factors, sums_of_parts
from .rounding import longest_chain
from .walking import first_tile, move_pointer, of_steps
from .zero_tiles import needed_span


def write(job: Job) -> list[Kernel]:
    who = (
        "Programs that walk tiles of results" if job.schedule.persistent else "One tile of results a program"
    )
    kernel = Kernel(f"{job.name}_kernel", f"{who}: {job.doc}.")
    found = sum_tile(job, kernel)
    if job.schedule.halves:
        _store_halves(job, kernel, found.results, found.sums, found.cols)
        return [kernel]
    kernel.line("mask = row_mask & col_mask")
    store_results(job, found.results, found.sums)
    return [kernel]


@dataclass(frozen=True)
class Summed:
    """A tile whose sums are done: `sums` are variables and the products that they hold."""

    results: Values
    sums: dict[str, int]
    cols: Group


Placed = Callable[[Job, Kernel], tuple[Group, Group, Group | None]]
"""Writes where a program's tile lies: its rows, columns and batch entry."""


def sum_tile(job: Job, kernel: Kernel, placed: Placed | None = None) -> Summed:
    """A program's tile, from its place (as `placed` writes it) to the end of the summed direction."""
    tiling = tiling_of(job)
    across = Group("left_ks", tiling.depth, "left_ks_mask", "K")
    down = Group("right_ks", tiling.depth, "right_ks_mask", "K")
    rows, cols, batch = (placed or place)(job, kernel)
    taken = names_in_use()
    left = tile_values(job, kernel, rows, across, "left_mask", taken)
    right = tile_values(job, kernel, down, cols, "right_mask", taken)
    written = Group("cols", tiling.cols, "col_mask", "COLS") if job.schedule.halves else cols
    results = tile_values(job, kernel, rows, written, "mask", taken)
    prepare(results, rows)
    if not job.schedule.halves:
        prepare(results, cols)
    row, col = Side(rows, "tile_row * BLOCK_M", "BLOCK_M"), Side(cols, "tile_col * BLOCK_N", "BLOCK_N")
    factors = (
        Factors(job, left, "left_mask", (row, Side(across, "start", "BLOCK_K")), batch),
        Factors(job, right, "right_mask", (Side(down, "start", "BLOCK_K"), col), batch),
    )
    multiplied = sums_of_parts if job.schedule.stretch else _sums
    span = _span(job, kernel)
    return Summed(results, multiplied(job, kernel, factors, results, down, span), written)


def tiling_of(job: Job) -> Tiling:
    if job.loops.tiling is None:
        raise ValueError("a region without a matrix product has no tiles")
    return job.loops.tiling


def store_results(job: Job, results: Values, sums: Mapping[str, int]) -> None:
    """What follows the products, and the stores."""
    for name, number in sums.items():
        results.define(number, Text(name))
    for store in job.loops.region.stores:
        results.store(store, ())


def number_tiles(kernel: Kernel, *, batched: bool, dies: int = 1, walked: Job | None = None) -> None:
    """One program a tile, row after row of tiles, batch after batch, or fewer that walk them; each of so many
    dies, to which programs are dealt in turn, gets tiles that follow one another."""
    tiles = "triton.cdiv({n_rows}, {BLOCK_M}) * triton.cdiv({n_cols}, {BLOCK_N})"
    kernel.grid = f"({{n_batch}} * {tiles},)" if batched else f"({tiles},)"
    kernel.line("row_blocks = tl.cdiv(n_rows, BLOCK_M)")
    kernel.line("col_blocks = tl.cdiv(n_cols, BLOCK_N)")
    at, count = first_tile(kernel, walked)
    if dies > 1:
        kernel.constant("DIES", str(dies))
        kernel.line(f"share, longer = {count} // DIES, {count} % DIES")
        kernel.line(f"die = {at} % DIES")
        kernel.line(f"{at} = {at} // DIES + die * share + tl.minimum(die, longer)")
    if batched:
        kernel.line(f"batch = ({at} // (row_blocks * col_blocks)).to(tl.int64)")
        kernel.line(f"{at} = {at} % (row_blocks * col_blocks)")
    kernel.line(f"tile_row, tile_col = {at} // col_blocks, {at} % col_blocks")


def place(job: Job, kernel: Kernel) -> tuple[Group, Group, Group | None]:
    """Rows, columns and batch entry of a program's tile; neighbours run together and share factors."""
    schedule, loops, tiling = job.schedule, job.loops, tiling_of(job)
    kernel.size("n_rows", count_of(job, tiling.rows))
    kernel.size("n_cols", count_of(job, tiling.cols))
    kernel.size("n_k", count_of(job, tiling.depth))
    kernel.constant("BLOCK_M", str(schedule.rows))
    kernel.constant("BLOCK_N", str(schedule.block))
    kernel.constant("BLOCK_K", str(schedule.depth))
    walked = job if schedule.persistent else None
    number_tiles(kernel, batched=bool(tiling.batch), dies=schedule.dies, walked=walked)
    if schedule.group > 1:
        kernel.constant("GROUP", str(schedule.group))
        kernel.line("tile_row, tile_col = tl.swizzle2d(tile_row, tile_col, row_blocks, col_blocks, GROUP)")
    wide = ".to(tl.int64)" if is_wide(loops) else ""
    kernel.line(f"rows = tile_row{wide} * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]")
    kernel.line(f"cols = {_columns(job)} + tl.arange(0, BLOCK_N)[None, :]")
    kernel.line("row_mask = rows < n_rows")
    kernel.line("col_mask = cols < n_cols")
    sides = Group("rows", tiling.rows, "row_mask", "ROWS"), Group("cols", tiling.cols, "col_mask", "COLS")
    return *sides, enter_batch(job, kernel, tiling)


def _columns(job: Job) -> str:
    """Where the columns of a program's tile begin."""
    return f"tile_col{'.to(tl.int64)' if is_wide(job.loops) else ''} * BLOCK_N"


def enter_batch(job: Job, kernel: Kernel, tiling: Tiling) -> Group | None:
    """Move every pointer to its batch entry, in 64 bits; inside of it 32 are enough. Of factors that were cut
    each load finds the entry itself."""
    if not tiling.batch:
        return None
    group = Group("batch", tiling.batch, "", "BATCH")
    indexer = Indexer(kernel, job.loops, [group], job.vocabulary, job.tensors.values())
    moves: dict[str, str] = {}
    cut = {job.tensors[name] for name in cut_factors(job.loops) or {}} if job.schedule.stretch else set()
    for tensor, index in _accesses(job):
        moved, _ = indexer.parts(index, {}) if tensor not in cut else ("", "")
        if moves.setdefault(tensor, moved) != moved:
            raise CannotFuseError("a tensor is read at two entries of a batch at once")
    for tensor, moved in moves.items():
        if moved:
            move_pointer(job, kernel, tensor, moved)
    return group


def _accesses(job: Job) -> Iterator[tuple[str, Affine]]:
    region = job.loops.region
    for number in region.builder.walk([s.value for s in region.stores]):
        node = region.builder.nodes[number]
        if isinstance(node, Load):
            yield job.tensors[node.buffer], node.index
    for store in region.stores:
        yield job.tensors[f"store:{store.name}"], store.index


def _sums(
    job: Job,
    kernel: Kernel,
    factors: tuple[Factors, Factors],
    results: Values,
    down: Group,
    span: tuple[str, str],
) -> dict[str, int]:
    """The loop over the summed direction; after it every product is the variable of that name."""
    builder, summed = job.loops.region.builder, down.leaves
    nodes = builder.walk([s.value for s in job.loops.region.stores])
    found = [(n, node) for n in nodes if isinstance(node := builder.nodes[n], Contract)]
    left, right = factors
    left.values.hoist([node.left for _, node in found], summed)
    right.values.hoist([node.right for _, node in found], summed)
    sums = {results.fresh(builder.hints.get(number, "acc")): number for number, _ in found}
    lanes = {name: results.fresh(f"{name}_lanes") for name in sums} if job.schedule.lanes else {}
    with _steps(job, kernel, list(lanes.values()) or list(sums), results, span) as running:
        kernel.line("left_ks = start + tl.arange(0, BLOCK_K)[None, :]")
        kernel.line("right_ks = start + tl.arange(0, BLOCK_K)[:, None]")
        for side in ("left_ks", "right_ks"):
            kernel.line(f"{side}_mask = {side} < n_k")
        kernel.line("left_mask = row_mask & left_ks_mask")
        kernel.line("right_mask = right_ks_mask & col_mask")
        for name, (_, node) in zip(running, found, strict=True):
            sides = left.named(node.left), right.named(node.right)
            if lanes:
                one, other = (
                    _single(builder, *side) for side in zip(sides, (node.left, node.right), strict=True)
                )
                kernel.line(f"{name} += {one}[:, None, :] * {other}.T[None, :, :]")
                continue
            how = f', input_precision="{job.schedule.dot}"' if builder.dtype(node.left) == "fp32" else ""
            how += ", out_dtype=tl.int32" if node.dtype == "int32" else ""
            if builder.dtype(node.left) in EIGHT_BITS and not node.fast:
                kernel.line(_step_in_fp32(builder, node, name, sides))
                continue
            kernel.line(f"{name} = tl.dot({', '.join(sides)}, {name}{how})")
    for name, terms in lanes.items():
        kernel.line(f"{name} = tl.sum({terms}, axis=2)")
    return sums


def _step_in_fp32(builder: Builder, node: Contract, name: str, sides: tuple[str, str]) -> str:
    """A step's product of 8-bit floats, which Hopper sums in 14 bits, and its addition in fp32. Triton 3.7.1
    forgets what was asked of it where the left factor is computed in registers."""
    if only_loaded(builder, node.left) is None:
        return f"{name} += tl.dot({', '.join(sides)})"
    return f"{name} = tl.dot({', '.join(sides)}, {name}, max_num_imprecise_acc=BLOCK_K)"


def summed_in(loops: Loops) -> str:
    """The type of the products' sums."""
    builder = loops.region.builder
    nodes = (builder.nodes[n] for n in builder.walk([s.value for s in loops.region.stores]))
    return next(node.dtype for node in nodes if isinstance(node, Contract))


def _single(builder: Builder, name: str, number: int) -> str:
    """A factor in fp32."""
    return name if builder.dtype(number) == "fp32" else f"{name}.to(tl.float32)"


def _span(job: Job, kernel: Kernel) -> tuple[str, str]:
    """First and last place of the summed direction that a program walks: all of it, or whole steps of it."""
    begin, end = needed_span(job, kernel)
    if job.schedule.splits == 1:
        return begin, end
    kernel.constant("PARTS", str(job.schedule.splits))
    kernel.grid = kernel.grid.removesuffix(",)") + ", {PARTS})"
    kernel.line("part = tl.program_id(1)")
    length, behind = (end, "") if begin == "0" else (f"{end} - {begin}", f"{begin} + ")
    kernel.line(f"part_size = tl.cdiv(tl.cdiv({length}, PARTS), BLOCK_K) * BLOCK_K")
    kernel.line(f"part_start = {behind}part * part_size")
    kernel.line(f"part_end = tl.minimum(part_start + part_size, {end})")
    return "part_start", "part_end"


@contextmanager
def _steps(
    job: Job, kernel: Kernel, sums: list[str], results: Values, span: tuple[str, str]
) -> Iterator[list[str]]:
    """The loop over `start`, and the sums that a step adds to: where a chain of additions loses too much,
    those of a stretch, which go to the others behind it."""
    longest, (first, last) = longest_chain(job.loops, job.schedule), span
    depth = ", BLOCK_K" if job.schedule.lanes else ""
    zeros = f"tl.zeros((BLOCK_M, BLOCK_N{depth}), {TRITON[summed_in(job.loops)]})"
    for name in sums:
        kernel.line(f"{name} = {zeros}")
    if longest is None:
        with kernel.block(f"for start in tl.range({first}, {last}, BLOCK_K{of_steps(job.schedule)}):"):
            yield sums
        return
    kernel.constant("STRETCH", str(longest))
    stretches = [results.fresh(f"{name}_stretch") for name in sums]
    with kernel.block(f"for first in tl.range({first}, {last}, STRETCH):"):
        for name in stretches:
            kernel.line(f"{name} = {zeros}")
        with kernel.block(f"for start in tl.range(first, tl.minimum(first + STRETCH, {last}), BLOCK_K):"):
            yield stretches
        for name, stretch in zip(sums, stretches, strict=True):
            kernel.line(f"{name} += {stretch}")


def _store_halves(job: Job, kernel: Kernel, results: Values, sums: dict[str, int], cols: Group) -> None:
    """What follows the products is done for half of the columns at a time, in half of the registers."""
    halves = {name: results.fresh(f"{name}_halves") for name in sums}
    for name, both in halves.items():
        turned = f"tl.permute(tl.reshape({name}, (BLOCK_M, 2, BLOCK_N // 2)), (0, 2, 1))"
        kernel.line(f"{both} = tl.split({turned})")
    with kernel.block("for half in tl.static_range(2):"), results.scope():
        kernel.line(f"cols = {_columns(job)} + half * (BLOCK_N // 2) + tl.arange(0, BLOCK_N // 2)[None, :]")
        kernel.line("col_mask = cols < n_cols")
        kernel.line("mask = row_mask & col_mask")
        prepare(results, cols)
        for name, number in sums.items():
            kernel.line(f"{name} = {halves[name]}[half]")
            results.define(number, Text(name))
        for store in job.loops.region.stores:
            results.store(store, ())


def count_of(job: Job, axes: tuple[LoopAxis, ...]) -> Extent:
    return product((axis.size for axis in axes), job.loops.one)
