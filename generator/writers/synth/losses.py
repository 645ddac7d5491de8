"""Rewrite losses of the traced graph as their elements, and the mean or sum of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx

aten = torch.ops.aten

_LOSSES = frozenset({
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "cross_entropy_loss", "triplet_margin_loss", "soft_margin_loss",
    "hinge_embedding_loss", "margin_ranking_loss", "cosine_embedding_loss",
})  # fmt: skip
_NONE, _MEAN = 0, 1
"""What torch's `reduction` argument means in ATen: at::Reduction; 2 is the sum."""


def spread_losses(graph: fx.Graph) -> None:
    """In place: the elements of a loss become one node, what is made of them another, so that rows can be
    reduced before their mean is taken. A mean over classes counts the rows that are not ignored."""
    for node in list(graph.nodes):
        name = str(node.target).removeprefix("aten.").split(".")[0]
        if node.op == "call_function" and name in _LOSSES:
            _spread(graph, node, name)


def argument(node: fx.Node, name: str) -> Any:
    """An argument of an ATen call by its name, or the default of the operator's schema."""
    target: Any = node.target
    for position, declared in enumerate(target._schema.arguments):
        if declared.name == name:
            if position < len(node.args):
                return node.args[position]
            return node.kwargs.get(name, declared.default_value)
    raise KeyError(f"{target} takes no {name}")


def _spread(graph: fx.Graph, node: fx.Node, name: str) -> None:
    reduction = argument(node, "reduction")
    if reduction == _NONE:
        return
    target: Any = node.target
    declared = target._schema.arguments
    given = {a.name: argument(node, a.name) for a in declared} | {"reduction": _NONE}
    named = {a.name: given.pop(a.name) for a in declared if a.kwarg_only}
    with graph.inserting_before(node):
        elements = _call(graph, target, list(given.values()), named)
        if reduction != _MEAN:
            whole = _call(graph, aten.sum.default, [elements])
        elif name == "cross_entropy_loss" and not _is_float(given["target"]):
            counted = _call(graph, aten.ne.Scalar, [given["target"], given["ignore_index"]])
            sums = [_call(graph, aten.sum.default, [n]) for n in (elements, counted)]
            whole = _call(graph, aten.div.Tensor, sums)
        else:
            whole = _call(graph, aten.mean.default, [elements])
    whole.meta = {**node.meta, "val": whole.meta["val"]}
    node.replace_all_uses_with(whole)
    graph.erase_node(node)


def _is_float(node: fx.Node) -> bool:
    return bool(node.meta["val"].is_floating_point())


def _call(
    graph: fx.Graph, target: Any, args: Sequence[Any], named: Mapping[str, Any] | None = None
) -> fx.Node:
    """A new node with the shape and type that the operator gives on the fakes of its arguments."""
    made = graph.call_function(target, tuple(args), dict(named or {}))
    fakes = fx.node.map_arg(tuple(args), lambda n: n.meta["val"])
    made.meta = {"val": target(*fakes, **(named or {}))}
    return made
