"""Lower a set of graph nodes into one region: an index space, loads, and what must be stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import fx

from ..builder import Builder
from ..dtypes import EIGHT_BITS, UNSUPPORTED, short_name
from ..expr import Choose, Load, Reduce, Scan
from ..extent import Derived, Dividing, Total
from ..space import Affine, Axis, CannotFuseError, Space
from ..traces import Traces, aten_name, is_getitem
from . import (
    activations,
    adaptive,
    arithmetic,
    attention,
    copies,
    gathers,
    joins,
    losses,
    normalizations,
    products,
    reductions,
    scaled_products,
    scans,
    softmaxes,
    views,
    windows,
)
from .attending import find_attention
from .context import Context, Lowered, Value, packed_strides
from .factors import ProductAxes, check_product, outside_products, product_axes
from .held import held_axes
from .scaled_products import rounded
from .scans import check_scans
from .table import RULES

FAMILIES = (
    activations,
    adaptive,
    arithmetic,
    attention,
    copies,
    gathers,
    joins,
    losses,
    normalizations,
    products,
    reductions,
    scaled_products,
    scans,
    softmaxes,
    views,
    windows,
)
"""Importing a family registers its rules."""

MOST_NODES = 200
"""Expressions in one region: beyond it a kernel neither compiles quickly nor stays in registers."""


@dataclass(frozen=True)
class Store:
    """One tensor a region writes. `into` is a buffer updated in place, or None for a new tensor."""

    node: fx.Node
    name: str
    value: int
    index: Affine
    dtype: str
    into: str | None = None


@dataclass(frozen=True)
class Region:
    """A fused part of the graph: expressions, the tensors read, the stores, and the axes of its loops.

    `product` is set where matrix products are computed: the axes of its tiles. `derived` says how sizes of
    results follow from others.
    """

    builder: Builder
    nodes: tuple[fx.Node, ...]
    buffers: tuple[tuple[str, fx.Node], ...]
    stores: tuple[Store, ...]
    kept_axes: tuple[Axis, ...]
    reduced_axes: tuple[Axis, ...]
    unrolled_axes: tuple[Axis, ...]
    product: ProductAxes | None = None
    derived: tuple[Derived | Dividing | Total, ...] = ()


def is_fusable(node: fx.Node) -> bool:
    return aten_name(node) in RULES


def lower_region(traces: Traces, nodes: Sequence[fx.Node], outputs: Iterable[fx.Node]) -> Region:
    """Build the region's expressions; raises `CannotFuseError` when the nodes need different index spaces."""
    ctx = Context(traces, Builder(Space(traces.one)))
    for node in nodes:
        ctx.env[node] = lowered = _lower(ctx, node)
        if isinstance(lowered, Value) and (name := traces.authors_name(node)):
            ctx.builder.hints.setdefault(lowered.node, name)
    if len(ctx.builder.nodes) > MOST_NODES:
        raise CannotFuseError(f"more than {MOST_NODES} operations would make one kernel")
    stores = [_store(ctx, node, ctx.value(node)) for node in outputs]
    for buffer, value in ctx.writes:
        index = ctx.space.row_major(value.dims, packed_strides(traces.shape(buffer), traces.one))
        stores.append(Store(buffer, buffer.name, value.node, index, traces.dtype(buffer), buffer.name))
    return _finish(ctx, tuple(nodes), stores)


def _lower(ctx: Context, node: fx.Node) -> Lowered:
    if is_getitem(node):
        source, position = node.args
        several = ctx.env.get(source)  # type: ignore[arg-type]
        if not isinstance(several, tuple):
            raise CannotFuseError(f"{node.name} takes a part of what this region does not compute")
        return several[int(position)]  # type: ignore[arg-type]
    values = node.meta["val"]
    for value in values if isinstance(values, list | tuple) else [values]:
        if value.dtype is torch.float64:
            raise CannotFuseError("double precision is left to torch")
        if short_name(value.dtype) == UNSUPPORTED:
            raise CannotFuseError(f"{node.name} is {value.dtype}, which these kernels do not write")
    found = RULES[aten_name(node)](ctx, node)
    if isinstance(found, Value) and (dtype := ctx.traces.dtype(node)) in EIGHT_BITS:
        return rounded(ctx, found, dtype)
    return found


