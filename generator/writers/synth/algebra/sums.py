"""A sum over the results of a linear map as one product: with summed weights, or of summed rows.

Equal in exact arithmetic for every weight, and computed from the live weights at every call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import fx

from ..losses import argument, call_on_fakes
from .marks import Rewrite
from .nodes import is_alone, name, put

aten = torch.ops.aten

REWRITE = Rewrite(
    "linear-then-reduce", "weights summed before they are multiplied",
    "a sum over the outputs of a linear map is a product with summed weights, which are live",
)  # fmt: skip

OF_ROWS = Rewrite(
    "linear-then-reduce", "rows summed before they are multiplied",
    "a linear map of a sum of rows is the sum of its results",
)  # fmt: skip

_SCALED = frozenset({"mul.Tensor", "mul.Scalar", "div.Tensor", "div.Scalar"})
_SHIFTED = frozenset({"add.Tensor", "sub.Tensor"})
_REDUCED = frozenset({"sum.dim_IntList", "mean.dim"})
_PRODUCTS = frozenset({"linear.default", "matmul.default", "mm.default"})


def apply(graph: fx.Graph) -> None:
    """In place: sum_j (x W^T + b)_j becomes x (sum_j W_j) + sum_j b_j, and sum_i (x_i W^T + b) becomes
    (sum_i x_i) W^T + n b; factors and shifts by the column in between follow it."""
    for node in list(graph.nodes):
        if name(node) not in _REDUCED or argument(node, "dtype") is not None:
            continue
        steps, product = _steps(node.args[0])
        if product is None or not _is_ours(product):
            continue
        rank = product.meta["val"].dim()
        dims = sorted({int(dim) % rank for dim in argument(node, "dim") or range(rank)})
        if dims == [rank - 1]:
            _sum_weights(graph, node, steps, product)
        elif rank - 1 not in dims:
            _sum_rows(graph, node, steps, product, dims)


def _steps(node: Any) -> tuple[list[fx.Node], fx.Node | None]:
    """What is done to a product before it is reduced, first first, and the product; None for anything that
    is no factor and no shift of its columns."""
    steps: list[fx.Node] = []
    while isinstance(node, fx.Node) and is_alone(node) and _is_affine(node):
        steps.insert(0, node)
        node = node.args[0]
    found = isinstance(node, fx.Node) and name(node) in _PRODUCTS and is_alone(node)
    return steps, node if found else None


def _is_affine(node: fx.Node) -> bool:
    if node.kwargs or len(node.args) != 2 or not isinstance(node.args[0], fx.Node):
        return False
    by = node.args[1]
    if name(node) in _SCALED:
        return isinstance(by, int | float)
    if name(node) not in _SHIFTED:
        return False
    columns = node.meta["val"].shape[-1:]
    return isinstance(by, int | float) or (isinstance(by, fx.Node) and by.meta["val"].shape == columns)


def _is_ours(product: fx.Node) -> bool:
    """Single precision alone: sums of short floats would be rounded before they are multiplied."""
    x, weight = product.args[0], product.args[1]
    both = isinstance(x, fx.Node) and isinstance(weight, fx.Node)
    if not both or weight.meta["val"].dim() != 2 or x.meta["val"].dim() < 2:  # type: ignore[union-attr]
        return False
    return all(n.meta["val"].dtype is torch.float32 for n in (x, weight))  # type: ignore[union-attr]


def _sum_weights(graph: fx.Graph, node: fx.Node, steps: Sequence[fx.Node], product: fx.Node) -> None:
    x, weight = product.args[0], product.args[1]
    linear = name(product) == "linear.default"
    bias = argument(product, "bias") if linear else None
    columns = product.meta["val"].shape[-1]

    def total(by: Any) -> Any:
        if isinstance(by, fx.Node):
            return call_on_fakes(graph, "offset", aten.sum.default, [by])
        return by * columns

    with graph.inserting_before(node):
        summed = call_on_fakes(graph, "weights", aten.sum.dim_IntList, [weight, [0 if linear else 1]])
        found = call_on_fakes(graph, "product", aten.matmul.default, [x, summed])
        if bias is not None:
            found = call_on_fakes(graph, "product", aten.add.Tensor, [found, total(bias)])
        for step in steps:
            by = total(step.args[1]) if name(step) in _SHIFTED else step.args[1]
            found = _followed(graph, step, found, by)
        if name(node) == "mean.dim":
            found = call_on_fakes(graph, "mean", aten.div.Tensor, [found, columns])
        if argument(node, "keepdim"):
            found = call_on_fakes(graph, "kept", aten.unsqueeze.default, [found, -1])
    _put(graph, found, node, steps, product, REWRITE)


def _sum_rows(
    graph: fx.Graph, node: fx.Node, steps: Sequence[fx.Node], product: fx.Node, dims: Sequence[int]
) -> None:
    x, weight = product.args[0], product.args[1]
    linear = name(product) == "linear.default"
    bias = argument(product, "bias") if linear else None
    sizes = product.meta["val"].shape
    count = 1 if name(node) == "mean.dim" else torch.Size([sizes[dim] for dim in dims]).numel()

    def total(by: Any) -> Any:
        if not isinstance(by, fx.Node):
            return by * count
        return by if count == 1 else call_on_fakes(graph, "offset", aten.mul.Tensor, [by, count])

    with graph.inserting_before(node):
        target: Any = node.target
        summed = call_on_fakes(graph, "rows", target, [x, list(dims), argument(node, "keepdim")])
        multiplied = aten.linear.default if linear else aten.matmul.default  # mm takes no vector
        found = call_on_fakes(graph, "product", multiplied, [summed, weight])
        if bias is not None:
            found = call_on_fakes(graph, "product", aten.add.Tensor, [found, total(bias)])
        for step in steps:
            by = total(step.args[1]) if name(step) in _SHIFTED else step.args[1]
            found = _followed(graph, step, found, by)
    _put(graph, found, node, steps, product, OF_ROWS)


def _followed(graph: fx.Graph, step: fx.Node, found: fx.Node, by: Any) -> fx.Node:
    target: Any = step.target
    return call_on_fakes(graph, "scaled" if name(step) in _SCALED else "shifted", target, [found, by])


def _put(
    graph: fx.Graph, found: fx.Node, node: fx.Node, steps: Sequence[fx.Node], product: fx.Node, why: Rewrite
) -> None:
    put(graph, found, node, why)
    for dead in (*reversed(steps), product):
        graph.erase_node(dead)
