"""A sum over the outputs of a linear map as one product with summed weights.

Equal in exact arithmetic for every weight, and computed from the live weights at every call.
"""

from __future__ import annotations

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

_SCALED = frozenset({"mul.Tensor", "mul.Scalar", "div.Tensor", "div.Scalar"})
_REDUCED = frozenset({"sum.dim_IntList", "mean.dim"})
_PRODUCTS = frozenset({"linear.default", "matmul.default", "mm.default"})


def apply(graph: fx.Graph) -> None:
    """In place: sum_j (x W^T + b)_j becomes x (sum_j W_j) + sum_j b_j; factors in between follow it."""
    for node in list(graph.nodes):
        if name(node) in _REDUCED and _is_over_columns(node):
            scales, product = _through_scales(node.args[0])
            if product is not None and _is_ours(product):
                _rewrite(graph, node, scales, product)


def _is_over_columns(node: fx.Node) -> bool:
    source, dims = node.args[0], argument(node, "dim")
    if not isinstance(source, fx.Node) or argument(node, "dtype") is not None or len(dims or ()) != 1:
        return False
    rank: int = source.meta["val"].dim()
    return int(dims[0]) % rank == rank - 1


def _through_scales(node: Any) -> tuple[list[fx.Node], fx.Node | None]:
    """The multiplications by numbers above a product, last first, and the product; None for anything else."""
    scales: list[fx.Node] = []
    while name(node) in _SCALED and isinstance(node.args[1], int | float) and is_alone(node):
        scales.append(node)
        node = node.args[0]
    return scales, node if name(node) in _PRODUCTS and is_alone(node) else None


def _is_ours(product: fx.Node) -> bool:
    """Single precision alone: sums of short floats would be rounded before they are multiplied."""
    x, weight = product.args[0], product.args[1]
    both = isinstance(x, fx.Node) and isinstance(weight, fx.Node)
    if not both or weight.meta["val"].dim() != 2 or x.meta["val"].dim() < 2:  # type: ignore[union-attr]
        return False
    return all(n.meta["val"].dtype is torch.float32 for n in (x, weight))  # type: ignore[union-attr]


def _rewrite(graph: fx.Graph, node: fx.Node, scales: list[fx.Node], product: fx.Node) -> None:
    x, weight = product.args[0], product.args[1]
    linear = name(product) == "linear.default"
    bias = argument(product, "bias") if linear else None
    columns = product.meta["val"].shape[-1]
    with graph.inserting_before(node):
        summed = call_on_fakes(graph, "weights", aten.sum.dim_IntList, [weight, [0 if linear else 1]])
        found = call_on_fakes(graph, "product", aten.matmul.default, [x, summed])
        if bias is not None:
            offset = call_on_fakes(graph, "offset", aten.sum.default, [bias])
            found = call_on_fakes(graph, "product", aten.add.Tensor, [found, offset])
        for scale in reversed(scales):
            target: Any = scale.target
            found = call_on_fakes(graph, "scaled", target, [found, *scale.args[1:]])
        if name(node) == "mean.dim":
            found = call_on_fakes(graph, "mean", aten.div.Tensor, [found, columns])
        if argument(node, "keepdim"):
            found = call_on_fakes(graph, "kept", aten.unsqueeze.default, [found, -1])
    put(graph, found, node, REWRITE)
    for dead in (*scales, product):
        graph.erase_node(dead)
