"""Split skeleton: rows too few to fill the device are cut into parts, one program each.

Every level of reductions gets a kernel that leaves the running values of each part in a workspace; the kernel
after it joins the parts of its row first, a handful of values, and goes on. The last kernel writes.
"""

from __future__ import annotations

from ..emit.kernel import Kernel
from ..emit.neutral import choose_padding
from ..emit.reduce import INDEX_HELPERS, collapse, helper, running_type
from ..emit.running import Accumulator, finish, finite_shift, start, step
from ..emit.text import Text
from ..expr import Reduce
from ..stages import Item, OnlineSoftmax, Welford, inputs_of, reduce_node, reductions
from .frame import Frame, frame, prepare
from .job import Job
from .rowwise import stages_of, varies, write_row_stores


def write(job: Job) -> tuple[list[Kernel], list[tuple[str, str]]]:
    """The kernels in launch order and the workspaces between them."""
    loops = job.loops
    stages = stages_of(frame(job))
    kernels: list[Kernel] = []
    spaces: list[tuple[str, str]] = []
    for level, stage in enumerate(stages):
        number = str(level + 1) if len(stages) > 1 else ""
        f = _open(job.called(f"{job.name}_part{number}", "Running values of one part of a row."), parted=True)
        _join_all(f, stages[:level])
        _leave_parts(f, stage)
        kernels.append(f.kernel)
        spaces += [slot for item in stage for slot in workspaces(item, f)]
    writes_rows = any(varies(f, store) for store in loops.region.stores)
    f = _open(job.called(f"{job.name}_finish", job.doc), parted=writes_rows)
    _join_all(f, stages)
    _finish(f)
    return [*kernels, f.kernel], spaces


def _open(job: Job, *, parted: bool) -> Frame:
    """A kernel with its row (or column tile) and, where the row is worked on in parts, its part."""
    loops, schedule = job.loops, job.schedule
    f = frame(job)
    choose_padding(f.values, reductions(loops.region))
    k = f.kernel
    program = "tl.program_id(0) // PARTS" if parted else "tl.program_id(0)"
    if parted:
        k.line("part = tl.program_id(0) % PARTS")
    times = " * {PARTS}" if parted else ""
    if schedule.layout == "columns":
        k.size("n_rows", loops.columns)
        k.size("n_cols", loops.kept[-1].size)
        k.constant("DEPTH", str(schedule.depth))
        k.line("col_blocks = tl.cdiv(n_cols, BLOCK)")
        k.line(f"tile = {program}")
        k.line("batch = (tile // col_blocks).to(tl.int64)")
        k.line("cols = tile % col_blocks * BLOCK + tl.arange(0, BLOCK)[None, :]")
        k.line("col_mask = cols < n_cols")
        k.grid = f"({{n_batch}} * triton.cdiv({{n_cols}}, {{BLOCK}}){times},)"
    else:
        k.size("n_cols", loops.columns)
        if loops.kept:
            k.line(f"row = ({program}).to(tl.int64)")
        k.grid = f"({{n_rows}}{times},)"
    k.constant("PARTS", str(schedule.splits))
    if parted or schedule.layout == "columns":
        k.constant("BLOCK", str(schedule.block))
    prepare(f.values, f.values.indexer.groups[0])
    return f


def _span(f: Frame) -> tuple[str, str]:
    """First and last column of this part; parts are whole tiles (or whole outer steps), so accesses stay aligned."""
    k, group = f.kernel, f.values.reduced
    assert group is not None
    length = k.constant("COL0_SIZE", group.axes[0].size) if group.nested else f.length
    k.line(f"part_size = tl.cdiv({length}, PARTS)" if group.nested else f"part_size = tl.cdiv(tl.cdiv({length}, PARTS), {f.step}) * {f.step}")
    k.line("part_start = part * part_size")
    k.line(f"part_end = tl.minimum(part_start + part_size, {length})")
    return "part_start", "part_end"


def workspaces(item: Item, f: Frame) -> list[tuple[str, str]]:
    """Workspace name and type of every running value of an item; items of one kind are told apart by number."""
    if isinstance(item, OnlineSoftmax):
        return [("max_parts", "fp32"), ("sum_parts", "fp32")]
    if isinstance(item, Welford):
        return [("mean_parts", "fp32"), ("m2_parts", "fp32"), ("count_parts", "fp32")]
    node = reduce_node(f.values.builder, item.reduce)
    dtype = "int32" if node.kind in ("any", "all") else f.values.builder.dtype(node.arg)
    alike = [i for i in reductions(f.loops.region) if f.values.builder.nodes[i].kind == node.kind]  # type: ignore[union-attr]
    number = f"_{alike.index(item.reduce) + 1}" if len(alike) > 1 else ""
    if node.kind in ("argmax", "argmin"):
        return [(f"best{number}_parts", dtype), (f"index{number}_parts", "int32")]
    return [(f"{node.kind}{number}_parts", dtype)]


