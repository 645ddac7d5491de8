"""Drop what nobody reads: operators whose results reach no output and change nothing."""

from __future__ import annotations

from torch import fx

from .nodes import name


def apply(graph: fx.Graph) -> None:
    """In place, users before what they read, so that whole chains go."""
    for node in reversed(list(graph.nodes)):
        if node.op == "call_function" and not node.users and not _changes(name(node)):
            graph.erase_node(node)


def _changes(operator: str) -> bool:
    """Whether an operator writes to a tensor that it was given, as normalisations do to their statistics."""
    return operator.split(".")[0].endswith("_") or "batch_norm" in operator or "instance_norm" in operator
