"""Rewrite the traced graph before it is cut: nothing in place, losses in parts, algebra applied."""

from __future__ import annotations

import torch
from torch import fx

from .algebra.rewrites import apply_algebra
from .attention_parts import spread_attention
from .einsums import spread_einsums
from .losses import spread_losses
from .space import CannotFuseError
from .views import is_view

_MAY_ALIAS = frozenset(
    {"to", "contiguous", "type_as", "detach_", "diagonal", "unfold", "as_strided", "real", "imag"}
)
"""Operators beside the views whose result may lie in the memory of their argument."""


def functional(graph: fx.Graph, full: fx.Graph | None = None, *, algebra: bool = True) -> fx.Graph:
    """A copy of the graph in which no intermediate is overwritten, losses are in parts and sums come first.

    What depends on sizes is decided by those of the same operator's `full` graph, rewritten before. Without
    `algebra` what is computed stays as it was written.

    Raises `CannotFuseError` where an in-place operator reaches an argument of forward, a part of a tensor,
    or a tensor of which views are still in use. The counter of batches that batch norm keeps stays as it
    is.
    """
    copied: dict[fx.Node, fx.Node] = {}
    new = fx.Graph()
    result = new.graph_copy(graph, copied)
    new.output(result)
    new.output_node().meta = dict(graph.output_node().meta)
    storage: dict[fx.Node, fx.Node] = {}
    for node in list(new.nodes):
        storage[node] = _storage(node, storage)
        if is_in_place(node) and not _is_counter(node, storage):
            _replace(new, node, storage)
    spread_losses(new)
    spread_attention(new)
    spread_einsums(new)
    if not algebra:
        return new
    nodes = [] if full is None else [n for n in full.nodes if isinstance(n.meta.get("val"), torch.Tensor)]
    apply_algebra(new, {n.name: tuple(n.meta["val"].shape) for n in nodes})
    return new


def op_name(node: fx.Node) -> str:
    """`relu_` for torch.ops.aten.relu_.default; "" for what is no ATen call."""
    target = node.target
    if (
        node.op == "call_function"
        and isinstance(target, torch._ops.OpOverload)
        and target.namespace == "aten"
    ):
        return str(target).removeprefix("aten.").split(".")[0]
    return ""


def is_in_place(node: fx.Node) -> bool:
    name = op_name(node)
    return name.endswith("_") and not name.endswith("__")


def _storage(node: fx.Node, storage: dict[fx.Node, fx.Node]) -> fx.Node:
    """The node whose memory this one may share; a cast to another type makes new memory."""
    if not node.all_input_nodes:
        return node
    source = node.all_input_nodes[0]
    if op_name(node) in ("to", "type_as") and node.meta["val"].dtype != source.meta["val"].dtype:
        return node
    shares = is_view(node) or is_in_place(node) or op_name(node) in _MAY_ALIAS
    return storage[source] if shares else node


def _is_counter(node: fx.Node, storage: dict[fx.Node, fx.Node]) -> bool:
    value = node.meta["val"]
    source = storage[node]
    return source.op == "placeholder" and value.dim() == 0 and value.dtype is torch.int64 and not node.users


def _replace(graph: fx.Graph, node: fx.Node, storage: dict[fx.Node, fx.Node]) -> None:
    name, owner = op_name(node), storage[node]
    changed = node.args[0]
    if not isinstance(changed, fx.Node):
        raise CannotFuseError(f"{name} changes several tensors in place")
    if owner.op == "placeholder" and name != "detach_":
        raise CannotFuseError(f"forward overwrites {owner.name}, which is not its own, in place ({name})")
    if changed.meta["val"].shape != owner.meta["val"].shape or is_view(changed):
        raise CannotFuseError(f"forward overwrites a part of a tensor in place ({name})")
    if name != "detach_" and _others_in_use(node, owner, storage):
        raise CannotFuseError(f"forward overwrites a tensor in place while views of it are in use ({name})")
    plain = getattr(torch.ops.aten, name.removesuffix("_"), None)
    overload = str(node.target).rsplit(".", 1)[-1]
    if name == "detach_":
        node.replace_all_uses_with(changed)
        graph.erase_node(node)
        return
    if plain is None or overload not in plain.overloads():
        raise CannotFuseError(f"{name} has no form that leaves its argument alone")
    with graph.inserting_before(node):
        pure = graph.call_function(getattr(plain, overload), node.args, node.kwargs)
    pure.meta = dict(node.meta)
    storage[pure] = pure
    node.replace_all_uses_with(pure)
    graph.erase_node(node)


def _others_in_use(node: fx.Node, owner: fx.Node, storage: dict[fx.Node, fx.Node]) -> bool:
    """Whether any other name of the same memory is read after this node."""
    later: set[fx.Node] = set()
    following = node.next
    while following.op != "root":
        later.add(following)
        following = following.next
    others = [n for n, root in storage.items() if root is owner and n is not node]
    return any(user in later for other in others for user in other.users)
