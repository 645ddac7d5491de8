"""Elements read at places that another tensor holds: embedding, index_select, gather, indexing."""

from __future__ import annotations

from typing import Any

from torch import fx

from ..expr import SizeOf
from ..space import CannotFuseError
from .context import Context, Lowered, Value, source_of
from .table import lowers


@lowers("embedding.default")
def _embedding(ctx: Context, node: fx.Node) -> Lowered:
    """Rows of a table."""
    table, places = ctx.value(node.args[0]), ctx.value(node.args[1])
    return Value((*places.dims, *table.dims[1:]), _read(ctx, table, 0, places))


@lowers("index_select.default")
def _index_select(ctx: Context, node: fx.Node) -> Lowered:
    x, places = ctx.value(node.args[0]), ctx.value(node.args[2])
    dim = int(ctx.traces.arg(node, 1, "dim")) % len(x.dims)
    middle = places.dims if places.dims else ((),)
    return Value((*x.dims[:dim], *middle, *x.dims[dim + 1 :]), _read(ctx, x, dim, places))


@lowers("gather.default")
def _gather(ctx: Context, node: fx.Node) -> Lowered:
    """One element for each place, from its own row: the other dimensions are walked together."""
    x, places = ctx.value(node.args[0]), ctx.value(node.args[2])
    dim = int(ctx.traces.arg(node, 1, "dim")) % len(x.dims)
    for d, (mine, given) in enumerate(zip(x.dims, places.dims, strict=True)):
        if d != dim:
            ctx.space.unify(mine, given, "gather")
    return Value(places.dims, _read(ctx, x, dim, places))


@lowers("index.Tensor")
def _index(ctx: Context, node: fx.Node) -> Lowered:
    """x[:, places]: one dimension by one tensor, counted from the end where it is negative."""
    x, given = ctx.value(node.args[0]), node.args[1]
    asked: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    tensors = [(dim, n) for dim, n in enumerate(asked) if n is not None]
    if len(tensors) != 1 or not ctx.traces.dtype(tensors[0][1]).startswith("int"):
        raise CannotFuseError("indexing by several tensors, or by truth, is left to torch")
    (dim, tensor), b = tensors[0], ctx.builder
    if ctx.traces.dtype(tensor) == "int1":
        raise CannotFuseError("indexing by truth has results of a size that data decides")
    places, size = ctx.value(tensor), b.add(SizeOf(ctx.traces.shape(source_of(node))[dim], "int64"))
    wide = b.cast(places.node, "int64")
    behind = b.apply("lt", wide, b.number(0, "int64"), dtype="int1")
    whole = b.apply("where", behind, b.apply("add", wide, size, dtype="int64"), wide, dtype="int64")
    found = _read(ctx, x, dim, Value(places.dims, whole))
    return Value((*x.dims[:dim], *places.dims, *x.dims[dim + 1 :]), found)


def _read(ctx: Context, x: Value, dim: int, places: Value) -> int:
    leaves = ctx.space.leaves(x.dims[dim])
    if len(leaves) != 1:
        raise CannotFuseError("places along a dimension of one element, or one that was reshaped")
    return ctx.builder.gather(x.node, leaves[0], ctx.builder.cast(places.node, "int64"))