def _address(f: Frame, name: str, part: str) -> str:
    pointer = f.kernel.pointer(name)
    if f.schedule.layout == "columns":
        return f"{pointer} + (batch * PARTS + {part}) * n_cols + cols"
    return f"{pointer} + " + (f"row * PARTS + {part}" if f.loops.kept else part)


def _leave_parts(f: Frame, stage: list[Item]) -> None:
    k = f.kernel
    begin, end = _span(f)
    needed = [root for item in stage for root in inputs_of(f.values.builder, item)]
    f.values.hoist(needed)
    running = [start(f.values, item, f.tile) for item in stage]
    with f.walk(needed, begin, end):
        for acc in running:
            step(f.values, acc, f.tile, f.mask)
    mask = ", mask=col_mask" if f.schedule.layout == "columns" else ""
    for acc in running:
        for (slot, _), value in zip(workspaces(acc.item, f), _part_values(f, acc), strict=True):
            k.line(f"tl.store({_address(f, slot, 'part')}, {value}{mask})")


def _part_values(f: Frame, acc: Accumulator) -> list[str]:
    """The running values of a part, collapsed over its lanes."""
    k, tile, item = f.kernel, f.tile, acc.item
    if isinstance(item, OnlineSoftmax):
        return list(acc.names)
    if isinstance(item, Welford):
        k.line(
            f"part_mean, part_m2, part_count = {helper(f.values, 'join_moments', ', '.join(acc.names), tile)}"
        )
        return ["part_mean", "part_m2", "part_count"]
    node = reduce_node(f.values.builder, item.reduce)
    if node.kind in ("argmax", "argmin"):
        best = Reduce(node.kind.removeprefix("arg"), node.arg, node.axes, acc.dtypes[0])
        k.line(f"part_best = {_collapse_part(f, best, acc.names[0], acc.dtypes[0])}")
        find = "index_of_max" if node.kind == "argmax" else "index_of_min"
        k.line(f"part_index = {helper(f.values, find, ', '.join(acc.names), tile)}")
        return ["part_best", "part_index"]
    return [_collapse_part(f, node, acc.names[0], acc.dtypes[0])]


def _collapse_part(f: Frame, node: Reduce, source: str, dtype: str) -> str:
    if node.kind in ("any", "all"):
        return f"tl.{'max' if node.kind == 'any' else 'min'}({source}, axis={f.tile.axis}{f.tile.keep})"
    return collapse(f.values, node.kind, source, f.tile, dtype)


def _join_all(f: Frame, stages: list[list[Item]]) -> None:
    """Join the parts of this program's row from the workspaces of earlier kernels."""
    if not stages:
        return
    spread = "[:, None]" if f.schedule.layout == "columns" else ""
    f.kernel.line(f"parts = tl.arange(0, PARTS){spread}")
    for stage in stages:
        for item in stage:
            _join(f, item)


def _join(f: Frame, item: Item) -> None:
    k, v, tile = f.kernel, f.values, f.tile
    names = []
    for slot, _ in workspaces(item, f):
        name = v.fresh(slot)
        mask = ", mask=col_mask, other=0.0" if f.schedule.layout == "columns" else ""
        k.line(f"{name} = tl.load({_address(f, slot, 'parts')}{mask})")
        names.append(name)
    if isinstance(item, OnlineSoftmax):
        peak, total = v.fresh("row_max"), v.fresh("denominator")
        k.line(f"{peak} = tl.max({names[0]}, axis={tile.axis}{tile.keep})")
        k.line(f'shift = tl.where({peak} == -float("inf"), 0.0, {peak})')
        k.line(f"{total} = tl.sum({names[1]} * tl.exp({names[0]} - shift), axis={tile.axis}{tile.keep})")
        v.define(item.peak, Text(peak))
        v.define(item.total, Text(total))
        return
    dtypes = tuple(dtype for _, dtype in workspaces(item, f))
    starts = (neutral("sum", "fp32"),) * len(names)
    finish(v, Accumulator(item, tuple(names), starts, dtypes), tile)


def _finish(f: Frame) -> None:
    """Write this part of the row; the first part also writes what there is once per row."""
    inside = [s for s in f.loops.region.stores if varies(f, s)]
    if not inside:
        write_row_stores(f)
        return
    begin, end = _span(f)
    f.values.hoist([s.value for s in inside])
    with f.walk([s.value for s in inside], begin, end):
        for store in inside:
            for at in f.values.instances(store):
                f.values.store(store, at)
    if len(inside) < len(f.loops.region.stores):
        with f.kernel.block("if part == 0:"):
            write_row_stores(f)
