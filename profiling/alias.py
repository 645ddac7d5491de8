"""Tells which nodes of a traced graph are another name for the same storage."""

import torch
from torch.fx import Node

from .kinds import name_of


def root_of(node: Node) -> Node:
    """The node whose storage this is: an argument of the graph, or a call that allocates."""
    while shares_storage(node):
        node = node.all_input_nodes[0]
    return node


def shares_storage(node: Node) -> bool:
    """A view or an in-place result; `to`, `contiguous` and `reshape` only where they need no copy."""
    if not isinstance(node.target, torch._ops.OpOverload) or not node.all_input_nodes:
        return False
    source, result = node.all_input_nodes[0].meta.get("val"), node.meta.get("val")
    if not isinstance(source, torch.Tensor) or not isinstance(result, torch.Tensor):
        return False
    if all(returned.alias_info is None for returned in node.target._schema.returns):
        return False
    if source.dtype != result.dtype:  # view_as_real and its inverse share; casts copy
        return source.is_complex() or result.is_complex()
    if name_of(node.target) in ("contiguous", "to"):
        return bool(source.stride() == result.stride())
    return name_of(node.target) not in ("reshape", "flatten") or _can_view(source, result)


def _can_view(source: torch.Tensor, result: torch.Tensor) -> bool:
    try:
        torch.empty_strided(source.shape, source.stride(), device="meta").view(result.shape)
    except RuntimeError:
        return False
    return True
