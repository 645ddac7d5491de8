"""Convolution skeleton: tiles of rows by places over packed factors, tap after tap.

A step of the product reads one tap of many places, channels side by side. With phases a program holds results
that share their taps, those whose places leave the same rest by the step, and walks no other tap.
"""

from __future__ import annotations

from ..convolutions import Convolution, convolution_of
from ..emit.index import Group, Indexer
from ..emit.kernel import Kernel
from ..emit.reduce import reduce_tile
from ..emit.text import Text
from ..emit.tile import Tile
from ..emit.values import Values
from ..extent import Extent
from ..loops import LoopAxis
from ..lowering.region import Store
from ..slides import Slide
from ..stages import reductions
from .factors import names_in_use
from .frame import is_wide
from .job import Job
from .packing import declare, pack_kernels
from .tap_sums import sums_over_taps


def write(job: Job) -> tuple[list[Kernel], list[tuple[str, str]]]:
    """The kernels and the packed tensors between them."""
    conv = convolution_of(job.loops)
    if conv is None:
        raise ValueError("a region that is no convolution has no packed factors")
    packed, spaces = pack_kernels(job, conv)
    return [*packed, _multiply(job, conv)], spaces


def _multiply(job: Job, conv: Convolution) -> Kernel:
    tiling = job.loops.tiling
    assert tiling is not None
    kernel = Kernel(f"{job.name}_kernel", f"One tile of results a program: {job.doc}.")
    declare(kernel, job, conv)
    kernel.constant("BLOCK_M", str(job.schedule.rows))
    kernel.constant("BLOCK_N", str(job.schedule.block))
    kernel.constant("BLOCK_K", str(job.schedule.depth))
    _place(kernel, job, conv)
    rows, cols = (
        Group("rows", tiling.rows, "row_mask", "ROWS"),
        Group("cols", tiling.cols, "col_mask", "COLS"),
    )
    groups = [rows, cols, *([Group("batch", tiling.batch, "", "BATCH")] if tiling.batch else [])]
    _enter_phase(kernel, conv)
    if not job.schedule.descriptors:
        _reading(kernel, job, conv)
    sums_over_taps(kernel, job, conv)
    _results(kernel, job, conv, cols)
    indexer = Indexer(kernel, job.loops, groups, job.vocabulary, job.tensors.values())
    masks = {
        frozenset({"rows"}): "row_mask",
        frozenset({"cols"}): "col_mask",
        frozenset({"rows", "cols"}): "mask",
    }
    taken = names_in_use() | _LOCALS
    values = Values(kernel, job.loops, indexer, None, job.tensors, masks, job.hints, taken=taken)
    values.define(conv.number, Text("acc"))
    kernel.line("mask = row_mask & col_mask")
    for number in reductions(job.loops.region):
        reduce_tile(values, number, OF_CHANNELS, "row_mask")
    for store in job.loops.region.stores:
        _store(values, job, store)
    return kernel


OF_CHANNELS = Tile("BLOCK_M, BLOCK_N", 0, True, "1, BLOCK_N")
"""A tile of which whole columns are reduced: it holds all channels of its places."""


_LOCALS = {"acc", "part", "columns", "weights", "shift", "ks", "tap", "places", "phase", "taken", "block",
           "turn", "first_place", "n_places", "n_taps", "n_steps"}  # fmt: skip
"""What this kernel calls its own values."""


def _place(kernel: Kernel, job: Job, conv: Convolution) -> None:
    """Which results a program holds: tiles of the same places run together, and share what they read."""
    walked = [kernel.size(*_grid(side, job)) for side in conv.sides]
    count = " * ".join(["n_images", *walked])
    kernel.line(f"n_places = {count}")
    kernel.line("row_blocks = tl.cdiv(n_rows, BLOCK_M)")
    kernel.line("program = tl.program_id(0)")
    many = [str(conv.phases)] if conv.phases > 1 else []
    if many:
        kernel.line(f"phase = program % {conv.phases}")
        kernel.line(f"program = program // {conv.phases}")
    kernel.line("tile_row = program % row_blocks")
    kernel.line("program = program // row_blocks")
    if not conv.groups.is_one():
        kernel.line("batch = (program % GROUPS).to(tl.int64)")
        kernel.line("program = program // GROUPS")
        many.append("{GROUPS}")
    kernel.line("rows = tile_row * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]")
    if not job.schedule.descriptors:
        kernel.line(f"places = {_first_place(job)} + tl.arange(0, BLOCK_N)[None, :]")
    kernel.line("row_mask = rows < n_rows")
    kernel.made["row_tiles"] = "triton.cdiv(n_rows, {BLOCK_M})"
    kernel.made["place_tiles"] = f"triton.cdiv({count}, {{BLOCK_N}})"
    kernel.grid = f"({' * '.join([*many, 'row_tiles', 'place_tiles'])},)"


