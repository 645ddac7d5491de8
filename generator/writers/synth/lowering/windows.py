"""Operators that look at a tensor through a window: convolutions as matrix products, and pooling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import fx

from ..expr import Const, Position, SizeOf, Tap
from ..extent import Derived, Extent
from ..slides import span
from ..space import Affine, Axis, CannotFuseError
from .context import Context, Lowered, Value, source_of
from .products import combined, contract, operand
from .reductions import reduce
from .table import lowers


@dataclass(frozen=True)
class Window:
    """One spatial dimension: tap k of result y reads place (y stride + k dilation - before) / step."""

    taps: Extent
    stride: int
    dilation: int
    before: int
    step: int = 1


@lowers("conv1d.default", "conv2d.default", "conv3d.default", "conv1d.padding", "conv2d.padding",
        "conv3d.padding")  # fmt: skip
def _convolution(ctx: Context, node: fx.Node) -> Lowered:
    """result[n, o, y] = sum over c, k of weight[o, c, k] x[n, c, y stride + k dilation - before]."""
    x, weight = operand(ctx, node.args[0]), operand(ctx, node.args[1])
    rank = len(weight.dims) - 2
    if len(x.dims) != rank + 2:
        raise CannotFuseError("a convolution without a batch is left to torch")
    strides = _each(ctx.traces.arg(node, 3, "stride", 1), rank)
    dilations = _each(ctx.traces.arg(node, 5, "dilation", 1), rank)
    shape = ctx.traces.shape(_node(node.args[1]))[2:]
    before = _padding(ctx.traces.arg(node, 4, "padding", 0), rank, shape, dilations)
    windows = [Window(*w) for w in zip(shape, strides, dilations, before, strict=True)]
    result = ctx.traces.shape(node)
    given = ctx.traces.arg(node, 6, "groups", 1)
    groups = given if isinstance(given, Extent) else ctx.traces.one.like(given)
    return _gathered(ctx, node, x, weight, windows, result, groups)


@lowers("conv_transpose1d.default", "conv_transpose2d.input", "conv_transpose3d.input")
def _transposed_convolution(ctx: Context, node: fx.Node) -> Lowered:
    """result[n, o, y] = sum over c, k of weight[c, o, k] x[n, c, (y + padding - k dilation) / stride], where
    the stride divides that."""
    x, weight = operand(ctx, node.args[0]), operand(ctx, node.args[1])
    rank = len(weight.dims) - 2
    if len(x.dims) != rank + 2:
        raise CannotFuseError("a convolution without a batch is left to torch")
    steps = _each(ctx.traces.arg(node, 3, "stride", 1), rank)
    before = _each(ctx.traces.arg(node, 4, "padding", 0), rank)
    dilations = _each(ctx.traces.arg(node, 7, "dilation", 1), rank)
    shape = ctx.traces.shape(_node(node.args[1]))[2:]
    windows = [
        Window(taps, 1, -apart, -padding, step)
        for taps, step, padding, apart in zip(shape, steps, before, dilations, strict=True)
    ]
    given = ctx.traces.arg(node, 6, "groups", 1)
    groups = given if isinstance(given, Extent) else ctx.traces.one.like(given)
    return _gathered(ctx, node, x, weight, windows, ctx.traces.shape(node), groups, transposed=True)


def _gathered(
    ctx: Context, node: fx.Node, x: Value, weight: Value, windows: Sequence[Window],
    result: Sequence[Extent], groups: Extent, *, transposed: bool = False,
) -> Value:  # fmt: skip
    """Weights by windows, group by group: rows are output channels, columns the places of the result."""
    space = ctx.space
    out = [space.dimension(size) for size in result[2:]]
    _derive(ctx, x.dims[2:], result[2:], windows)
    _derive_packed(ctx, result[2:], windows)
    x = _seen_through(ctx, x, windows, out, weight.dims[2:], zero=True)
    batch, channels = x.dims[0], x.dims[1]
    group: tuple[Axis, ...] = ()
    outer, inner = weight.dims[0], weight.dims[1]
    if not groups.is_one():
        group, channels = space.regroup(
            channels, (groups, space.size(space.leaves(channels)) // groups), node.name
        )
        shared, outer = space.regroup(outer, (groups, space.size(space.leaves(outer)) // groups), node.name)
        group = space.unify(shared, group, "groups")
    places, taps = "uvw"[: len(out)], "xyz"[: len(out)]
    channels_of_weight = "co" if transposed else "oc"
    weight = Value((group, outer, inner, *weight.dims[2:]), weight.node)
    seen = Value((batch, group, channels, *out, *weight.dims[3:]), x.node)
    labels = f"g{channels_of_weight}{taps}"
    found = contract(ctx, weight, labels, seen, f"ngc{places}{taps}", f"ngo{places}")
    n, g, o, *rest = found.dims
    found = Value((n, (*g, *o), *rest), found.node)
    bias = ctx.traces.arg(node, 2, "bias")
    if bias is None:
        return found
    by_channel = ctx.value(bias)
    return combined(ctx, "add", found, Value((by_channel.dims[0], *((),) * len(out)), by_channel.node))


def _seen_through(
    ctx: Context, x: Value, windows: Sequence[Window], out: Sequence[tuple[Axis, ...]],
    taps: Sequence[tuple[Axis, ...]], *, zero: bool = False, over: bool = False,
) -> Value:  # fmt: skip
    """The value at the places of the windows, in each of its last dimensions; padding counts as nothing, and
    where `zero` is set as 0, so that a window may slide over a dimension of one element. With `over` the last
    window need not be filled."""
    space, b, moves = ctx.space, ctx.builder, dict[Axis, Tap]()
    first = len(x.dims) - len(out)
    inside = b.number(True, "int1")
    for dim, window, place, tap in zip(x.dims[first:], windows, out, taps, strict=True):
        leaves, at = space.leaves(dim), _at(ctx, window, place, tap)
        if len(leaves) > 1:
            raise CannotFuseError("a window runs over a dimension that was joined or cut before")
        if leaves:
            may = window.step == 1 and window.stride > 1 and (over or window.before > 0)
            moves[leaves[0]] = Tap(at, space.sizes[leaves[0]], ctx.traces.one, window.step, may)
        elif window.before or not window.taps.is_one():
            if not zero:
                raise CannotFuseError("a window slides over a dimension of one element")
            only = b.apply("eq", b.add(Position(at, "int64")), b.number(0, "int64"), dtype="int1")
            inside = b.apply("and", inside, only, dtype="int1")
    seen = b.tapped(x.node, moves)
    if not isinstance(b.nodes[inside], Const):
        dtype = b.dtype(seen)
        seen = b.apply("where", inside, seen, b.number(0, dtype), dtype=dtype)
    return Value((*x.dims[:first], *out), seen)


def _at(ctx: Context, window: Window, place: Sequence[Axis], tap: Sequence[Axis]) -> Affine:
    """The place that a tap of a window reads, times the window's step."""
    space, one = ctx.space, ctx.traces.one
    terms = [(a, one.like(window.stride) * step) for axis in place for a, step in space.weights(axis)]
    terms += [(a, one.like(window.dilation) * step) for axis in tap for a, step in space.weights(axis)]
    return Affine(tuple(terms), one.like(-window.before))


