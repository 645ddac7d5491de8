"""Rewrite an einsum of many operands as a chain of einsums of two, from left to right as torch takes them."""

from __future__ import annotations

import torch
from torch import fx

from .losses import call_on_fakes

aten = torch.ops.aten


def spread_einsums(graph: fx.Graph) -> None:
    """In place: what neither the result nor a later operand asks for is summed as soon as it can be."""
    for node in list(graph.nodes):
        if node.target is aten.einsum.default and len(node.args[1]) > 2:
            _spread(graph, node)


def _spread(graph: fx.Graph, node: fx.Node) -> None:
    equation, operands = str(node.args[0]).replace(" ", ""), list(node.args[1])  # type: ignore[arg-type]
    given, arrow, result = equation.partition("->")
    labels = given.split(",")
    if not arrow or "." in equation or any(len(set(each)) < len(each) for each in labels):
        return
    with graph.inserting_before(node):
        while len(operands) > 1:
            later = {*result, *"".join(labels[2:])}
            kept = "".join(each for each in dict.fromkeys(labels[0] + labels[1]) if each in later)
            kept = kept if len(operands) > 2 else result
            step = f"{labels[0]},{labels[1]}->{kept}"
            product = call_on_fakes(graph, "product", aten.einsum.default, [step, operands[:2]])
            operands, labels = [product, *operands[2:]], [kept, *labels[2:]]
    product.meta = {**node.meta, "val": product.meta["val"]}
    node.replace_all_uses_with(product)
    graph.erase_node(node)
