"""Convolution skeleton: tiles of rows by places over packed factors, tap after tap.

A step of the product reads one tap of many places, channels side by side. With phases a program holds results
that share their taps, those whose places leave the same rest by the step, and walks no other tap.
"""

from __future__ import annotations

from ..convolutions import Convolution, convolution_of
from ..emit.index import Group, Indexer
from ..emit.kernel import Kernel
from ..emit.text import Text
from ..emit.values import Values
from ..loops import LoopAxis
from ..slides import Slide
from .factors import names_in_use
from .frame import is_wide
from .job import Job
from .packing import declare, pack_kernels, packed_name
from .parts import PARTS

ORDER = ((2, 0), (0, 2), (1, 1), (1, 0), (0, 1), (0, 0))
"""Products of parts of left and right, the smallest first."""


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
    rows, cols = Group("rows", tiling.rows, "row_mask", "ROWS"), Group("cols", tiling.cols, "col_mask", "COLS")
    groups = [rows, cols, *([Group("batch", tiling.batch, "", "BATCH")] if tiling.batch else [])]
    _decode(kernel, conv, cols)
    _sums(kernel, job, conv)
    indexer = Indexer(kernel, job.loops, groups, job.vocabulary, job.tensors.values())
    masks = {frozenset({"rows"}): "row_mask", frozenset({"cols"}): "col_mask", frozenset({"rows", "cols"}): "mask"}
    taken = names_in_use() | _LOCALS
    values = Values(kernel, job.loops, indexer, None, job.tensors, masks, job.hints, taken=taken)
    values.define(conv.number, Text("acc"))
    kernel.line("mask = row_mask & col_mask")
    for store in job.loops.region.stores:
        values.store(store, ())
    return kernel


_LOCALS = {"acc", "columns", "weights", "shift", "ks", "tap", "places", "image"}
"""What this kernel calls its own values."""


def _place(kernel: Kernel, job: Job, conv: Convolution) -> None:
    """Which results a program holds: tiles of the same places run together, and share what they read."""
    walked = [kernel.size(_walked(side), side.walked) for side in conv.sides]
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
    wide = ".to(tl.int64)" if is_wide(job.loops) else ""
    kernel.line("rows = tile_row * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]")
    kernel.line(f"places = program{wide} * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]")
    kernel.line("row_mask = rows < n_rows")
    kernel.made["row_tiles"] = "triton.cdiv(n_rows, {BLOCK_M})"
    kernel.made["place_tiles"] = f"triton.cdiv({count}, {{BLOCK_N}})"
    kernel.grid = f"({' * '.join([*many, 'row_tiles', 'place_tiles'])},)"


def _walked(side: Slide) -> str:
    return f"{'phase' if side.step > 1 else 'out'}_{side.name}"


def _decode(kernel: Kernel, conv: Convolution, cols: Group) -> None:
    """The place of each column in the results and in the packed tensor."""
    above, inside, phase = "places", ["(places < n_places)"], "phase"
    named: dict[int, str] = {}
    for side in reversed(conv.sides):
        at, walked = f"at_{side.name}", _walked(side)
        kernel.line(f"{at} = {above} % {walked}")
        kernel.line(f"above_{side.name} = {above} // {walked}")
        above = f"above_{side.name}"
        result = at
        if side.step > 1:
            own = f"{phase} % {side.step}" if side is not _first_phased(conv) else phase
            kernel.line(f"{side.name}_phase = {own}")
            if side is not _first_phased(conv):
                kernel.line(f"phase_above_{side.name} = {phase} // {side.step}")
                phase = f"phase_above_{side.name}"
            result = f"to_{side.name}"
            kernel.line(f"{result} = {at} * {side.step} + {side.name}_phase")
            inside.append(f"({result} < {kernel.size(f'out_{side.name}', side.out)})")
        if side.place is not None:
            named[side.place] = result
    if conv.batch is not None:
        named[conv.batch] = above
    kernel.line(f"col_mask = {' & '.join(inside)}")
    kernel.line(f"cols = {_flat(kernel, cols.axes, named)}")
    cols.decoded.update({i: named[axis.leaves[0]] for i, axis in enumerate(cols.axes)})
    source = f"{above}.to(tl.int64)"
    for side in conv.sides:
        at = f"at_{side.name}" + (f" * {side.stride}" if side.stride != 1 else "")
        source = f"({source}) * packed_{side.name} + {at}" if " " in source else f"{source} * packed_{side.name} + {at}"
    group = " + batch * CHANNELS" if not conv.groups.is_one() else ""
    kernel.line(f"columns = ({source}) * (GROUPS * CHANNELS){group}")


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