def _derive(
    ctx: Context,
    dims: Sequence[tuple[Axis, ...]],
    result: Sequence[Extent],
    windows: Sequence[Window],
    *,
    over: bool = False,
) -> None:
    """Note how the sizes of the result follow from those of the tensor, where no shape changes the window.

    The last window may reach `over` the end: then a rest that is shorter than a stride counts as one.
    """
    for dim, size, window in zip(dims, result, windows, strict=True):
        of = ctx.space.size(ctx.space.leaves(dim))
        taps, rest = window.taps.literal, (size - of * window.step).literal
        if window.step == 1 and taps is not None and window.dilation > 0:
            add = 2 * window.before - window.dilation * (taps - 1) - 1 + over * (window.stride - 1)
            derived = Derived(size, of, 1, add, window.stride, 1)
        elif rest is not None:
            derived = Derived(size, of, window.step, rest, 1, 0)
        else:
            continue
        if derived.holds:
            ctx.derived.append(derived)


def _derive_packed(ctx: Context, result: Sequence[Extent], windows: Sequence[Window]) -> None:
    """Note how many results a phase has, and how many places its windows reach, padding with them."""
    for size, window in zip(result, windows, strict=True):
        if (taps := window.taps.literal) is None:
            continue
        reach, step, stride = (
            span(taps, window.dilation, -window.before, window.step),
            window.step,
            window.stride,
        )
        walked = (size + (step - 1)) // size.like(step)
        packed = (walked - 1) * stride + reach
        if step > 1:
            ctx.derived.append(Derived(walked, size, 1, step - 1, step, 0))
            ctx.derived.append(Derived(packed, size, 1, step - 1, step, reach - 1))
        else:
            ctx.derived.append(Derived(packed, size, stride, reach - stride, 1, 0))


def _each(value: Any, rank: int) -> list[int]:
    values = list(value) if isinstance(value, list | tuple) else [value]
    if not all(isinstance(v, int) for v in values):
        raise CannotFuseError("a window changes with the shapes")
    return values * rank if len(values) == 1 else values


