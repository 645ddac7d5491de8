"""The factors of a convolution as the next kernel multiplies them: channels side by side, padding in place.

A tensor (image, channel, place) becomes (place with its padding, channel), a weight (row, channel, tap)
becomes (row, tap, channel); fp32 numbers become three of bf16 where these are what is multiplied.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..convolutions import Convolution
from ..emit.kernel import Kernel
from ..emit.text import term
from ..expr import Load
from ..space import Axis
from .job import Job
from .parts import PARTS, store_parts

TILE, STRETCH = 4096, 2048
"""Elements of the tensor, and of the weight, that a program packs."""

MOST_CHANNELS = 64
"""Channels of a program's tile: 128 bytes of bf16 are written side by side."""


def packed_name(job: Job, load: Load) -> str:
    return f"{job.tensors[load.buffer]}_packed"


def pack_kernels(job: Job, conv: Convolution) -> tuple[list[Kernel], list[tuple[str, str]]]:
    """The kernels for the tensor and the weight, and what they write with its type."""
    parts = PARTS if job.schedule.stretch else 1
    kernels = [_pack_image(job, conv, parts), _pack_weight(job, conv, parts)]
    dtype = "bf16" if parts > 1 else conv.image.dtype
    return kernels, [(packed_name(job, load), dtype) for load in (conv.image, conv.weight)]


def _kernel(job: Job, conv: Convolution, word: str, doc: str, parts: int) -> Kernel:
    kernel = Kernel(f"{job.name}_{word}_kernel", f"{doc}, channels side by side.")
    if parts > 1:
        kernel.note = "Each number becomes three of bf16, of which it is the sum."
    declare(kernel, job, conv)
    return kernel


def declare(kernel: Kernel, job: Job, conv: Convolution) -> None:
    """Sizes and constants of the packed tensors, which both kernels have."""
    kernel.size("n_rows", conv.rows)
    kernel.size("n_images", conv.images)
    for side in conv.sides:
        kernel.size(f"packed_{side.name}", side.packed)
    along = f"{conv.sides[-1].taps} * " if conv.runs else ""
    depth = job.schedule.depth
    kernel.made |= {
        "packed_channels": f"triton.cdiv(n_channels, {conv.unit}) * {conv.unit}",
        "packed_row": f"{conv.taps} * triton.cdiv({along}packed_channels, {depth}) * {depth}",
    }
    kernel.constant("GROUPS", conv.groups)
    kernel.constant("CHANNELS", "packed_channels")
    kernel.constant("ROW", "packed_row")


