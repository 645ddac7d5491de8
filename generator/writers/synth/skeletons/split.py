"""Split skeleton: rows too few to fill the device are cut into parts, one program each.

Every level of reductions gets a kernel that leaves the running values of each part in a workspace; the kernel
after it joins the parts of its row first, a handful of values, and goes on. The last kernel writes.
"""

from __future__ import annotations

from ..emit.kernel import Kernel
from ..emit.neutral import choose_padding
from ..emit.reduce import INDEX_HELPERS, collapse, helper, running_type
from ..emit.running import Accumulator, define_moments, finish, finite_shift, step
from ..emit.text import Text
from ..stages import Item, Moments, OnlineSoftmax, inputs_of, reduce_node, reductions
from .frame import Frame, frame, prepare
from .job import Job
from .rowwise import stages_of, start_stage, varies, write_row_stores

Slots = dict[Item, list[tuple[str, str]]]
"""Workspace name and type of every running value of an item."""


def write(job: Job) -> tuple[list[Kernel], list[tuple[str, str]]]:
    """The kernels in launch order and the workspaces between them."""
    loops = job.loops
    probe = frame(job)
    stages = stages_of(probe)
    slots = _slots(probe, stages)
    kernels: list[Kernel] = []
    for level, stage in enumerate(stages):
        number = str(level + 1) if len(stages) > 1 else ""
        f = _open(job, f"_part{number}", "Running values of one part of a row.", parted=True)
        _join_all(f, stages[:level], slots)
        _leave_parts(f, stage, slots)
        kernels.append(f.kernel)
    writes_rows = any(varies(f, store) for store in loops.region.stores)
    f = _open(
        job, "_finish", "" if writes_rows else f"The parts of a row joined: {job.doc}.", parted=writes_rows
    )
    _join_all(f, stages, slots)
    _finish(f)
    return [*kernels, f.kernel], [slot for stage in stages for item in stage for slot in slots[item]]


def _slots(f: Frame, stages: list[list[Item]]) -> Slots:
    """Workspaces of every item, none named like another or like a tensor of the wrapper."""
    taken = set(f.values.tensors.values())
    found: Slots = {}
    for item in (item for stage in stages for item in stage):
        found[item] = []
        for name, dtype in _own_slots(f, item):
            unique, count = name, 1
            while unique in taken:
                count += 1
                unique = name.replace("_parts", f"{count}_parts")
            taken.add(unique)
            found[item].append((unique, dtype))
    return found


def _own_slots(f: Frame, item: Item) -> list[tuple[str, str]]:
    if isinstance(item, OnlineSoftmax):
        return [("max_parts", "fp32"), ("sum_parts", "fp32")]
    if isinstance(item, Moments):
        return [("mean_parts", "fp32"), ("m2_parts", "fp32"), ("count_parts", "fp32")]
    node = reduce_node(f.values.builder, item.reduce)
    dtype = running_type(f.values.builder, node)
    if node.kind in INDEX_HELPERS:
        return [("best_parts", dtype), ("index_parts", "int32")]
    return [(f"{node.kind}_parts", dtype)]


def _open(job: Job, part: str, doc: str, *, parted: bool) -> Frame:
    """A kernel with its row (or column tile) and, where the row is worked on in parts, its part."""
    loops, schedule = job.loops, job.schedule
    f = frame(job, part, doc)
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
        f.align()
        k.line("col_blocks = tl.cdiv(n_cols, BLOCK)")
        k.line(f"tile = {program}")
        k.line("batch = (tile // col_blocks).to(tl.int64)")
        k.line("cols = tile % col_blocks * BLOCK + tl.arange(0, BLOCK)[None, :]")
        k.line("col_mask = cols < n_cols")
        k.grid = f"({{n_batch}} * triton.cdiv({{n_cols}}, {{BLOCK}}){times},)"
    else:
        k.size("n_cols", loops.columns)
        if schedule.nested:
            f.nest_sizes()
        f.align()
        if loops.kept:
            k.line(f"row = ({program}).to(tl.int64)")
        k.grid = f"({{n_rows}}{times},)"
    k.constant("PARTS", str(schedule.splits))
    if parted or schedule.layout == "columns":
        k.constant("BLOCK", str(schedule.block))
    prepare(f.values, f.values.indexer.groups[0])
    return f