def _padding(value: Any, rank: int, shape: Sequence[Extent], dilations: Sequence[int]) -> list[int]:
    """Elements before the tensor; "same" puts the smaller half there."""
    if value == "valid":
        return [0] * rank
    if value != "same":
        return _each(value, rank)
    if any(size.literal is None for size in shape):
        raise CannotFuseError("a window changes with the shapes")
    return [d * (size.full - 1) // 2 for d, size in zip(dilations, shape, strict=True)]


def _node(arg: Any) -> fx.Node:
    if not isinstance(arg, fx.Node):
        raise CannotFuseError("a convolution's weight is no tensor")
    return arg


@lowers("max_pool1d.default", "max_pool2d.default", "max_pool3d.default")
def _max_pool(ctx: Context, node: fx.Node) -> Lowered:
    """The largest element of each window; one that reaches over the end has fewer, as padding loses."""
    windows = _windows(ctx, node, ctx.traces.arg(node, 4, "dilation", 1))
    seen = _pooled(ctx, node, windows, over=bool(ctx.traces.arg(node, 5, "ceil_mode", False)))
    first = len(seen.dims) - len(windows)
    return reduce(ctx, seen, range(first, len(seen.dims)), "max", False, ctx.result_type(node), "largest")


@lowers("avg_pool1d.default", "avg_pool2d.default", "avg_pool3d.default")
def _avg_pool(ctx: Context, node: fx.Node) -> Lowered:
    """The sum over each window by its elements: all of them, those on the tensor and its padding, or those on
    the tensor, as `ceil_mode` and `count_include_pad` have it."""
    over = bool(ctx.traces.arg(node, 4, "ceil_mode", False))
    padding_counts = bool(ctx.traces.arg(node, 5, "count_include_pad", True))
    windows = _windows(ctx, node, 1)
    sizes = ctx.traces.shape(source_of(node))[-len(windows) :]
    seen = _pooled(ctx, node, windows, over=over)
    first = len(seen.dims) - len(windows)
    total = reduce(ctx, seen, range(first, len(seen.dims)), "sum", False, "fp32")
    divisor = ctx.traces.arg(node, 6, "divisor_override")
    if divisor is not None:
        return combined(ctx, "div", total, ctx.value(divisor))
    whole, parts = ctx.traces.one, list[int]()
    for axes, window, size in zip(total.dims[-len(windows) :], windows, sizes, strict=True):
        if over or (window.before and not padding_counts):
            parts.append(_covered(ctx, axes, window, size, padding_counts))
        else:
            whole = whole * window.taps
    count = ctx.value(whole).node
    for part in parts:
        alone = part == parts[0] and whole.is_one()
        count = part if alone else ctx.builder.apply("mul", count, part, dtype="int64")
    return combined(ctx, "div", total, Value(total.dims, count))


def _covered(ctx: Context, axes: Sequence[Axis], window: Window, size: Extent, padding_counts: bool) -> int:
    """How many elements of one dimension each window covers."""
    b, border = ctx.builder, window.before if padding_counts else 0
    start = b.add(Position(_at(ctx, window, axes, ()), "int64"))
    end = b.apply("add", start, ctx.value(window.taps).node, dtype="int64")
    last = b.add(SizeOf(size + border, "int64"))
    end = b.apply("minimum", end, last, dtype="int64")
    if not padding_counts:
        start = b.apply("maximum", start, b.number(0, "int64"), dtype="int64")
    return b.apply("sub", end, start, dtype="int64")


def _windows(ctx: Context, node: fx.Node, dilation: Any) -> list[Window]:
    """The window of each pooled dimension."""
    rank = int(str(node.target).split("pool")[1][0])
    sizes = _each(ctx.traces.arg(node, 1, "kernel_size"), rank)
    given = ctx.traces.arg(node, 2, "stride", [])
    strides = _each(given, rank) if given not in ([], None) else sizes
    before, one = _each(ctx.traces.arg(node, 3, "padding", 0), rank), ctx.traces.one
    return [
        Window(one.like(size), stride, apart, padding)
        for size, stride, apart, padding in zip(sizes, strides, _each(dilation, rank), before, strict=True)
    ]


def _pooled(ctx: Context, node: fx.Node, windows: Sequence[Window], *, over: bool) -> Value:
    """The tensor seen through its windows, whose axes come last."""
    rank, x = len(windows), ctx.value(node.args[0])
    result = ctx.traces.shape(node)[-rank:]
    _derive(ctx, x.dims[-rank:], result, windows, over=over)
    out = [ctx.space.dimension(size) for size in result]
    taps = [ctx.space.dimension(w.taps) for w in windows]
    seen = _seen_through(ctx, x, windows, out, taps, zero="avg_pool" in str(node.target), over=over)
    return Value((*seen.dims, *taps), seen.node)
