"""Adaptive pools: as many windows as are asked for, which may differ in size by one and overlap."""

from __future__ import annotations

from collections.abc import Sequence

from torch import fx

from ..expr import Position, SizeOf
from ..extent import Derived, Extent
from ..space import Affine, Axis, CannotFuseError
from .context import Context, Lowered, Value
from .products import combined
from .reductions import mean, reduce
from .table import lowers


@lowers("adaptive_avg_pool1d.default", "adaptive_avg_pool2d.default", "adaptive_avg_pool3d.default")
def _average(ctx: Context, node: fx.Node) -> Lowered:
    """Means of equal parts, where every traced size has such: one part is all of it."""
    x, sizes = ctx.value(node.args[0]), _sizes(ctx, node)
    dims = x.dims[-len(sizes) :]
    if all(
        size.divides(ctx.space.size(ctx.space.leaves(dim))) for dim, size in zip(dims, sizes, strict=True)
    ):
        return _of_equal_parts(ctx, node, x, sizes)
    seen, inside, counts = _windows(ctx, x, sizes)
    b = ctx.builder
    kept = b.apply("where", inside, b.cast(seen.node, "fp32"), b.number(0.0, "fp32"))
    total = reduce(ctx, Value(seen.dims, kept), _taps(seen, sizes), "sum", False, "fp32")
    count = counts[0]
    for one in counts[1:]:
        count = b.apply("mul", count, one, dtype="int64")
    return combined(ctx, "div", total, Value(total.dims, count))


@lowers("adaptive_max_pool1d.default", "adaptive_max_pool2d.default", "adaptive_max_pool3d.default")
def _largest(ctx: Context, node: fx.Node) -> Lowered:
    """The largest element of each window; where it stood is left to torch."""
    if any(user.args[1] == 1 and user.users for user in node.users):
        raise CannotFuseError("the places of an adaptive pool's largest elements are left to torch")
    x, sizes = ctx.value(node.args[0]), _sizes(ctx, node)
    seen, inside, _ = _windows(ctx, x, sizes)
    b, dtype = ctx.builder, ctx.builder.dtype(x.node)
    if not dtype.startswith(("fp", "bf")):
        raise CannotFuseError("an adaptive pool of integers")
    kept = b.apply("where", inside, seen.node, b.number(float("-inf"), dtype), dtype=dtype)
    found = reduce(ctx, Value(seen.dims, kept), _taps(seen, sizes), "max", False, dtype, "largest")
    return found, found


def _sizes(ctx: Context, node: fx.Node) -> Sequence[Extent]:
    """Of the result, along what is pooled."""
    rank = int(str(node.target).split("pool")[1][0])
    several = isinstance(node.meta["val"], tuple | list)
    return (ctx.traces.results(node)[0] if several else ctx.traces.shape(node))[-rank:]


def _of_equal_parts(ctx: Context, node: fx.Node, x: Value, sizes: Sequence[Extent]) -> Value:
    rank = len(sizes)
    dims: list[tuple[Axis, ...]] = list(x.dims[:-rank])
    parts: list[tuple[Axis, ...]] = []
    for dim, size in zip(x.dims[-rank:], sizes, strict=True):
        whole = ctx.space.size(ctx.space.leaves(dim))
        outer, inner = ctx.space.regroup(dim, (size, whole // size), node.name)
        dims.append(outer)
        parts.append(inner)
    seen = Value((*dims, *parts), x.node)
    return mean(ctx, seen, range(len(dims), len(seen.dims)), False)


def _windows(ctx: Context, x: Value, sizes: Sequence[Extent]) -> tuple[Value, int, list[int]]:
    """What each window reads, its taps last; whether a tap is among the window's; and how many are, for each
    dimension. Window y of n over `size` elements begins at floor(y size / n) and ends before
    ceil((y + 1) size / n), as torch's do."""
    b, space, rank = ctx.builder, ctx.space, len(sizes)
    node, inside, counts = x.node, b.number(True, "int1"), list[int]()
    places: list[tuple[Axis, ...]] = []
    taps: list[tuple[Axis, ...]] = []
    for dim, size in zip(x.dims[-rank:], sizes, strict=True):
        leaves, windows = space.leaves(dim), size.literal
        if len(leaves) != 1 or windows is None:
            raise CannotFuseError(
                "an adaptive pool over what was reshaped, or of a number that shapes change"
            )
        whole = space.sizes[leaves[0]]
        most = (whole + (windows - 1)) // size + 1
        ctx.derived.append(Derived(most, whole, 1, windows - 1, windows, 1))
        place, tap = space.dimension(size), space.dimension(most)
        length, count = b.add(SizeOf(whole, "int64")), b.number(windows, "int64")
        at, step = _position(ctx, place), _position(ctx, tap)
        first = _quotient(ctx, b.apply("mul", at, length, dtype="int64"), count, "begins")
        after = b.apply("add", at, b.number(1, "int64"), dtype="int64")
        over = b.apply("mul", after, length, dtype="int64")
        over = b.apply("add", over, b.number(windows - 1, "int64"), dtype="int64")
        end = _quotient(ctx, over, count, "ends")
        reads = b.apply("add", first, step, dtype="int64", hint="place")
        within = b.apply("lt", reads, end, dtype="int1")
        inside = b.apply("and", inside, within, dtype="int1")
        counts.append(b.apply("sub", end, first, dtype="int64"))
        node = b.gather(node, leaves[0], reads)
        places.append(place)
        taps.append(tap)
    return Value((*x.dims[:-rank], *places, *taps), node), inside, counts


def _position(ctx: Context, axes: Sequence[Axis]) -> int:
    one = ctx.traces.one
    terms = [(axis, one * step) for outer in axes for axis, step in ctx.space.weights(outer)]
    return ctx.builder.add(Position(Affine(tuple(terms), one.like(0)), "int64"))


def _quotient(ctx: Context, of: int, by: int, hint: str) -> int:
    return ctx.builder.apply("quotient", of, by, dtype="int64", hint=hint)


def _taps(seen: Value, sizes: Sequence[Extent]) -> range:
    return range(len(seen.dims) - len(sizes), len(seen.dims))
