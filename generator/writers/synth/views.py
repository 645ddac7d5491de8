"""Which ATen operators only look at memory in another way."""

from __future__ import annotations

import operator

import torch
from torch import fx

_MOVES = frozenset({
    "permute", "transpose", "t", "numpy_T", "mT", "mH", "adjoint", "matrix_H", "movedim", "moveaxis",
    "swapaxes", "swapdims", "squeeze", "unsqueeze", "view", "_unsafe_view", "view_as", "reshape",
    "reshape_as", "flatten", "ravel", "unflatten", "expand", "expand_as", "broadcast_to",
    "broadcast_tensors", "slice", "select", "narrow", "chunk", "split", "split_with_sizes",
    "tensor_split", "unsafe_chunk", "unsafe_split", "unbind", "unfold", "alias", "detach",
})  # fmt: skip


def is_view(node: fx.Node) -> bool:
    """Whether a node moves no element; parts of a view that gives several tensors are views too."""
    if node.target is operator.getitem:
        source = node.args[0]
        return isinstance(source, fx.Node) and is_view(source)
    target = node.target
    if (
        node.op != "call_function"
        or not isinstance(target, torch._ops.OpOverload)
        or target.namespace != "aten"
    ):
        return False
    return str(target).removeprefix("aten.").split(".")[0] in _MOVES


PLUMBING = frozenset({"to", "_to_copy", "contiguous", "clone", "type_as", "getitem"})
"""Operators that a person would not name among what a kernel computes."""