def _span(f: Frame) -> tuple[str, str]:
    """First and last column of this part.

    Parts are whole tiles, or whole steps of the outer of two loops, so that accesses stay aligned.
    """
    k, group = f.kernel, f.values.reduced_group
    length, size = f.length, f"tl.cdiv(tl.cdiv({f.length}, PARTS), {f.step}) * {f.step}"
    if group.nested:
        length, _ = f.nest_sizes()
        size = f"tl.cdiv({length}, PARTS)"
    k.line(f"part_size = {size}")
    k.line("part_start = part * part_size")
    k.line(f"part_end = tl.minimum(part_start + part_size, {length})")
    return "part_start", "part_end"


def _address(f: Frame, name: str, part: str) -> str:
    pointer = f.kernel.pointer(name)
    if f.schedule.layout == "columns":
        return f"{pointer} + (batch * PARTS + {part}) * n_cols + cols"
    return f"{pointer} + " + (f"row * PARTS + {part}" if f.loops.kept else part)


def _leave_parts(f: Frame, stage: list[Item], slots: Slots) -> None:
    k = f.kernel
    begin, end = _span(f)
    needed = [root for item in stage for root in inputs_of(f.values.builder, item)]
    f.values.hoist(needed)
    running = start_stage(f, stage, begin, end)
    with f.walk(needed, begin, end):
        for acc in running:
            step(f.values, acc, f.tile, f.mask)
    mask = ", mask=col_mask" if f.schedule.layout == "columns" else ""
    for acc in running:
        for (slot, _), value in zip(slots[acc.item], _part_values(f, acc), strict=True):
            k.line(f"tl.store({_address(f, slot, 'part')}, {value}{mask})")


def _part_values(f: Frame, acc: Accumulator) -> list[str]:
    """The running values of a part, collapsed over its lanes."""
    k, tile, item = f.kernel, f.tile, acc.item
    if isinstance(item, OnlineSoftmax):
        return list(acc.names)
    if isinstance(item, Moments):
        count, mean, m2 = (f.values.fresh(n) for n in ("part_count", "part_mean", "part_m2"))
        size = "tl.maximum(part_end - part_start, 0)"
        if f.values.reduced_group.nested:
            size = f"({size} * {f.nest_sizes()[1]})"
        k.line(f"{count} = {size}.to(tl.float32)")
        joint = helper(f.values, "moments", f"{', '.join(acc.names)}, tl.maximum({count}, 1.0)", tile)
        k.line(f"{mean}, {m2} = {joint}")
        return [mean, m2, count]
    node = reduce_node(f.values.builder, item.reduce)
    if node.kind in INDEX_HELPERS:
        best, index = f.values.fresh("part_best"), f.values.fresh("part_index")
        k.line(
            f"{best} = {collapse(f.values, node.kind.removeprefix('arg'), acc.names[0], tile, acc.dtypes[0])}"
        )
        k.line(f"{index} = {helper(f.values, INDEX_HELPERS[node.kind], ', '.join(acc.names), tile)}")
        return [best, index]
    return [collapse(f.values, _counted(node.kind), acc.names[0], tile, acc.dtypes[0])]


def _counted(kind: str) -> str:
    """Truth travels between kernels as a count."""
    return {"any": "max", "all": "min"}.get(kind, kind)


def _join_all(f: Frame, stages: list[list[Item]], slots: Slots) -> None:
    """Join the parts of this program's row from the workspaces of earlier kernels."""
    if not stages:
        return
    spread = "[:, None]" if f.schedule.layout == "columns" else ""
    f.kernel.line(f"parts = tl.arange(0, PARTS){spread}")
    for stage in stages:
        for item in stage:
            _join(f, item, slots)


def _join(f: Frame, item: Item, slots: Slots) -> None:
    k, v, tile = f.kernel, f.values, f.tile
    names = []
    for slot, _ in slots[item]:
        name = v.fresh(slot)
        mask = ", mask=col_mask, other=0" if f.schedule.layout == "columns" else ""
        k.line(f"{name} = tl.load({_address(f, slot, 'parts')}{mask})")
        names.append(name)
    if isinstance(item, OnlineSoftmax):
        peak, total, shift = v.fresh("row_max"), v.fresh("denominator"), v.fresh("shift")
        k.line(f"{peak} = tl.max({names[0]}, axis={tile.axis}{tile.keep})")
        k.line(f"{shift} = {finite_shift(item, peak)}")
        k.line(f"{total} = tl.sum({names[1]} * tl.exp({names[0]} - {shift}), axis={tile.axis}{tile.keep})")
        v.define(item.peak, Text(peak))
        v.define(item.total, Text(total))
        return
    if isinstance(item, Moments):
        define_moments(v, item, helper(v, "join_moments", ", ".join(names), tile))
        return
    finish(v, Accumulator(item, tuple(names), tuple(dtype for _, dtype in slots[item])), tile)


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
