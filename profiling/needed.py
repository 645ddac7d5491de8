"""Counts the arithmetic that an op's results need: of a product behind `triu` or `tril` what these keep.

needed_flops(traced)   # 2 * 4096**3 / 2 for triu(a @ b), where the op as written takes 2 * 4096**3
"""

from __future__ import annotations

from math import prod

from torch.fx import Node

from .flops import node_flops
from .kinds import kind_of, name_of
from .trace import TracedOp

_TRIANGLES = ("triu", "tril")


def needed_flops(traced: TracedOp) -> int:
    """At most `traced.flops`, and less only where the graph itself throws results of a product away."""
    calls = [node for node in traced.program.graph.nodes if node.op == "call_function"]
    unneeded = sum(
        node_flops(node) * (1 - _share(node)) for node in calls if kind_of(node.target) == "matmul"
    )
    return traced.flops - int(unneeded)


def _share(product: Node) -> float:
    """Of a product's results, how many a triangle behind it keeps; pointwise calls may lie between."""
    node, shape = product, _shape(product)
    while len(node.users) == 1 and len(shape) >= 2:
        node = next(iter(node.users))
        if node.op != "call_function" or _shape(node) != shape:
            return 1.0
        if name_of(node.target) in _TRIANGLES:
            return _kept(node, *shape[-2:])
        if kind_of(node.target) != "pointwise":
            return 1.0
    return 1.0


def _kept(triangle: Node, rows: int, cols: int) -> float:
    shift = triangle.args[1] if len(triangle.args) > 1 else triangle.kwargs.get("diagonal", 0)
    if not isinstance(shift, int):
        return 1.0
    below = sum(min(cols, max(0, row + shift)) for row in range(rows))  # left of the diagonal, without it
    if name_of(triangle.target) == "triu":
        return 1 - below / (rows * cols)
    return sum(min(cols, max(0, row + shift + 1)) for row in range(rows)) / (rows * cols)


def _shape(node: Node) -> tuple[int, ...]:
    value = node.meta.get("val")
    sizes = getattr(value, "shape", ())
    return tuple(map(int, sizes)) if prod(sizes) else ()
