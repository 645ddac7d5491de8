"""Counts what eager PyTorch would do with a graph: kernels launched, bytes moved between them and memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from .alias import shares_storage
from .footprint import storage_bytes
from .kinds import is_view, name_of
from .trace import TracedOp

_ALLOCATES_ONLY = frozenset(("empty", "empty_like", "empty_strided", "new_empty", "detach", "detach_"))


@dataclass(frozen=True)
class EagerCost:
    """A lower bound: one kernel per operator of the training graph, each argument read once, each result
    written once, nothing kept in a cache between kernels. Views cost nothing."""

    launches: int
    bytes_moved: int


def eager_cost(traced: TracedOp) -> EagerCost:
    """What the traced graph costs when its operators run one by one."""
    calls = [node for node in traced.program.graph.nodes if node.op == "call_function" and _runs(node)]
    return EagerCost(len(calls), sum(node_bytes(node) for node in calls))


def _runs(node: Node) -> bool:
    """Whether the call launches a kernel."""
    if not isinstance(node.target, torch._ops.OpOverload) or name_of(node.target) in _ALLOCATES_ONLY:
        return False
    if not _leaves(node):
        return False
    return not (is_view(node.target) and shares_storage(node))


def node_bytes(node: Node) -> int:
    """Bytes that eager moves for one node: its tensor arguments read once, its results written once."""
    read = [leaf for argument in dict.fromkeys(node.all_input_nodes) for leaf in _leaves(argument)]
    return sum(storage_bytes(leaf) for leaf in [*read, *_leaves(node)])


def _leaves(node: Node) -> list[torch.Tensor]:
    value: Any = node.meta.get("val")
    parts = value if isinstance(value, list | tuple) else [value]
    return [part for part in parts if isinstance(part, torch.Tensor)]