def _grid(side: Slide, job: Job) -> tuple[str, Extent]:
    """What columns count along a side: results of a phase, or places of the packed tensor, of which tiles are
    boxes that the copy engine brings."""
    if job.schedule.descriptors:
        return f"packed_{side.name}", side.packed
    return f"{'phase' if side.step > 1 else 'out'}_{side.name}", side.walked


def _enter_phase(kernel: Kernel, conv: Convolution) -> None:
    """What the places of a program's results leave along each stepped side, by its step."""
    phase = "phase"
    for side in reversed([side for side in conv.sides if side.step > 1]):
        last = side is _first_phased(conv)
        kernel.line(f"{side.name}_phase = {phase if last else f'{phase} % {side.step}'}")
        if not last:
            kernel.line(f"phase_above_{side.name} = {phase} // {side.step}")
            phase = f"phase_above_{side.name}"


def _divide(kernel: Kernel, job: Job, conv: Convolution) -> str:
    """Lines that split places into those along each side; the variable of the image."""
    above = "places"
    for side in reversed(conv.sides):
        walked, _ = _grid(side, job)
        kernel.line(f"at_{side.name} = {above} % {walked}")
        kernel.line(f"above_{side.name} = {above} // {walked}")
        above = f"above_{side.name}"
    return above


def _reading(kernel: Kernel, job: Job, conv: Convolution) -> None:
    """Where in the packed tensor each column begins to read."""
    kernel.line("col_mask = places < n_places")
    source = f"{_divide(kernel, job, conv)}.to(tl.int64)"
    for side in conv.sides:
        at = f"at_{side.name}" + (f" * {side.stride}" if side.stride != 1 else "")
        source = (
            f"({source}) * packed_{side.name} + {at}"
            if " " in source
            else f"{source} * packed_{side.name} + {at}"
        )
    group = " + batch * CHANNELS" if not conv.groups.is_one() else ""
    kernel.line(f"columns = ({source}) * (GROUPS * CHANNELS){group}")


def _results(kernel: Kernel, job: Job, conv: Convolution, cols: Group) -> None:
    """The place of each column in the results: behind the sums, beside which it takes registers."""
    kernel.line(f"places = {_first_place(job)} + tl.arange(0, BLOCK_N)")
    image, inside, named = _divide(kernel, job, conv), ["(places < n_places)"], {}
    for side in conv.sides:
        result = f"at_{side.name}"
        if side.step > 1:
            kernel.line(f"to_{side.name} = {result} * {side.step} + {side.name}_phase")
            result = f"to_{side.name}"
        if side.step > 1 or job.schedule.descriptors:
            inside.append(f"({result} < {kernel.size(f'out_{side.name}', side.out)})")
        if side.place is not None:
            named[side.place] = result
    if conv.batch is not None:
        named[conv.batch] = image
    found = " & ".join(inside)
    kernel.line(f"col_mask = {found if len(inside) == 1 else f'({found})'}[None, :]")
    for name in named.values():
        kernel.line(f"{name} = {name}[None, :]")
    kernel.line(f"cols = {_flat(kernel, cols.axes, named)}")
    cols.decoded.update({i: named[axis.leaves[0]] for i, axis in enumerate(cols.axes)})


def _first_place(job: Job) -> str:
    return f"program{'.to(tl.int64)' if is_wide(job.loops) else ''} * BLOCK_N"


def _store(values: Values, job: Job, store: Store) -> None:
    """Write a tile as one row of lanes, neighbouring places in neighbouring ones: where Triton 3.6 does not
    see that places are neighbours it gives lanes other channels, and a thread the indices of many places."""
    walked = values.builder.free_axes(store.value)
    if not {"rows", "cols"} <= {group.name for group in values.indexer.along(walked)}:
        values.store(store, ())
        return
    kernel, tensor = values.kernel, job.tensors[f"store:{store.name}"]
    value = values.named(store.value, ()).source
    offset = values.address(store.index, (), tensor).removeprefix(" + ")
    if not offset.isidentifier():
        name = values.fresh("offset")
        kernel.line(f"{name} = {offset}")
        offset = name
    kernel.constant("LANES", str(job.schedule.rows * job.schedule.block))
    policy = job.hints.get(f"store:{store.name}")
    tail = f', eviction_policy="{policy}"' if policy else ""
    target = f"{kernel.pointer(tensor)} + tl.reshape({offset}, LANES)"
    kernel.line(f"tl.store({target}, tl.reshape({value}, LANES), mask=tl.reshape(mask, LANES){tail})")


def _first_phased(conv: Convolution) -> Slide:
    return next(side for side in conv.sides if side.step > 1)


def _flat(kernel: Kernel, axes: tuple[LoopAxis, ...], named: dict[int, str]) -> str:
    """The number of a column among all of them, row after row."""
    source = ""
    for axis in axes:
        name = named[axis.leaves[0]]
        size = kernel.scalar(axis.size, "col_size")
        source = f"({source}) * {size} + {name}" if source else name
    return source
