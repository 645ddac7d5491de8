"""Two poolings in a row as one over the windows of windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ..losses import argument, call_on_fakes
from .marks import Rewrite
from .nodes import is_alone, name, put

REWRITE = Rewrite(
    "pool-composition", "two poolings as one over windows of windows",
    "the largest of the largest is the largest of all, and a mean of means of equally many is their mean",
)  # fmt: skip


@dataclass(frozen=True)
class _Pool:
    """Windows of a pooling without padding, one entry a dimension."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]


def apply(graph: fx.Graph) -> None:
    """In place. The inner windows must cover what lies between them, and means may not overlap."""
    for node in list(graph.nodes):
        inner = node.args[0] if node.args else None
        if not isinstance(inner, fx.Node) or name(inner) != name(node) or not is_alone(inner):
            continue
        outer_pool, inner_pool = _pool(node), _pool(inner)
        if outer_pool is None or inner_pool is None or not _covers(inner_pool, "avg" in name(node)):
            continue
        pairs = list(zip(inner_pool.sizes, inner_pool.strides, outer_pool.sizes, strict=True))
        sizes = [size + (windows - 1) * stride for size, stride, windows in pairs]
        strides = [a * b for a, b in zip(inner_pool.strides, outer_pool.strides, strict=True)]
        target: Any = node.target
        with graph.inserting_before(node):
            both = call_on_fakes(graph, "pooled", target, [inner.args[0], sizes, strides])
        put(graph, both, node, REWRITE)
        graph.erase_node(inner)


def _covers(pool: _Pool, means: bool) -> bool:
    pairs = zip(pool.strides, pool.sizes, strict=True)
    return all(stride == size if means else stride <= size for stride, size in pairs)


def _pool(node: fx.Node) -> _Pool | None:
    """The windows of a pooling that neither pads, dilates, rounds up nor divides by a number of its own."""
    kind = name(node).split("_pool")[0]
    if kind not in ("max", "avg") or node.meta["val"].dtype is not torch.float32:
        return None
    rank = int(name(node).split("pool")[1][0])
    apart = _each(argument(node, "dilation"), rank) if kind == "max" else (1,) * rank
    divided = kind == "avg" and rank > 1 and argument(node, "divisor_override") is not None
    if (
        any(_each(argument(node, "padding"), rank))
        or set(apart) != {1}
        or divided
        or argument(node, "ceil_mode")
    ):
        return None
    sizes = _each(argument(node, "kernel_size"), rank)
    given = argument(node, "stride")
    return _Pool(sizes, _each(given, rank) if given else sizes)


def _each(value: Any, rank: int) -> tuple[int, ...]:
    values = tuple(value) if isinstance(value, list | tuple) else (value,)
    return values * rank if len(values) == 1 else values
