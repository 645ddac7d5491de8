"""What a value is in the lanes beyond the end of a row, so that only reductions which need it are masked again."""

from __future__ import annotations

from typing import Literal

from ..expr import Apply, Builder, Load, Reduce
from .values import Values

Padding = Literal["zero", "-inf", "any"]
_KEEPS_ZERO = frozenset({"cast", "abs", "neg", "relu", "sqrt"})


def choose_padding(values: Values, reductions: list[int]) -> None:
    """Load -inf instead of 0 beyond the row where that serves more reductions."""
    builder = values.builder
    loads = [i for i in builder.walk(reductions) if isinstance(builder.nodes[i], Load) and values.varies(i)]
    for load in loads:
        node = builder.nodes[load]
        assert isinstance(node, Load)
        if node.dtype not in ("fp32", "fp16", "bf16"):
            continue
        plain = sum(is_neutral(values, r) for r in reductions)
        values.masked[(load, ())] = '-float("inf")'
        if sum(is_neutral(values, r) for r in reductions) <= plain:
            del values.masked[(load, ())]


def is_neutral(values: Values, reduce: int) -> bool:
    """Whether the padding leaves the reduction alone as it is."""
    node = values.builder.nodes[reduce]
    assert isinstance(node, Reduce)
    return padding(values, node.arg) == {"sum": "zero", "max": "-inf", "peak": "-inf"}.get(node.kind)


def padding(values: Values, number: int) -> Padding:
    builder: Builder = values.builder
    node = builder.nodes[number]
    if isinstance(node, Load) and values.varies(number):
        return "-inf" if (number, ()) in values.masked else "zero"
    if not isinstance(node, Apply):
        return "any"
    below = [padding(values, a) for a in node.args]
    if node.function in _KEEPS_ZERO:
        return (
            "zero"
            if below[0] == "zero"
            else ("-inf" if node.function == "cast" else "any")
            if below[0] == "-inf"
            else "any"
        )
    if node.function in ("mul", "add") and all(p == "zero" for p in below):
        return "zero"
    if node.function == "sub" and below[0] == "-inf" and not values.varies(node.args[1]):
        return "-inf"
    if node.function == "exp" and below[0] == "-inf":
        return "zero"
    return "any"