def _store(ctx: Context, node: fx.Node, value: Value) -> Store:
    index = ctx.space.row_major(value.dims, packed_strides(ctx.traces.shape(node), ctx.traces.one))
    return Store(node, node.name, value.node, index, ctx.traces.dtype(node))


def _finish(ctx: Context, nodes: tuple[fx.Node, ...], stores: list[Store]) -> Region:
    builder, space = ctx.builder, ctx.space
    _check_dimensions(ctx)
    roots = [s.value for s in stores]
    live = list(builder.walk(roots))
    product = find_attention(builder, roots)
    if product is not None:
        live = outside_products(builder, roots)
    walked = [n for i in live if isinstance(n := builder.nodes[i], Reduce | Scan)]
    check_scans(builder, live)
    choices = {space.leaves((n.axis,)) for i in live if isinstance(n := builder.nodes[i], Choose)}
    if any(len(leaves) > 1 for leaves in choices):
        raise CannotFuseError("a concatenation is reshaped across its parts")
    unrolled = {leaves[0] for leaves in choices}
    if product is None and (product := product_axes(builder, live)) is not None:
        check_product(builder, roots, product)
        live = outside_products(builder, roots)
        if all(isinstance(n, Reduce) and n in (builder.nodes[i] for i in live) for n in walked):
            written = [frozenset(a for a, _ in space.resolve(s.index).terms) for s in stores]
            product, walked = replace(product, held=held_axes(builder, live, product, written)), []
    if product is not None and (walked or unrolled):
        raise CannotFuseError("what is reduced or joined beside a matrix product needs its own kernel")
    reduced = {frozenset(space.leaves(n.axes)) for n in walked}
    if len(reduced) > 1:
        raise CannotFuseError("reductions over different dimensions do not share a loop")
    inner = next(iter(reduced), frozenset())
    every = {a for i in live for a in builder.free_axes(i)} | inner
    every |= {a for s in stores for a, _ in space.resolve(s.index).terms}
    if unrolled & inner:
        raise CannotFuseError("a reduction runs over concatenated parts")
    outer = every - inner - unrolled
    if product is not None and outer != product.batch | product.rows | product.cols:
        raise CannotFuseError("the results of a matrix product are broadcast along a new dimension")
    if product is None or not product.held:
        _check_rows(builder, stores, outer, inner)
    used = {n.buffer for i in builder.walk(roots) if isinstance(n := builder.nodes[i], Load)}
    buffers = tuple((name, node) for name, node in ctx.buffers.items() if name in used)
    if not buffers:
        raise CannotFuseError("nothing is read, so there is nothing to take sizes and the device from")
    kept, reduced_over, written_out = (tuple(sorted(group)) for group in (outer, inner, unrolled))
    return Region(
        builder, nodes, buffers, tuple(stores), kept, reduced_over, written_out, product, tuple(ctx.derived)
    )


def _check_dimensions(ctx: Context) -> None:
    """No two dimensions of a tensor may have become one axis: that would be its diagonal."""
    for lowered in ctx.env.values():
        for value in lowered if isinstance(lowered, tuple) else (lowered,):
            leaves = [leaf for dim in value.dims for leaf in ctx.space.leaves(dim)]
            if len(leaves) != len(set(leaves)):
                raise CannotFuseError("a tensor meets itself along two different dimensions")


def _check_rows(builder: Builder, stores: list[Store], outer: set[Axis], inner: frozenset[Axis]) -> None:
    """Every reduction and every store must see all kept axes, or work would be repeated or written twice."""
    for store in stores:
        if outer - {a for a, _ in builder.space.resolve(store.index).terms}:
            raise CannotFuseError("a smaller tensor is also needed by itself")
    for i in builder.walk([s.value for s in stores]):
        node = builder.nodes[i]
        if isinstance(node, Reduce) and builder.free_axes(i) != outer:
            raise CannotFuseError("a reduced value is broadcast along a new dimension")
        if isinstance(node, Scan) and builder.free_axes(i) != outer | inner:
            raise CannotFuseError("a running sum is broadcast along a new dimension")
