"""Views: reshape, permute, broadcast, slice, flip; they move indices and cost nothing in a kernel."""

from __future__ import annotations

from typing import Any

from torch import fx

from ..algebra.marks import run_of
from ..extent import Derived, Dividing, Extent
from ..space import Affine, Axis, CannotFuseError, Dims
from .context import Context, Lowered, Value, source_of
from .reductions import reduce_dims
from .table import lowers


@lowers("view.default", "reshape.default", "_unsafe_view.default", "flatten.using_ints", "unflatten.int",
        "squeeze.default", "squeeze.dim", "squeeze.dims", "unsqueeze.default", "ravel.default",
        "view_as.default", "reshape_as.default")  # fmt: skip
def _reshape(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    axes, shape = [a for dim in x.dims for a in dim], ctx.traces.shape(node)
    if (run := run_of(node)) is not None:
        derived = Dividing(shape[run.dim], shape[run.dim - 1] * shape[run.dim], run.most)
        ctx.derived += [derived] if derived.holds else []
    return Value(ctx.space.regroup(axes, shape, node.name), x.node)


@lowers("broadcast_tensors.default")
def _broadcast_together(ctx: Context, node: fx.Node) -> Lowered:
    given = node.args[0]
    values = [ctx.value(a) for a in (given if isinstance(given, list | tuple) else [given])]
    dims = ctx.broadcast(values)
    return tuple(Value(dims, value.node) for value in values)


@lowers("alias.default", "detach.default")
def _same(ctx: Context, node: fx.Node) -> Lowered:
    return ctx.value(node.args[0])


@lowers("permute.default", "transpose.int", "swapaxes.default", "swapdims.default", "t.default",
        "numpy_T.default", "mT.default", "adjoint.default", "movedim.int", "movedim.intlist")  # fmt: skip
def _permute(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    return Value(tuple(x.dims[d] for d in _order(node, len(x.dims))), x.node)


def _order(node: fx.Node, rank: int) -> list[int]:
    """Which dimension of the argument each dimension of the result is."""
    name, order = str(node.target).split(".")[1], list(range(rank))
    given: list[Any] = [a if isinstance(a, list | tuple) else [a] for a in node.args[1:]]
    places = [[int(d) % rank for d in dims] for dims in given]
    if name == "permute":
        return places[0]
    if name in ("transpose", "swapaxes", "swapdims"):
        (i,), (j,) = places
        order[i], order[j] = order[j], order[i]
    elif name == "movedim":
        moved = dict(zip(places[1], places[0], strict=True))
        rest = iter(d for d in order if d not in places[0])
        order = [moved[d] if d in moved else next(rest) for d in order]
    elif name in ("mT", "adjoint"):
        order[-2:] = order[-1], order[-2]
    else:
        order.reverse()
    return order


@lowers("flip.default")
def _flip(ctx: Context, node: fx.Node) -> Lowered:
    """Dimensions read from their ends."""
    x = ctx.value(node.args[0])
    for dim in reduce_dims(len(x.dims), ctx.traces.arg(node, 1, "dims")):
        axes = ctx.space.leaves(x.dims[dim])
        turned = {axis: ctx.space.fresh(ctx.space.sizes[axis]) for axis in axes}
        one = ctx.traces.one
        moves = {a: Affine(((b, one.like(-1)),), ctx.space.sizes[a] - 1) for a, b in turned.items()}
        dims = (*x.dims[:dim], tuple(turned.values()), *x.dims[dim + 1 :])
        x = Value(dims, ctx.builder.substitute(x.node, moves))
    return x


@lowers("expand.default", "expand_as.default", "broadcast_to.default")
def _expand(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    shape = ctx.traces.shape(node)
    old: Dims = ((),) * (len(shape) - len(x.dims)) + x.dims
    dims = tuple(axes or ctx.space.dimension(size) for axes, size in zip(old, shape, strict=True))
    return Value(dims, x.node)


@lowers("repeat.default", "tile.default")
def _repeat(ctx: Context, node: fx.Node) -> Lowered:
    """Each dimension gains an outer axis for its copies."""
    x = ctx.value(node.args[0])
    shape = ctx.traces.shape(node)
    old: Dims = ((),) * (len(shape) - len(x.dims)) + x.dims
    copies = (size // ctx.space.size(ctx.space.leaves(axes)) for axes, size in zip(old, shape, strict=True))
    dims = tuple((*ctx.space.dimension(n), *axes) for n, axes in zip(copies, old, strict=True))
    return Value(dims, x.node)


@lowers("slice.Tensor", "narrow.default")
def _slice(ctx: Context, node: fx.Node) -> Lowered:
    source = source_of(node)
    x = ctx.value(source)
    dim = int(ctx.traces.arg(node, 1, "dim", 0)) % len(x.dims)
    step = ctx.traces.arg(node, 4, "step", 1) if "slice" in str(node.target) else 1
    start = _start(ctx, ctx.traces.arg(node, 2, "start"), ctx.traces.shape(source)[dim])
    return cut(ctx, x, dim, start, step, ctx.traces.shape(node)[dim])


@lowers("unfold.default")
def _unfold(ctx: Context, node: fx.Node) -> Lowered:
    """Windows along a dimension, whose places come last; windows side by side cut the dimension up."""
    x, (dim, _, step) = ctx.value(node.args[0]), ctx.traces.args(node)[1:4]
    shape, place = ctx.traces.shape(node), int(dim) % len(x.dims)
    axes, apart = ctx.space.leaves(x.dims[place]), ctx.traces.one.like(0) + step
    if apart == shape[-1] and shape[place] * apart == ctx.space.size(axes):
        outer, inner = ctx.space.regroup(axes, (shape[place], apart), node.name)
        return Value((*x.dims[:place], outer, *x.dims[place + 1 :], inner), x.node)
    if len(axes) != 1:
        raise CannotFuseError("windows over a dimension of one element, or one that was reshaped")
    outer, inner = ctx.space.dimension(shape[place]), ctx.space.dimension(shape[-1])
    if (taps := shape[-1].literal) is not None and isinstance(step, int):
        derived = Derived(shape[place], ctx.space.size(axes), 1, -taps, step, 1)
        ctx.derived += [derived] if derived.holds else []
    terms = [*((a, apart) for a in outer), *((a, ctx.traces.one) for a in inner)]
    moved = ctx.builder.substitute(x.node, {axes[0]: Affine(tuple(terms), ctx.traces.one.like(0))})
    return Value((*x.dims[:place], outer, *x.dims[place + 1 :], inner), moved)


@lowers("select.int")
def _select(ctx: Context, node: fx.Node) -> Lowered:
    source = source_of(node)
    x = ctx.value(source)
    dim = int(ctx.traces.arg(node, 1, "dim")) % len(x.dims)
    start = _start(ctx, ctx.traces.arg(node, 2, "index"), ctx.traces.shape(source)[dim])
    piece = cut(ctx, x, dim, start, 1, ctx.traces.one)
    return Value(piece.dims[:dim] + piece.dims[dim + 1 :], piece.node)


@lowers(
    "chunk.default",
    "split.Tensor",
    "split.sizes",
    "split_with_sizes.default",
    "unbind.int",
    "tensor_split.sections",
)
def _split(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    unbind = "unbind" in str(node.target)
    position = 1 if unbind else 2
    dim = int(ctx.traces.arg(node, position, "dim", 0)) % len(x.dims)
    parts: list[Value] = []
    start = ctx.traces.one.like(0)
    for shape in ctx.traces.results(node):
        length = ctx.traces.one if unbind else shape[dim]
        piece = cut(ctx, x, dim, start, 1, length)
        parts.append(Value(piece.dims[:dim] + piece.dims[dim + 1 :], piece.node) if unbind else piece)
        start = start + length
    return tuple(parts)


def cut(ctx: Context, x: Value, dim: int, start: Extent, step: Any, length: Extent) -> Value:
    """Part of one dimension: its axes become a shifted, strided new axis, the same for equal parts."""
    axes = ctx.space.leaves(x.dims[dim])
    if start.is_zero() and step == 1 and ctx.space.size(axes) == length:
        return x
    if not isinstance(step, int):
        raise CannotFuseError("a slice's step depends on the shapes")
    moves, fresh = _moves(ctx, axes, start, step, length)
    return Value((*x.dims[:dim], fresh, *x.dims[dim + 1 :]), ctx.builder.substitute(x.node, moves))


def _moves(
    ctx: Context, axes: tuple[Axis, ...], start: Extent, step: int, length: Extent
) -> tuple[dict[Axis, Affine], tuple[Axis, ...]]:
    zero = ctx.traces.one.like(0)
    if not axes:
        return {}, ()
    outer, inner = axes[0], ctx.space.size(axes[1:])
    if len(axes) > 1 and not (step == 1 and inner.divides(start) and inner.divides(length)):
        if step == 1 and length.is_one():
            return _point(ctx, axes, start), ()
        raise CannotFuseError("a slice cuts through a dimension that was reshaped")
    key = (outer, start, step, length)
    fresh = ctx.cuts.setdefault(key, ()) or ctx.space.dimension(length // inner)
    ctx.cuts[key] = fresh
    terms = tuple((axis, ctx.traces.one.like(step)) for axis in fresh)
    moves = {outer: Affine(terms, (start // inner if len(axes) > 1 else start) + zero)}
    return moves, (*fresh, *axes[1:])


def _point(ctx: Context, axes: tuple[Axis, ...], start: Extent) -> dict[Axis, Affine]:
    moves: dict[Axis, Affine] = {}
    rest = start
    for axis in reversed(axes):
        size = ctx.space.sizes[axis]
        moves[axis] = Affine((), Extent(tuple(r % s for r, s in zip(rest.values, size.values, strict=True))))
        rest = rest // size
    return moves


def _start(ctx: Context, start: Any, size: Extent) -> Extent:
    if start is None:
        return ctx.traces.one.like(0)
    start = start if isinstance(start, Extent) else ctx.traces.one.like(start)
    clamped = (min(max(s + n if s < 0 else s, 0), n) for s, n in zip(start.values, size.values, strict=True))
    return Extent(tuple(clamped))
