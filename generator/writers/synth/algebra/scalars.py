"""Numbers that follow each other as one: (x * a) / b as x * (a / b), (x + a) - b as x + (a - b).

Equal in exact arithmetic; in floating point it rounds once where the op as written rounds twice.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import fx

from ..losses import argument, call_on_fakes
from .marks import Rewrite
from .nodes import is_alone, name, put

aten = torch.ops.aten

REWRITE = Rewrite(
    "drop-identities", "numbers that follow each other as one",
    "equal in exact arithmetic, and rounded once instead of twice",
)  # fmt: skip

_FACTORS = frozenset({"mul.Tensor", "mul.Scalar", "div.Tensor", "div.Scalar"})
_TERMS = frozenset({"add.Tensor", "add.Scalar", "sub.Tensor", "sub.Scalar"})
_DTYPES = {torch.float32, torch.float64}
"""Short floats are rounded in between."""

_RANGE = (2.0**-60, 2.0**60)
"""Magnitudes of factors that are merged, each and together: far from where a step between would overflow or
vanish for numbers that people compute with."""


def apply(graph: fx.Graph) -> None:
    """In place, along chains of any length."""
    for node in list(graph.nodes):
        inner = node.args[0] if node.args else None
        if not isinstance(inner, fx.Node) or not is_alone(inner):
            continue
        if (both := _merged(inner, node)) is None:
            continue
        operator, number = both
        with graph.inserting_before(node):
            found = call_on_fakes(graph, "merged", operator, [inner.args[0], number])
        put(graph, found, node, REWRITE)
        graph.erase_node(inner)


def _merged(inner: fx.Node, outer: fx.Node) -> tuple[Any, float] | None:
    """The operator and the number that stand for both."""
    factors = [one for node in (inner, outer) if (one := _factor(node)) is not None]
    terms = [one for node in (inner, outer) if (one := _term(node)) is not None]
    if max(len(factors), len(terms)) < 2 or not _in_one_dtype(inner, outer):
        return None
    if terms:
        return aten.add.Tensor, math.fsum(terms)
    number = math.prod(factors)
    return (aten.mul.Tensor, number) if _is_usual(number) else None


def _factor(node: fx.Node) -> float | None:
    number = _number(node, _FACTORS)
    if number is None or not _is_usual(number):
        return None
    return 1.0 / number if name(node).startswith("div") else number


def _term(node: fx.Node) -> float | None:
    number = _number(node, _TERMS)
    if number is None or argument(node, "alpha") != 1 or not math.isfinite(number):
        return None
    return -number if name(node).startswith("sub") else number


def _number(node: fx.Node, operators: frozenset[str]) -> float | None:
    """What one of these operators takes beside a tensor, where that is a number."""
    second = node.args[1] if name(node) in operators and len(node.args) > 1 else None
    return float(second) if isinstance(second, int | float) and not isinstance(second, bool) else None


def _is_usual(factor: float) -> bool:
    return _RANGE[0] <= abs(factor) <= _RANGE[1]


def _in_one_dtype(inner: fx.Node, outer: fx.Node) -> bool:
    read = inner.args[0]
    nodes = [inner, outer, *([read] if isinstance(read, fx.Node) else [])]
    dtypes = {node.meta["val"].dtype for node in nodes}
    return len(nodes) == 3 and len(dtypes) == 1 and dtypes <= _DTYPES
