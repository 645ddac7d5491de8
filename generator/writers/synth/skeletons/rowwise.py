"""Row-wise skeleton: reductions and the pointwise work around them in one kernel.

A row that fits is held in registers and read once. A longer one is walked in passes: one per level of
dependent reductions, and a last one that writes. Columns of a reduction over an outer dimension are walked
the same way, a tile of neighbouring columns at a time.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from ..builder import Builder
from ..dtypes import EIGHT_BITS, SHORT_FLOATS
from ..emit.kernel import Kernel
from ..emit.neutral import choose_padding
from ..emit.reduce import reduce_tile
from ..emit.running import Accumulator, find_shift, finish, start, step
from ..emit.scan import scan_tile, start_scans
from ..expr import Apply, Load
from ..lowering.region import Region, Store
from ..stages import Item, Moments, OnlineSoftmax, inputs_of, plan_stages, reductions
from .frame import Frame, frame, prepare
from .job import Job


def write(job: Job) -> list[Kernel]:
    f = frame(job)
    choose_padding(f.values, reductions(job.loops.region))
    if job.schedule.layout == "columns":
        place_columns(f)
        write_passes(f)
    elif job.schedule.persistent:
        _persistent(f)
    else:
        place_rows(f)
        write_passes(f)
    return [f.kernel]


def place_rows(f: Frame) -> None:
    """One row, or ROWS neighbouring rows, per program."""
    k, schedule = f.kernel, f.schedule
    if schedule.rows > 1:
        k.size("n_rows", f.loops.rows)
        k.line("row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]")
        k.line("row_mask = row < n_rows")
        k.grid = f"(triton.cdiv({{n_rows}}, {schedule.rows}),)"
    elif f.loops.kept:
        k.line("row = tl.program_id(0).to(tl.int64)")
        k.grid = "({n_rows},)"
    else:
        k.grid = "(1,)"
    _constants(f)
    prepare(f.values, f.values.indexer.groups[0])
    if schedule.peel:
        _peel(f)


def _peel(f: Frame) -> None:
    """Bounds of a row and of the whole vectors in it, and the elements outside of those.

    Before the first vector and after the last there are fewer than VECTOR elements each.
    """
    k = f.kernel
    k.constant("VECTOR", str(f.schedule.peel))
    k.line(f"row_start = row * {f.length}")
    k.line(f"row_end = row_start + {f.length}")
    k.line("body_start = tl.cdiv(row_start, VECTOR) * VECTOR")
    k.line("body_end = tl.maximum(row_end // VECTOR * VECTOR, body_start)")
    by_lane = any(not isinstance(item, OnlineSoftmax) for stage in stages_of(f) for item in stage)
    k.line(f"lanes = tl.arange(0, {'BLOCK' if by_lane else '2 * VECTOR'})")
    k.line("edges = tl.where(lanes < VECTOR, body_start, body_end) - VECTOR + lanes")
    few = "(lanes < 2 * VECTOR) & " if by_lane else ""
    k.line(f"edge_mask = {few}(edges >= row_start) & (edges < row_end)")


def _constants(f: Frame) -> None:
    k, schedule = f.kernel, f.schedule
    k.size(f.length, f.loops.columns)
    if schedule.nested:
        f.nest_sizes()
    if schedule.rows > 1:
        k.constant("ROWS", str(schedule.rows))
    k.constant("BLOCK", "next_power_of_2" if schedule.one_tile else str(schedule.block))
    f.align()


def place_columns(f: Frame) -> None:
    """A tile of neighbouring columns per program, inside one batch entry."""
    k, loops = f.kernel, f.loops
    k.size("n_rows", loops.columns)
    k.size("n_cols", loops.kept[-1].size)
    k.constant("DEPTH", "next_power_of_2" if f.schedule.one_tile else str(f.schedule.depth))
    k.constant("BLOCK", str(f.schedule.block))
    f.align()
    k.line("col_blocks = tl.cdiv(n_cols, BLOCK)")
    k.line("batch = (tl.program_id(0) // col_blocks).to(tl.int64)")
    k.line("cols = tl.program_id(0) % col_blocks * BLOCK + tl.arange(0, BLOCK)[None, :]")
    k.line("col_mask = cols < n_cols")
    k.grid = "({n_batch} * triton.cdiv({n_cols}, {BLOCK}),)"
    prepare(f.values, f.values.indexer.groups[0])


def _persistent(f: Frame) -> None:
    """A fixed number of programs; each walks rows a grid apart and keeps the row-independent loads."""
    k = f.kernel
    k.size("n_rows", f.loops.rows)
    _constants(f)
    k.grid = f"(min({{n_rows}}, {f.schedule.persistent}),)"
    f.step_index("0")
    for number in f.values.builder.walk([s.value for s in f.loops.region.stores]):
        groups = {
            g.variable for g in f.values.indexer.groups if g.leaves & f.values.builder.free_axes(number)
        }
        if groups == {"cols"} and not f.values.builder.children(number):
            f.values.named(number, ())
    k.line("first_row = tl.program_id(0).to(tl.int64)")
    with k.block("for row in tl.range(first_row, n_rows, tl.num_programs(0)):"):
        prepare(f.values, f.values.indexer.groups[0])
        _one_tile(f)


def stages_of(f: Frame) -> list[list[Item]]:
    s = f.schedule
    return plan_stages(f.loops.region, online_softmax=s.online_softmax, shifted_moments=s.shifted_moments)


def write_passes(f: Frame) -> None:
    if f.schedule.one_tile:
        f.step_index("0")
        _one_tile(f)
        return
    for stage in stages_of(f):
        run_stage(f, stage)
    write_stores(f)


def _one_tile(f: Frame) -> None:
    if f.schedule.loads_first:
        _load_all(f)
    for number in reductions(f.loops.region):
        reduce_tile(f.values, number, f.tile, f.mask)
    scan_tile(f.values, f.tile, f.mask)
    for store in f.loops.region.stores:
        for at in f.values.instances(store):
            f.values.store(store, at)


def _load_all(f: Frame) -> None:
    """What the reductions read, then the rest: no load behind a reduction's barrier can pass it."""
    values, builder = f.values, f.values.builder
    reduced = read_by_reductions(f.loops.region)
    loads = [
        number
        for number in builder.walk([store.value for store in f.loops.region.stores])
        if _is_read(builder, number, widened=number in reduced)
        and not builder.free_axes(number) & values.unrolled
    ]
    for number in sorted(loads, key=lambda number: number not in reduced):
        values.named(number, ())