def _sums(kernel: Kernel, job: Job, conv: Convolution) -> None:
    """acc = the sum over taps and channels; of fp32 parts the sums of a stretch go to it one after another."""
    parts = PARTS if job.schedule.stretch else 1
    image, weight = (kernel.pointer(packed_name(job, load)) for load in (conv.image, conv.weight))
    first_row = "rows.to(tl.int64)" if conv.groups.is_one() else "(batch * n_rows + rows)"
    kernel.line(f"weights = {weight} + {first_row} * ROW")
    kernel.line(f"columns = {image} + columns")
    if parts > 1:
        kernel.line("weight_part = (GROUPS * ROW) * n_rows.to(tl.int64)")
        sizes = " * ".join(["n_images.to(tl.int64)", *(f"packed_{side.name}" for side in conv.sides)])
        kernel.line(f"image_part = {sizes} * (GROUPS * CHANNELS)")
    _taps(kernel, conv)
    kernel.line("acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)")
    kernel.line(f"n_steps = n_taps * (ROW // ({conv.taps} * BLOCK_K))")
    if parts == 1:
        with kernel.block("for step in tl.range(0, n_steps):"):
            _step(kernel, conv, parts)
            how = ', input_precision="ieee"' if conv.image.dtype == "fp32" else ""
            kernel.line(f"acc = tl.dot(left_0, right_0, acc{how})")
        return
    kernel.constant("STRETCH", str(max(1, job.schedule.stretch // job.schedule.depth)))
    with kernel.block("for first in tl.range(0, n_steps, STRETCH):"):
        kernel.line("stretch = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)")
        with kernel.block("for step in tl.range(first, tl.minimum(first + STRETCH, n_steps)):"):
            _step(kernel, conv, parts)
            for left, right in ORDER:
                kernel.line(f"stretch = tl.dot(left_{left}, right_{right}, stretch)")
        kernel.line("acc += stretch")


def _taps(kernel: Kernel, conv: Convolution) -> None:
    """How many taps the results of this program have, and along each stepped side the first of them."""
    counts: list[str] = []
    for side in conv.outer:
        if side.step == 1:
            counts += [str(side.taps)] if side.taps > 1 else []
            continue
        turn, first, count = f"{side.name}_turn", f"{side.name}_first", f"{side.name}_taps"
        kernel.line(f"{turn} = {side.name}_phase + {side.offset}")
        share = f"{turn} // {side.common}" if side.common > 1 else turn
        kernel.line(f"{first} = {share} * {side.inverse} % {side.period}")
        found = f"tl.maximum({side.taps} + {side.period - 1} - {first}, 0) // {side.period}"
        if side.common > 1:
            found = f"tl.where({turn} % {side.common} == 0, {found}, 0)"
        kernel.line(f"{count} = {found}")
        start = f"({turn} - {-side.dilation} * {first}) // {side.step}"
        kernel.line(f"{side.name}_start = {start}{_plus(-side.lowest)}")
        counts.append(count)
    kernel.line(f"n_taps = {' * '.join(counts) or '1'}")


def _plus(number: int) -> str:
    return f" {'-' if number < 0 else '+'} {abs(number)}" if number else ""


def _step(kernel: Kernel, conv: Convolution, parts: int) -> None:
    """The tiles of one step: BLOCK_K elements of one tap."""
    blocks = f"ROW // ({conv.taps} * BLOCK_K)"
    kernel.line(f"taken = step // ({blocks})")
    kernel.line(f"block = step % ({blocks}) * BLOCK_K")
    above, left = "taken", [side for side in conv.outer if side.taps > 1]
    shift, tap = "", ""
    for side in reversed(left):
        count = f"{side.name}_taps" if side.step > 1 else str(side.taps)
        if side is left[0]:
            kernel.line(f"{side.name}_tap = {above}")
            continue
        kernel.line(f"{side.name}_tap = {above} % {count}")
        kernel.line(f"over_{side.name} = {above} // {count}")
        above = f"over_{side.name}"
    for side in conv.sides:
        offset, number = _read(side) if side in conv.outer else ("", "")
        shift = f"({shift}) * packed_{side.name}" if shift else ""
        shift = " + ".join(text for text in (shift, offset) if text)
        if side in conv.outer:
            tap = f"({tap}) * {side.taps}" if tap else ""
            tap = " + ".join(text for text in (tap, number) if text)
    kernel.line(f"shift = ({shift or '0'}) * (GROUPS * CHANNELS) + block")
    kernel.line(f"tap = ({tap or '0'}) * (ROW // {conv.taps}) + block")
    run = f"{conv.sides[-1].taps} * CHANNELS" if conv.runs else "CHANNELS"
    kernel.line("ks = tl.arange(0, BLOCK_K)")
    kernel.line(f"right_mask = col_mask & (block + ks[:, None] < {run})")
    for part in range(parts):
        behind = {0: "", 1: " + {0}_part", 2: " + {0}_part + {0}_part"}[part]
        kernel.line(
            f"left_{part} = tl.load(weights + (tap + ks[None, :]){behind.format('weight')}, "
            "mask=row_mask, other=0.0)"
        )
        kernel.line(
            f"right_{part} = tl.load(columns + (shift + ks[:, None]){behind.format('image')}, "
            "mask=right_mask, other=0.0)"
        )


def _read(side: Slide) -> tuple[str, str]:
    """Where a tap reads in the packed tensor, from the first place on, and which tap of the weight it is."""
    tap = f"{side.name}_tap" if side.taps > 1 else ""
    if side.step == 1:
        start = side.offset - side.lowest
        moved = f"{tap} * {side.dilation}" if side.dilation != 1 else tap
        return " + ".join(([str(start)] if start else []) + ([moved] if tap else [])), tap
    apart = -side.dilation // side.common
    back = f" - {f'{tap} * {apart}' if apart != 1 else tap}" if tap else ""
    along = f" + {f'{tap} * {side.period}' if side.period != 1 else tap}" if tap else ""
    return f"{side.name}_start{back}", f"{side.name}_first{along}"
