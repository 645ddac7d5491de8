"""Tensors side by side: concatenation, stacking and padding, which read each part where it lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from torch import fx

from ..expr import Choose, Tap
from ..extent import Derived, Extent, Total
from ..space import Affine, Axis, CannotFuseError
from .context import Context, Lowered, Value
from .table import lowers

MOST_PARTS, MOST_BEHIND = 4, 8
"""Tensors that one kernel joins: equal ones, each written by its own lines, and ones of different size."""


@lowers("cat.default", "concat.default", "concatenate.default")
def _cat(ctx: Context, node: fx.Node) -> Lowered:
    parts = list(node.args[0])  # type: ignore[arg-type]
    dim = int(ctx.traces.arg(node, 1, "dim", 0)) % len(ctx.traces.shape(node))
    sizes = [ctx.traces.shape(p)[dim] for p in parts]
    if len(set(sizes)) > 1 or MOST_PARTS < len(parts) <= MOST_BEHIND:
        return _one_behind_the_other(ctx, node, parts, dim, sizes)
    return _join(ctx, node, parts, dim, stacked=False)


@lowers("stack.default")
def _stack(ctx: Context, node: fx.Node) -> Lowered:
    parts = list(node.args[0])  # type: ignore[arg-type]
    dim = int(ctx.traces.arg(node, 1, "dim", 0)) % len(ctx.traces.shape(node))
    return _join(ctx, node, parts, dim, stacked=True)


def _few(ctx: Context, node: fx.Node, parts: Sequence[Any], most: int) -> list[Value]:
    if len(parts) > most:
        raise CannotFuseError(f"{node.name} joins {len(parts)} tensors")
    return [ctx.value(p) for p in parts]


def _join(ctx: Context, node: fx.Node, parts: list[Any], dim: int, *, stacked: bool) -> Value:
    """Concatenate equal parts: a new unrolled axis chooses among them, so both halves share one pass."""
    values = _few(ctx, node, parts, MOST_PARTS)
    dims = ctx.broadcast(values)
    dtype = ctx.result_type(node)
    axis = ctx.space.fresh(ctx.traces.one.like(len(values)))
    options = tuple(ctx.builder.cast(v.node, dtype) for v in values)
    chosen = ctx.builder.add(Choose(axis, options, dtype))
    if stacked:
        return Value((*dims[:dim], (axis,), *dims[dim:]), chosen)
    return Value((*dims[:dim], (axis, *dims[dim]), *dims[dim + 1 :]), chosen)


def _one_behind_the_other(
    ctx: Context, node: fx.Node, parts: list[Any], dim: int, sizes: Sequence[Extent]
) -> Value:
    """Concatenate parts of different sizes: each element is read from the part that its place falls into."""
    b, dtype = ctx.builder, ctx.result_type(node)
    values = _few(ctx, node, parts, MOST_BEHIND)
    whole = ctx.traces.shape(node)[dim]
    place = ctx.space.fresh(whole)
    rest = ctx.broadcast([Value((*v.dims[:dim], (), *v.dims[dim + 1 :]), v.node) for v in values])
    starts = list(accumulate(sizes, initial=ctx.traces.one.like(0)))
    ctx.derived += [Total(end, tuple(sizes[: i + 2])) for i, end in enumerate(starts[2:])]
    moved = [
        b.cast(_read_at(ctx, value, {dim: (place, start)}), dtype)
        for value, start in zip(values, starts, strict=False)
    ]
    position, chosen = ctx.position((place,)), moved.pop()
    for part, end in reversed(list(zip(moved, starts[1:], strict=False))):
        here = b.apply("lt", position, b.cast(ctx.value(end).node, "int64"), dtype="int1")
        chosen = b.apply("where", here, part, chosen, dtype=dtype)
    return Value((*rest[:dim], (place,), *rest[dim + 1 :]), chosen)


@lowers("roll.default")
def _roll(ctx: Context, node: fx.Node) -> Lowered:
    """Dimensions turned round: what leaves at the end comes in at the start, as in a join of two slices."""
    shifts, dims = (ctx.traces.arg(node, i, name, []) for i, name in ((1, "shifts"), (2, "dims")))
    x, b = ctx.value(node.args[0]), ctx.builder
    if len(dims) != len(shifts) or not all(isinstance(s, int) for s in shifts):
        raise CannotFuseError("a tensor is turned round as a whole, or by as much as shapes say")
    for dim, shift in zip((d % len(x.dims) for d in dims), shifts, strict=True):
        size = ctx.space.size(ctx.space.leaves(x.dims[dim]))
        if not x.dims[dim] or not shift:
            continue
        first = Extent(tuple(shift % n for n in size.values))
        place = ctx.space.fresh(size)
        moved = _read_at(ctx, x, {dim: (place, first)})
        around = _read_at(ctx, x, {dim: (place, first - size)})
        start = b.cast(ctx.value(first if first.literal is None else first.full).node, "int64")
        dtype, early = b.dtype(moved), b.apply("lt", ctx.position((place,)), start, dtype="int1")
        chosen = b.apply("where", early, around, moved, dtype=dtype)
        x = Value((*x.dims[:dim], (place,), *x.dims[dim + 1 :]), chosen)
    return x


def _read_at(ctx: Context, x: Value, places: Mapping[int, tuple[Axis, Extent]]) -> int:
    """The value with some dimensions read at `place - start`; nothing is read outside of it."""
    one, taps = ctx.traces.one, dict[Axis, Tap]()
    for dim, (place, start) in places.items():
        leaves = ctx.space.leaves(x.dims[dim])
        if len(leaves) > 1:
            raise CannotFuseError("a dimension that was reshaped is joined with another or padded")
        for leaf in leaves:
            taps[leaf] = _tap(place, start, ctx.space.sizes[leaf], one)
    return ctx.builder.tapped(x.node, taps)


def _tap(place: Axis, start: Extent, size: Extent, one: Extent) -> Tap:
    return Tap(Affine(((place, one),), start.like(0) - start), size, one, part=True)


@lowers("pad.default", "constant_pad_nd.default")
def _pad(ctx: Context, node: fx.Node) -> Lowered:
    """A border of one value around a tensor, dimensions given from the last."""
    named = "constant_pad" not in str(node.target)
    if named and ctx.traces.arg(node, 2, "mode", "constant") != "constant":
        raise CannotFuseError("padding by the tensor's own elements is left to torch")
    given = ctx.traces.arg(node, 3 if named else 2, "value", 0)
    borders = ctx.traces.arg(node, 1, "pad")
    if any(not isinstance(n, int) or n < 0 for n in borders):
        raise CannotFuseError("a border that is cut off, or changes with the shapes")
    b, one, dtype = ctx.builder, ctx.traces.one, ctx.result_type(node)
    x, shape = ctx.value(node.args[0]), ctx.traces.shape(node)
    inside, places = b.number(True, "int1"), dict[int, tuple[Axis, Extent]]()
    for i, (before, after) in enumerate(zip(borders[::2], borders[1::2], strict=True)):
        dim = len(shape) - 1 - i
        if before or after:
            place, start = ctx.space.fresh(shape[dim]), one.like(before)
            places[dim] = place, start
            size = ctx.space.size(ctx.space.leaves(x.dims[dim]))
            inside = b.apply("and", inside, b.within(_tap(place, start, size, one)), dtype="int1")
            ctx.derived.append(Derived(shape[dim], size, 1, before + after, 1, 0))
    moved = b.cast(_read_at(ctx, x, places), dtype)
    outside = b.cast(ctx.value(0 if given is None else given).node, dtype)
    dims = tuple((places[d][0],) if d in places else axes for d, axes in enumerate(x.dims))
    return Value(dims, b.apply("where", inside, moved, outside, dtype=dtype))
