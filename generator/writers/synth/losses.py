"""Rewrite losses of the traced graph as their elements, and the mean or sum of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx

aten = torch.ops.aten

_LOSSES = frozenset({
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "cross_entropy_loss",
    "triplet_margin_loss", "nll_loss_nd", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "soft_margin_loss",
})  # fmt: skip
_OF_CLASSES = frozenset({"cross_entropy_loss", "nll_loss_nd"})
"""Of these a mean counts the rows that are not ignored."""

_NONE, _MEAN = 0, 1
"""What torch's `reduction` argument means in ATen: at::Reduction; 2 is the sum."""


def spread_losses(graph: fx.Graph) -> None:
    """In place: the elements of a loss become one node, what is made of them another, so that rows can be
    reduced before their mean is taken. A mean over classes counts the rows that are not ignored; weighted,
    smoothed or soft classes stay whole, as no kernel computes their elements."""
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


def has_plain_classes(node: fx.Node) -> bool:
    """Whether a cross-entropy is that of one class for each row, all alike."""
    smoothed = "cross_entropy" in str(node.target) and argument(node, "label_smoothing") != 0.0
    plain = argument(node, "weight") is None and not smoothed
    return plain and argument(node, "target").meta["val"].dtype is torch.int64


def _spread(graph: fx.Graph, node: fx.Node, name: str) -> None:
    reduction, of_classes = argument(node, "reduction"), name in _OF_CLASSES
    if reduction == _NONE or (of_classes and not has_plain_classes(node)):
        return
    target: Any = node.target
    declared = target._schema.arguments
    given = {a.name: argument(node, a.name) for a in declared} | {"reduction": _NONE}
    named = {a.name: given.pop(a.name) for a in declared if a.kwarg_only}
    with graph.inserting_before(node):
        elements = call_on_fakes(graph, "losses", target, list(given.values()), named)
        if reduction != _MEAN:
            whole = call_on_fakes(graph, "loss", aten.sum.default, [elements])
        elif of_classes:
            whole = _mean_of_counted(graph, elements, given["target"], given["ignore_index"])
        else:
            whole = call_on_fakes(graph, "loss", aten.mean.default, [elements])
    whole.meta = {**node.meta, "val": whole.meta["val"]}
    node.replace_all_uses_with(whole)
    graph.erase_node(node)


def _mean_of_counted(graph: fx.Graph, elements: fx.Node, target: fx.Node, ignored: int) -> fx.Node:
    """The sum over the rows that count by their number; a total in half precision could overflow."""
    dtype = elements.meta["val"].dtype
    short = dtype in (torch.float16, torch.bfloat16)
    wide = {"dtype": torch.float32} if short else {}
    total = call_on_fakes(graph, "total_loss", aten.sum.default, [elements], wide)
    counted = call_on_fakes(graph, "counted", aten.ne.Scalar, [target, ignored])
    count = call_on_fakes(graph, "count", aten.sum.default, [counted])
    mean = call_on_fakes(graph, "loss", aten.div.Tensor, [total, count])
    return call_on_fakes(graph, "loss", aten.to.dtype, [mean, dtype]) if short else mean


def call_on_fakes(
    graph: fx.Graph, name: str, target: Any, args: Sequence[Any], named: Mapping[str, Any] | None = None
) -> fx.Node:
    """A new node of this name, with the shape and type that the operator gives on fake arguments."""
    made = graph.call_function(target, tuple(args), dict(named or {}), name=name)
    fakes = fx.node.map_arg(tuple(args), lambda n: n.meta["val"])
    made.meta = {"val": target(*fakes, **(named or {}))}
    return made
