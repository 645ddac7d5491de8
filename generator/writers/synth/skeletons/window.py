"""Window skeleton: a grid of results, flat or row by row, that gather the few elements of their windows.

The inner axes of a window are written out, as far as they are short and fixed: their places are constants
beside one address, and their loads are under way together. A loop runs over the rest.
"""

from __future__ import annotations

from contextlib import ExitStack

from ..emit.index import Group, Indexer
from ..emit.kernel import Kernel
from ..emit.neutral import choose_padding
from ..emit.reduce import argument
from ..emit.running import finish_lanes, start, step_single
from ..emit.tile import Tile
from ..emit.values import Values
from ..extent import product
from ..loops import LoopAxis, Loops
from ..space import CannotFuseError
from ..stages import Single, reduce_node, reductions
from .frame import is_wide, prepare
from .job import Job

MOST_UNROLLED = 16
"""Elements of a window that are written out. In a loop over all 121 of a window, one load after another, an
H200 reached 0.14 of its bandwidth."""


def write(job: Job) -> list[Kernel]:
    loops, found = job.loops, reductions(job.loops.region)
    by_rows = job.schedule.nested
    what = "One tile of a row's results a program" if by_rows else "One tile of results a program"
    kernel = Kernel(f"{job.name}_kernel", f"{what}: {job.doc}.")
    results = (
        Group("cols", loops.kept[-1:], "mask", "") if by_rows else Group("offsets", loops.kept, "mask", "")
    )
    kept = [Group("row", loops.kept[:-1], "", "ROWS"), results] if by_rows else [results]
    lines, taps = _lines(loops), Group("tap", _written_out(loops), "", "WINDOW")
    groups = [*kept, *([lines] if lines else []), taps]
    indexer = Indexer(kernel, loops, groups, job.vocabulary, job.tensors.values())
    masks = {frozenset({"cols" if by_rows else "offsets"}): "mask"}
    values = Values(kernel, loops, indexer, taps, job.tensors, masks, job.hints)
    if any(b in found for r in found for b in values.builder.walk([reduce_node(values.builder, r).arg])):
        raise CannotFuseError("a window is reduced by what it was reduced to before")
    _number(kernel, loops, str(job.schedule.block), by_rows=by_rows)
    for group in kept:
        prepare(values, group)
    choose_padding(values, found)
    _gather(values, lines, taps, found)
    for store in loops.region.stores:
        values.store(store, ())
    return [kernel]


def _number(kernel: Kernel, loops: Loops, block: str, *, by_rows: bool) -> None:
    """Which results a program has."""
    wide = ".to(tl.int64)" if is_wide(loops) else ""
    kernel.constant("BLOCK", block)
    if by_rows:
        kernel.size("n_cols", loops.kept[-1].size)
        kernel.line("col_blocks = tl.cdiv(n_cols, BLOCK)")
        row = "tl.program_id(0) // col_blocks"
        kernel.line(f"row = ({row}){wide}" if wide else f"row = {row}")
        kernel.line("cols = tl.program_id(0) % col_blocks * BLOCK + tl.arange(0, BLOCK)")
        kernel.line("mask = cols < n_cols")
        kernel.grid = "({n_batch} * triton.cdiv({n_cols}, {BLOCK}),)"
        return
    kernel.size("n_elements", loops.rows)
    kernel.line(f"offsets = tl.program_id(0){wide} * BLOCK + tl.arange(0, BLOCK)")
    kernel.line("mask = offsets < n_elements")
    kernel.grid = "(triton.cdiv({n_elements}, {BLOCK}),)"


def _written_out(loops: Loops) -> tuple[LoopAxis, ...]:
    """The inner axes of a window that are written out; all axes where none is."""
    for axes in (loops.reduced[first:] for first in range(len(loops.reduced))):
        count = product((axis.size for axis in axes), loops.one).literal
        if count is not None and count <= MOST_UNROLLED:
            return axes
    return loops.reduced


def _lines(loops: Loops) -> Group | None:
    """The outer axes of a window, over which a loop runs around what is written out."""
    outer = loops.reduced[: len(loops.reduced) - len(_written_out(loops))]
    return Group("line", outer, "", "LINES") if outer else None


def _gather(values: Values, lines: Group | None, taps: Group, found: list[int]) -> None:
    """Running values over the window, one in each lane."""
    kernel, tile, one = values.kernel, Tile("BLOCK", 0, False, "BLOCK"), values.loops.one
    taken = [start(values, Single(number), tile) for number in found]
    whole = product((axis.size for axis in taps.axes), one)
    unrolled = whole.literal is not None and whole.literal <= MOST_UNROLLED
    taps.decoded.clear()
    with ExitStack() as loop:
        if lines is not None:
            lines.decoded.clear()
            kernel.constant("WINDOW", values.loops.columns)
            count = kernel.constant("LINES", product((axis.size for axis in lines.axes), one))
            loop.enter_context(kernel.block(f"for line in tl.range({count}):"))
            loop.enter_context(values.scope())
        count = kernel.constant("TAPS" if lines else "WINDOW", whole)
        each = f"for tap in tl.{'static_range' if unrolled else 'range'}({count}):"
        loop.enter_context(kernel.block(each))
        loop.enter_context(values.scope())
        for running, number in zip(taken, found, strict=True):
            node = reduce_node(values.builder, number)
            values.value(node.arg, ())
            inside = {values.inside.get(n, "") for n in values.builder.walk([node.arg])} - {""}
            step_single(values, running, node, argument(values, number, " & ".join(sorted(inside))))
    taps.decoded.clear()
    for running, number in zip(taken, found, strict=True):
        finish_lanes(values, running, number)
