"""Drop operators that change no element, for any value: x * 1, x / 1, x - 0, --x, relu of relu."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from ..losses import argument, call_on_fakes
from .marks import Rewrite
from .nodes import name, put

REWRITE = Rewrite(
    "drop-identities", "operators that change nothing left out", "equal for every value, NaN and -0 too"
)

_NEUTRAL = {
    "mul.Tensor": 1,
    "mul.Scalar": 1,
    "div.Tensor": 1,
    "div.Scalar": 1,
    "sub.Tensor": 0,
    "pow.Tensor_Scalar": 1,
}
_IDEMPOTENT = frozenset({"relu.default", "abs.default", "floor.default", "ceil.default", "round.default"})
_INVOLUTIONS = frozenset({"neg.default", "logical_not.default"})


def apply(graph: fx.Graph) -> None:
    """In place. What stays is a copy, which costs nothing inside of a kernel and keeps results apart."""
    for node in list(graph.nodes):
        source = _unchanged(node)
        if source is not None and source.meta["val"].dtype == node.meta["val"].dtype:
            with graph.inserting_before(node):
                same = call_on_fakes(graph, "same", torch.ops.aten.clone.default, [source])
            put(graph, same, node, REWRITE)


def _unchanged(node: fx.Node) -> fx.Node | None:
    """The node whose elements this one has, where its operator is known to give them back."""
    operator = name(node)
    source = _copied(node.args[0]) if node.args else None
    if source is None:
        return None
    if operator in _NEUTRAL:
        number = node.args[1]
        is_number = isinstance(number, int | float) and not isinstance(number, bool)
        scaled = operator == "sub.Tensor" and argument(node, "alpha") != 1
        return source if is_number and number == _NEUTRAL[operator] and not scaled else None
    if operator in _IDEMPOTENT and name(source) == operator:
        return source if node.args[1:] == source.args[1:] and node.kwargs == source.kwargs else None
    if operator in _INVOLUTIONS and name(source) == operator:
        return _copied(source.args[0])
    return None


def _copied(node: Any) -> fx.Node | None:
    """The node that a chain of copies began with."""
    while name(node) == "clone.default":
        node = node.args[0]
    return node if isinstance(node, fx.Node) else None
