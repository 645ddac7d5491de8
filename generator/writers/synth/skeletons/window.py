"""Window skeleton: a flat grid of results, each of which gathers the few elements of its window."""

from __future__ import annotations

from ..emit.index import Group, Indexer
from ..emit.kernel import Kernel
from ..emit.neutral import choose_padding
from ..emit.reduce import argument
from ..emit.running import finish_lanes, start, step_single
from ..emit.tile import Tile
from ..emit.values import Values
from ..space import CannotFuseError
from ..stages import Single, reduce_node, reductions
from .frame import is_wide, prepare
from .job import Job

MOST_UNROLLED = 16
"""Elements of a window that are written out: the places of a fixed window are then constants."""


def write(job: Job) -> list[Kernel]:
    loops, found = job.loops, reductions(job.loops.region)
    kernel = Kernel(f"{job.name}_kernel", f"One tile of results a program: {job.doc}.")
    group = Group("offsets", loops.kept, "mask", "")
    taps = Group("tap", loops.reduced, "", "WINDOW")
    indexer = Indexer(kernel, loops, [group, taps], job.vocabulary, job.tensors.values())
    values = Values(kernel, loops, indexer, taps, job.tensors, {frozenset({"offsets"}): "mask"}, job.hints)
    if any(b in found for r in found for b in values.builder.walk([reduce_node(values.builder, r).arg])):
        raise CannotFuseError("a window is reduced by what it was reduced to before")
    kernel.size("n_elements", loops.rows)
    kernel.constant("BLOCK", str(job.schedule.block))
    program = "tl.program_id(0)" + (".to(tl.int64)" if is_wide(loops) else "")
    kernel.line(f"offsets = {program} * BLOCK + tl.arange(0, BLOCK)")
    kernel.line("mask = offsets < n_elements")
    kernel.grid = "(triton.cdiv({n_elements}, {BLOCK}),)"
    prepare(values, group)
    choose_padding(values, found)
    _gather(values, taps, found)
    for store in loops.region.stores:
        values.store(store, ())
    return [kernel]


def _gather(values: Values, taps: Group, found: list[int]) -> None:
    """Running values over the window, one in each lane."""
    kernel, tile = values.kernel, Tile("BLOCK", 0, False, "BLOCK")
    taken = [start(values, Single(number), tile) for number in found]
    count = kernel.constant("WINDOW", values.loops.columns)
    unrolled = values.loops.columns.literal is not None and values.loops.columns.full <= MOST_UNROLLED
    taps.decoded.clear()
    with kernel.block(f"for tap in tl.{'static_range' if unrolled else 'range'}({count}):"), values.scope():
        for running, number in zip(taken, found, strict=True):
            node = reduce_node(values.builder, number)
            values.value(node.arg, ())
            inside = {values.inside.get(n, "") for n in values.builder.walk([node.arg])} - {""}
            step_single(values, running, node, argument(values, number, " & ".join(sorted(inside))))
    taps.decoded.clear()
    for running, number in zip(taken, found, strict=True):
        finish_lanes(values, running, number)
