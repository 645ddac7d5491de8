"""What values are in the lanes beyond a row's end, so that only reductions that need it are masked again."""

from __future__ import annotations

from typing import Literal

from ..dtypes import is_float
from ..expr import Apply, Load
from ..stages import reduce_node
from .values import Values

Padding = Literal["zero", "-inf", "inf", "any"]
_KEEPS_ZERO = frozenset({"cast", "abs", "neg", "relu", "relu_int", "sqrt"})
_LEFT_ALONE_BY = {
    "sum": "zero", "max": "-inf", "peak": "-inf", "argmax": "-inf", "min": "inf", "argmin": "inf",
}  # fmt: skip
_INFINITE: dict[str, Padding] = {'-float("inf")': "-inf", 'float("inf")': "inf"}

_INTEGER_BITS = {"int64": 63, "int32": 31}


def neutral(kind: str, dtype: str) -> str:
    """The value that changes nothing under a reduction, as source."""
    if kind in ("sum", "any"):
        return "0.0" if is_float(dtype) else "0"
    if kind in ("prod", "all"):
        return "1.0" if is_float(dtype) else "1"
    high = kind in ("max", "peak", "argmax")
    if is_float(dtype):
        return '-float("inf")' if high else 'float("inf")'
    bits = _INTEGER_BITS[dtype]
    return str(-(1 << bits) if high else (1 << bits) - 1)


def choose_padding(values: Values, reductions: list[int]) -> None:
    """Load an infinity instead of 0 beyond the row where that serves more reductions."""
    builder = values.builder
    for load in builder.walk(reductions):
        node = builder.nodes[load]
        if not isinstance(node, Load) or not values.varies(load) or not is_float(node.dtype):
            continue
        served: dict[str | None, int] = {None: sum(is_neutral(values, r) for r in reductions)}
        for other in _INFINITE:
            values.masked[load] = other
            served[other] = sum(is_neutral(values, r) for r in reductions)
        del values.masked[load]
        if (best := max(served, key=served.__getitem__)) is not None:
            values.masked[load] = best


def is_neutral(values: Values, reduce: int) -> bool:
    """Whether the padding leaves the reduction alone as it is."""
    node = reduce_node(values.builder, reduce)
    return padding(values, node.arg) == _LEFT_ALONE_BY.get(node.kind)


def padding(values: Values, number: int) -> Padding:
    found: dict[int, Padding] = {}
    for below in values.builder.walk([number]):
        found[below] = _padding(values, below, found)
    return found[number]


def _padding(values: Values, number: int, found: dict[int, Padding]) -> Padding:
    node = values.builder.nodes[number]
    if isinstance(node, Load) and values.varies(number):
        return _INFINITE[values.masked[number]] if number in values.masked else "zero"
    if not isinstance(node, Apply):
        return "any"
    below = [found[a] for a in node.args]
    if node.function in _KEEPS_ZERO and below[0] == "zero":
        return "zero"
    if node.function in ("mul", "add") and all(p == "zero" for p in below):
        return "zero"
    if node.function == "cast" and below[0] in _INFINITE.values():
        return below[0]
    if node.function == "sub" and below[0] in _INFINITE.values() and not values.varies(node.args[1]):
        return below[0]
    if node.function == "exp" and below[0] == "-inf":
        return "zero"
    return "any"
