"""The sums of a convolution over packed factors: tap after tap, a stretch of channels a step.

Tiles are brought by threads, all parts of fp32 factors in one step; or by the copy engine as boxes of
neighbouring places and of rows, one product of parts a step. Matrix units cut their sums off with every
addition, so that no addition of a small product may meet a large sum: threads' steps begin each with the
smallest product and go to the sums in registers, boxes take each product for a whole stretch.
"""

from __future__ import annotations

from ..convolutions import Convolution
from ..emit.kernel import Kernel
from ..slides import Slide
from .job import Job
from .packing import packed_name
from .parts import PARTS, choose_parts

ORDER = ((2, 0), (0, 2), (1, 1), (1, 0), (0, 1), (0, 0))
"""Products of parts of left and right, the smallest first."""


def sums_over_taps(kernel: Kernel, job: Job, conv: Convolution) -> None:
    """acc = the sum over taps and channels, of fp32 parts from step to step or from stretch to stretch."""
    if job.schedule.descriptors:
        _sums_of_boxes(kernel, job, conv)
        return
    parts = PARTS if job.schedule.stretch else 1
    image, weight = (kernel.pointer(packed_name(job, load)) for load in (conv.image, conv.weight))
    first_row = "rows.to(tl.int64)" if conv.groups.is_one() else "(batch * n_rows + rows)"
    kernel.line(f"weights = {weight} + {first_row} * ROW")
    kernel.line(f"columns = {image} + columns")
    if parts > 1:
        kernel.line("weight_part = tl.cast(n_rows, tl.int64) * (GROUPS * ROW)")
        sizes = " * ".join(["tl.cast(n_images, tl.int64)", *(f"packed_{side.name}" for side in conv.sides)])
        kernel.line(f"image_part = {sizes} * (GROUPS * CHANNELS)")
    _taps(kernel, conv)
    kernel.line("acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)")
    kernel.line(f"n_steps = n_taps * (ROW // ({conv.taps} * BLOCK_K))")
    with kernel.block("for step in tl.range(0, n_steps):"):
        _step(kernel, conv, parts)
        if parts == 1:
            how = ', input_precision="ieee"' if conv.image.dtype == "fp32" else ""
            kernel.line(f"acc = tl.dot(left_0, right_0, acc{how})")
            return
        smaller, (left, right) = ORDER[:-1], ORDER[-1]
        for number, (one, other) in enumerate(smaller):
            behind = ", part" if number else ""
            kernel.line(f"part = tl.dot(left_{one}, right_{other}{behind})")
        kernel.line(f"acc += tl.dot(left_{left}, right_{right}, part)")


def _sums_of_boxes(kernel: Kernel, job: Job, conv: Convolution) -> None:
    """The same where the copy engine brings the tiles: boxes of neighbouring places and of rows."""
    image, weight = (packed_name(job, load) for load in (conv.image, conv.weight))
    row, held = ("packed_row", "packed_channels")
    kernel.descriptors[f"{weight}_tiles"] = (
        f"tiles_of({weight}, ({weight}.numel() // {row}, {row}), ({row}, 1), ({{BLOCK_M}}, {{BLOCK_K}}))"
    )
    kernel.descriptors[f"{image}_tiles"] = (
        f"tiles_of({image}, ({image}.numel() // {held}, {held}), ({held}, 1), ({{BLOCK_N}}, {{BLOCK_K}}))"
    )
    _taps(kernel, conv)
    kernel.line("acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)")
    kernel.line(f"n_steps = n_taps * (ROW // ({conv.taps} * BLOCK_K))")
    left = f"{weight}_tiles.load([{{0}}tile_row * BLOCK_M, tap])"
    right = f"{image}_tiles.load([{{0}}first_place + shift, block]).T"
    kernel.line("first_place = program * BLOCK_N")
    if not job.schedule.stretch:
        with kernel.block("for step in tl.range(0, n_steps):"):
            _address(kernel, conv, "")
            kernel.line(f"acc = tl.dot({left.format('')}, {right.format('')}, acc)")
        return
    kernel.constant("STRETCH", str(max(1, job.schedule.stretch // job.schedule.depth)))
    with kernel.block("for first in tl.range(0, n_steps, STRETCH):"):
        kernel.line("steps = tl.minimum(n_steps - first, STRETCH)")
        kernel.line("stretch = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)")
        with kernel.block(f"for turn in tl.range(0, {len(ORDER)} * steps):"):
            kernel.line("product = turn // steps")
            kernel.line("step = first + turn % steps")
            choose_parts(kernel)
            _address(kernel, conv, "")
            parts = left.format("left_part * n_rows + "), right.format("right_part * n_places + ")
            kernel.line(f"stretch = tl.dot({', '.join(parts)}, stretch)")
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
    _address(kernel, conv, " * (GROUPS * CHANNELS) + block")
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


def _address(kernel: Kernel, conv: Convolution, elements: str) -> None:
    """Where a step reads: `block` of the channels, `tap` in a row of the weight, `shift` from each column's
    first place on, in places or, with what they are times, in `elements`."""
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
        shift = f"{_tight(shift)} * packed_{side.name}" if shift else ""
        shift = " + ".join(text for text in (shift, offset) if text)
        if side in conv.outer:
            tap = f"{_tight(tap)} * {side.taps}" if tap else ""
            tap = " + ".join(text for text in (tap, number) if text)
    kernel.line(f"shift = ({shift or '0'}){elements}")
    kernel.line(f"tap = ({tap or '0'}) * (ROW // {conv.taps}) + block")


def _tight(text: str) -> str:
    return f"({text})" if " " in text else text


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