def read_by_reductions(region: Region) -> set[int]:
    """Values that some reduction depends on."""
    builder = region.builder
    return set(builder.walk([child for number in reductions(region) for child in builder.children(number)]))


def _is_read(builder: Builder, number: int, *, widened: bool) -> bool:
    """A load; of short floats, where they are `widened`, the cast that is written with it."""
    node = builder.nodes[number]
    if isinstance(node, Load):
        return not (widened and node.dtype in SHORT_FLOATS | EIGHT_BITS)
    return (
        widened
        and isinstance(node, Apply)
        and node.function == "cast"
        and _is_read(builder, node.args[0], widened=False)
    )


def run_stage(f: Frame, stage: list[Item]) -> None:
    """One pass over the data: running values before, steps inside, results after."""
    needed = [root for item in stage for root in inputs_of(f.values.builder, item)]
    f.read_again(needed)
    f.values.hoist(needed)
    running = start_stage(f, stage)
    for steps in _sweep(f, needed):
        with steps:
            for acc in running:
                step(f.values, acc, f.tile, f.mask)
    for acc in running:
        finish(f.values, acc, f.tile)


def start_stage(f: Frame, stage: list[Item], begin: str = "0", end: str = "") -> list[Accumulator]:
    """Running values of a pass, and what the first tile tells about its row or part."""
    running = [start(f.values, item, f.tile) for item in stage]
    if any(isinstance(item, Moments) for item in stage):
        with f.first_tile(begin, end):
            for acc in running:
                if isinstance(acc.item, Moments):
                    find_shift(f.values, acc, acc.item, f.tile, f.mask)
    return running


def write_stores(f: Frame) -> None:
    """The last pass writes what varies along the row; the rest is written once.

    It walks a row back that the L2 holds, from what was read last and is the least likely to be gone.
    """
    inside = [s for s in f.loops.region.stores if varies(f, s)]
    if inside:
        roots = [s.value for s in inside]
        f.read_again(roots, last=True)
        f.values.hoist(roots)
        carries = start_scans(f.values, f.tile)
        for steps in _sweep(f, roots, back=f.schedule.rows_in_l2 or f.loops.scans_back):
            with steps:
                scan_tile(f.values, f.tile, f.mask, carries)
                for store in inside:
                    for at in f.values.instances(store):
                        f.values.store(store, at)
    write_row_stores(f)


def _sweep(f: Frame, roots: list[int], *, back: bool = False) -> list[AbstractContextManager[None]]:
    """What covers a row once: the loop over it, and before it the edges that were peeled off."""
    if not f.schedule.peel:
        return [f.walk(roots, back=back)]
    return [f.edges(), f.walk(roots, "body_start", "body_end", back=back)]


def write_row_stores(f: Frame) -> None:
    for store in f.loops.region.stores:
        if not varies(f, store):
            for at in f.values.instances(store):
                f.values.store(store, at)


def varies(f: Frame, store: Store) -> bool:
    return f.values.indexer.moves(store.index, f.values.reduced_group)
