"""Products whose first factor is made of another product: what may be one kernel, and over which axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ..builder import Builder
from ..dtypes import SHORT_FLOATS
from ..expr import Apply, Attend, Contract, Reduce
from ..space import Axis, CannotFuseError
from .factors import ProductAxes, outside_products

MOST_HELD = 256
"""Columns of a first factor, and of the results, up to which products of products are one kernel: both are
held while the middle direction is walked."""


def as_attention(builder: Builder, product: Contract) -> Attend | None:
    """A product whose left factor is the softmax or pointwise work of another product, as one node.

    Factors of fp32 are multiplied on the ordinary pipes, from registers, of which two products at once leave
    none: on sm_90 every tile of 64 x 96 spills, by 48 to 20700 bytes a thread. There they stay apart.
    """
    if builder.dtype(product.right) not in SHORT_FLOATS:
        return None
    left = product.left
    while isinstance(node := builder.nodes[left], Apply) and node.function == "cast":
        left = node.args[0]
    depth = frozenset(builder.space.leaves(product.axes))
    scores = _under_softmax(builder, left, depth)
    below = [builder.nodes[n] for n in builder.walk([left if scores is None else scores])]
    inner = [n for n in below if isinstance(n, Contract)]
    if len(inner) != 1 or any(isinstance(n, Reduce | Attend) for n in below):
        return None
    if scores is not None:
        return Attend(scores, product.right, product.axes, True)
    cols = builder.free_axes(product.right) - depth - builder.free_axes(left)
    held = [_size(builder, inner[0].axes), _size(builder, cols)]
    return Attend(left, product.right, product.axes, False) if max(held) <= MOST_HELD else None


def _size(builder: Builder, axes: Iterable[Axis]) -> int:
    return math.prod(builder.space.sizes[a].full for a in builder.space.leaves(tuple(axes)))


def _under_softmax(builder: Builder, number: int, depth: frozenset[Axis]) -> int | None:
    """x of softmax(x) along `depth`, None where it is no such thing."""
    nodes = builder.nodes
    quotient = nodes[number]
    if not (isinstance(quotient, Apply) and quotient.function == "div"):
        return None
    weights, total = (nodes[n] for n in quotient.args)
    if not (isinstance(weights, Apply) and weights.function == "exp"):
        return None
    away = nodes[weights.args[0]]
    if not (isinstance(away, Apply) and away.function == "sub"):
        return None
    x, peak = away.args[0], nodes[away.args[1]]
    ends = [n for n in (total, peak) if isinstance(n, Reduce)]
    if len(ends) < 2 or any(frozenset(builder.space.leaves(n.axes)) != depth for n in ends):
        return None
    total, peak = ends
    summed = total.kind == "sum" and total.arg == quotient.args[0]
    return x if summed and peak.kind == "peak" and peak.arg == x else None


def attention_axes(builder: Builder, node: Attend) -> ProductAxes:
    """The axes of an attention's tiles; `depth` are the keys, `inner` what scores are summed over."""
    space = builder.space
    keys = frozenset(space.leaves(node.axes))
    scores, values = (builder.free_axes(n) for n in (node.scores, node.values))
    batch = (scores & values) - keys
    rows, cols = scores - batch - keys, values - batch - keys
    inner = only_product(builder, node)
    summed = frozenset(space.leaves(inner.axes))
    query, key = (builder.free_axes(n) - summed for n in (inner.left, inner.right))
    if not rows or not cols or not keys <= scores & values:
        raise CannotFuseError("an attention without rows, columns or keys")
    if not (query <= batch | rows and key <= batch | keys):
        raise CannotFuseError("the factors of the scores vary along other dimensions than an attention's")
    return ProductAxes(batch, rows, cols, keys, summed)


def only_product(builder: Builder, node: Attend) -> Contract:
    """The product behind the scores."""
    found = [n for i in builder.walk([node.scores]) if isinstance(n := builder.nodes[i], Contract)]
    if len(found) != 1:
        raise CannotFuseError("scores of an attention that are not one product")
    for factor in (found[0].left, found[0].right, node.values):
        below = [builder.nodes[n] for n in builder.walk([factor])]
        if any(isinstance(n, Contract | Attend | Reduce) for n in below):
            raise CannotFuseError("a product of a product would be computed once for every tile")
    return found[0]


def find_attention(builder: Builder, roots: Sequence[int]) -> ProductAxes | None:
    """The axes of a region's attention; None without one. Raises where it does not stand alone."""
    outside = outside_products(builder, roots)
    found = [n for i in outside if isinstance(n := builder.nodes[i], Attend)]
    if not found:
        return None
    if len(found) > 1 or any(isinstance(builder.nodes[i], Contract) for i in outside):
        raise CannotFuseError("an attention beside another product does not share its loop")
    axes = attention_axes(builder, found[0])
    if any(builder.free_axes(i) & (axes.depth | axes.inner) - axes.cols for i in outside):
        raise CannotFuseError("a factor of an attention is also needed by itself")
    return axes
