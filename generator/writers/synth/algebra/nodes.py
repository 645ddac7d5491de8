"""Small questions that rewrites ask of the traced graph, and the one way a node gives way to another."""

from __future__ import annotations

from typing import Any

from torch import fx

from .marks import Rewrite, mark


def name(node: Any) -> str:
    """`mul.Tensor` for torch.ops.aten.mul.Tensor; "" for what is no node."""
    return str(node.target).removeprefix("aten.") if isinstance(node, fx.Node) else ""


def is_alone(node: fx.Node) -> bool:
    """Whether one other node alone reads this one, so that nothing is lost with it."""
    return len(node.users) == 1


def put(graph: fx.Graph, new: fx.Node, old: fx.Node, rewrite: Rewrite) -> None:
    """`new` in the place of `old`, marked; old is erased."""
    new.meta = {**old.meta, "val": new.meta["val"]}
    mark(new, rewrite)
    old.replace_all_uses_with(new)
    graph.erase_node(old)
