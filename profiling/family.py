"""Names the family of a traced graph: the kind of work that decides how its kernel is built.

| found in the graph | family |
| --- | --- |
| attention, or a softmax between two products | attention |
| one of conv, matmul, pooling, scan, rnn, sort, loss | that one |
| two or more of them, or one of them with a norm, softmax or reduction | mixed |
| softmax, or an exp whose sum divides it | softmax |
| a normalisation, or a reduction whose result scales its own input | norm |
| a reduction to a scalar over two or more inputs | loss |
| another reduction | reduction |
| halves negated or swapped, joined again and multiplied | rope |
| pointwise work, casts | pointwise |
| indexing, joining, padding alone | gather, movement |
"""

import math
from collections.abc import Callable, Iterable, Sequence

import torch
from torch.fx import Node

from .kinds import kind_of, name_of

_HEAVY = ("attention", "conv", "matmul", "pooling", "scan", "rnn", "sort", "loss")
_ROWWISE = ("softmax", "norm", "reduction")


def family_of(calls: Sequence[Node], inputs: int) -> str:
    """Family of the graph whose operator calls are `calls` and which takes `inputs` tensors."""
    kinds = [kind_of(node.target) for node in calls]
    heavy = [kind for kind in _HEAVY if kind in kinds]
    rowwise = _rowwise(calls, kinds, inputs)
    if _is_attention(kinds, rowwise):
        return "attention"
    if heavy:
        return (
            heavy[0]
            if len(heavy) == 1 and rowwise in (None, "loss" if heavy[0] == "loss" else None)
            else "mixed"
        )
    if rowwise:
        return rowwise
    if _is_rope(calls, kinds):
        return "rope"
    return next((kind for kind in ("pointwise", "random", "gather") if kind in kinds), "movement")


def _rowwise(calls: Sequence[Node], kinds: Sequence[str], inputs: int) -> str | None:
    """softmax, norm, loss or reduction, when the graph holds one of them."""
    if "softmax" in kinds:
        return "softmax"
    if "norm" in kinds:
        return "norm"
    reductions = [node for node, kind in zip(calls, kinds, strict=True) if kind == "reduction"]
    if not reductions:
        return None
    if any(_scales_its_input(node) for node in reductions):
        return "softmax" if any(name_of(node.target) == "exp" for node in calls) else "norm"
    return "loss" if inputs > 1 and _elements([calls[-1]]) == 1 else "reduction"


def _scales_its_input(reduction: Node) -> bool:
    """The result meets, in pointwise work, a tensor that comes from what was reduced and is as large."""
    before, sources = _elements(reduction.all_input_nodes), _ancestors(reduction)
    after = _descendants(reduction)
    return any(
        kind_of(node.target) == "pointwise"
        and _elements([node]) >= before > _elements([reduction])
        and any(other not in after and _ancestors(other) & sources for other in node.all_input_nodes)
        for node in after - {reduction}
    )


def _ancestors(node: Node) -> set[Node]:
    """The node and all it is computed from, back to the graph's arguments."""
    return _reached(node, lambda found: found.all_input_nodes)


def _descendants(node: Node) -> set[Node]:
    """The node and what follows from it through pointwise work and moves."""
    return _reached(
        node,
        lambda found: [
            user
            for user in found.users
            if user.op == "call_function" and kind_of(user.target) in ("pointwise", "move")
        ],
    )


def _reached(start: Node, following: Callable[[Node], Iterable[Node]]) -> set[Node]:
    seen, frontier = {start}, [start]
    while frontier:
        new = set(following(frontier.pop())) - seen
        seen |= new
        frontier += new
    return seen


def _is_attention(kinds: Sequence[str], rowwise: str | None) -> bool:
    if "attention" in kinds:
        return not {"conv", "pooling", "rnn"} & set(kinds)
    if rowwise != "softmax" or "matmul" not in kinds or "softmax" not in kinds:
        return False
    place = kinds.index("softmax")
    return (
        "matmul" in kinds[:place]
        and "matmul" in kinds[place:]
        and not {"conv", "pooling", "rnn"} & set(kinds)
    )


def _is_rope(calls: Sequence[Node], kinds: Sequence[str]) -> bool:
    """Rotary embedding: parts of one tensor are cut out, rejoined and multiplied (or rotated as complex)."""
    names = {name_of(node.target) for node in calls}
    if "view_as_complex" in names and "view_as_real" in names:
        return True
    cut = names & {"slice", "split", "split_with_sizes", "chunk", "unbind", "select", "index"}
    return bool(cut and names & {"cat", "stack"} and "mul" in names and names & {"neg", "sub"})


def _elements(nodes: Iterable[Node]) -> int:
    """Elements of the largest tensor that the nodes give."""
    values = [leaf for node in nodes for leaf in _leaves(node.meta.get("val"))]
    return max((math.prod(map(int, leaf.shape)) for leaf in values), default=0)


def _leaves(value: object) -> list[torch.Tensor]:
    parts = value if isinstance(value, list | tuple) else [value]
    return [part for part in parts if isinstance(part, torch.Tensor)]
