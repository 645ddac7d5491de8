"""Softmax and logsumexp along dimensions of one element, which need no exponential."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import fx

from ..losses import argument, call_on_fakes
from .marks import Rewrite
from .nodes import name, put

aten = torch.ops.aten

REWRITE = Rewrite(
    "drop-identities", "no exponential over one element",
    "log(exp(x)) of one element is x, its softmax x - x + 1; infinities and NaN come out as they did",
)  # fmt: skip


def apply(graph: fx.Graph) -> None:
    """In place: logsumexp becomes x, log_softmax x - x, softmax x - x + 1, which is NaN where they were."""
    for node in list(graph.nodes):
        operator = name(node)
        if operator not in ("softmax.int", "log_softmax.int", "logsumexp.default"):
            continue
        x, dims = node.args[0], argument(node, "dim")
        dims = dims if isinstance(dims, list | tuple) else [dims]
        if not isinstance(x, fx.Node) or not x.meta["val"].is_floating_point() or not _are_single(x, dims):
            continue
        with graph.inserting_before(node):
            found = _log_of_sum(graph, node, x, dims) if "sumexp" in operator else _weight(graph, operator, x)
        if found.meta["val"].dtype == node.meta["val"].dtype:
            put(graph, found, node, REWRITE)


def _are_single(x: fx.Node, dims: Sequence[int]) -> bool:
    shape = x.meta["val"].shape
    return bool(dims and shape) and all(shape[d] == 1 for d in dims)


def _log_of_sum(graph: fx.Graph, node: fx.Node, x: fx.Node, dims: Sequence[int]) -> fx.Node:
    same = call_on_fakes(graph, "same", aten.clone.default, [x])
    return (
        same
        if argument(node, "keepdim")
        else call_on_fakes(graph, "row", aten.squeeze.dims, [same, list(dims)])
    )


def _weight(graph: fx.Graph, operator: str, x: fx.Node) -> fx.Node:
    nothing = call_on_fakes(graph, "nothing", aten.sub.Tensor, [x, x])
    one: Any = 1.0
    return nothing if "log" in operator else call_on_fakes(graph, "one", aten.add.Tensor, [nothing, one])