def _pack_image(job: Job, conv: Convolution, parts: int) -> Kernel:
    kernel = _kernel(job, conv, "image", "One tile of places and channels a program", parts)
    block = min(MOST_CHANNELS, 1 << (conv.groups.full * conv.held - 1).bit_length())
    kernel.constant("BLOCK_C", str(block))
    kernel.constant("BLOCK_P", str(TILE // block))
    packed = ["n_images", *(f"packed_{side.name}" for side in conv.sides)]
    kernel.line(f"n_packed = {' * '.join(packed)}")
    kernel.line("channel_blocks = tl.cdiv(GROUPS * CHANNELS, BLOCK_C)")
    kernel.line("program = tl.program_id(0)")
    several = not conv.groups.is_one()
    kernel.line("places = program // channel_blocks * BLOCK_P + tl.arange(0, BLOCK_P)[None, :]")
    kernel.line("channels = program % channel_blocks * BLOCK_C + tl.arange(0, BLOCK_C)[:, None]")
    kernel.line(f"channel = {'channels % CHANNELS' if several else 'channels'}")
    kernel.line("kept = (places < n_packed) & (channels < GROUPS * CHANNELS)")
    inside, above = ["kept", "(channel < n_channels)"], "places"
    kernel.size("n_channels", conv.channels)
    addresses: list[str] = []
    for side in reversed(conv.sides):
        at, below = f"at_{side.name}", f" - {-side.lowest}" if side.lowest < 0 else f" + {side.lowest}"
        kernel.line(f"{at} = {above} % packed_{side.name}{below if side.lowest else ''}")
        kernel.line(f"above_{side.name} = {above} // packed_{side.name}")
        above = f"above_{side.name}"
        inside += [f"({at} >= 0)"] if side.lowest < 0 else []
        inside.append(f"({at} < {kernel.size(side.name, side.length)})")
        addresses.append(term(at, kernel.scalar(side.pitch, f"{side.name}_stride")))
    if several:
        kernel.line("group = channels // CHANNELS")
    fixed = (("channel", conv.channel), ("group", conv.group), (f"{above}.to(tl.int64)", conv.batch))
    addresses += _strides(kernel, job, conv.image, fixed)
    kernel.line(f"inside = {' & '.join(inside)}")
    _load(kernel, job, conv.image, addresses)
    kernel.line("target = places.to(tl.int64) * (GROUPS * CHANNELS) + channels")
    kernel.line("apart = tl.cast(n_packed, tl.int64) * (GROUPS * CHANNELS)")
    name = packed_name(job, conv.image)
    store_parts(kernel, name, "target", "kept", "apart", parts)
    kernel.shapes[name] = _shape([*packed, "{GROUPS} * packed_channels"], parts)
    kernel.made["place_blocks"] = f"triton.cdiv({' * '.join(packed)}, {{BLOCK_P}})"
    kernel.made["channel_blocks"] = "triton.cdiv({GROUPS} * packed_channels, {BLOCK_C})"
    kernel.grid = "(place_blocks * channel_blocks,)"
    return kernel


def _shape(sizes: list[str], parts: int) -> str:
    return f"({', '.join([*([str(parts)] if parts > 1 else []), *sizes])})"


def _pack_weight(job: Job, conv: Convolution, parts: int) -> Kernel:
    kernel = _kernel(job, conv, "weight", "One stretch of the weight's rows a program", parts)
    kernel.constant("BLOCK", str(STRETCH))
    kernel.size("n_channels", conv.channels)
    several = not conv.groups.is_one()
    kernel.line("index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)")
    kernel.line(f"at_row = index % (ROW // {conv.taps})")
    kernel.line(f"taken = index // (ROW // {conv.taps})")
    kernel.line("apart = GROUPS * n_rows * ROW")
    inside = ["(index < apart)"]
    kernel.line(f"channel = {'at_row % CHANNELS' if conv.runs else 'at_row'}")
    inside.append("(channel < n_channels)")
    if conv.runs:
        inside.append(f"(at_row < {conv.sides[-1].taps} * CHANNELS)")
        kernel.line("tap_width = at_row // CHANNELS")
    above = "taken"
    for side in reversed(conv.outer):
        kernel.line(f"tap_{side.name} = {above} % {side.taps}")
        kernel.line(f"over_{side.name} = {above} // {side.taps}")
        above = f"over_{side.name}"
    row, fixed = above, [("channel", conv.channel), *((f"tap_{s.name}", s.tap) for s in conv.sides)]
    if several:
        kernel.line(f"row_of_group = {above} % n_rows")
        row = "row_of_group"
        fixed.append((f"({above} // n_rows)", conv.group))
    addresses = _strides(kernel, job, conv.weight, [*fixed, (row, conv.row)])
    kernel.line(f"inside = {' & '.join(inside)}")
    _load(kernel, job, conv.weight, addresses)
    kernel.line("kept = index < apart")
    name = packed_name(job, conv.weight)
    store_parts(kernel, name, "index", "kept", "apart", parts)
    kernel.shapes[name] = _shape(["{GROUPS} * n_rows", "packed_row"], parts)
    kernel.made["weight_blocks"] = "triton.cdiv({GROUPS} * n_rows * packed_row, {BLOCK})"
    kernel.grid = "(weight_blocks,)"
    return kernel


def _load(kernel: Kernel, job: Job, load: Load, terms: list[str]) -> None:
    """The variable `number`, from the address that the terms make, the last of them first."""
    source = kernel.pointer(job.tensors[load.buffer])
    kernel.line(f"offset = {terms[-1]}")
    for added in terms[-2::-1]:
        kernel.line(f"offset += {added}")
    kernel.line(f"number = tl.load({source} + offset, mask=inside, other=0.0)")


def _strides(kernel: Kernel, job: Job, load: Load, places: Iterable[tuple[str, Axis | None]]) -> list[str]:
    """Terms of an address: places on the axes that the tensor has, times their strides."""
    index = job.loops.region.builder.space.resolve(load.index)
    steps = dict(index.terms)
    found = [
        term(place, kernel.scalar(steps[axis], f"{job.tensors[load.buffer]}_stride"))
        for place, axis in places
        if axis in steps
    ]
    return found if index.constant.is_zero() else [kernel.scalar(index.constant, "offset"), *found]
