"""A long reduction behind a matrix product in two: of runs that a tile of it holds, then of these.

The first stage stays in the product's kernel, which then writes one number for each run instead of every
element. Runs are whole trailing dimensions where tiles hold these, else as many elements of the last one as
the largest power of two that divides it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx

from ..losses import argument, call_on_fakes
from .marks import Rewrite, Run, mark_run
from .nodes import is_alone, name, put

aten = torch.ops.aten

REWRITE = Rewrite(
    "epilogue-reduction", "a long reduction behind a product in two stages",
    "a sum of sums, a mean of means of equally many, a maximum of maxima and log(sum(exp)) of such "
    "logarithms are those of everything",
)  # fmt: skip

MOST_RUN, LEAST_RUN = 256, 8
"""Elements of a run: more do not fit the tile of a product, fewer are not worth a second stage."""

CUT_RUN = 64
"""Elements of a run that a dimension is cut into: it fits tiles of any width."""

LEAST_FILL = 0.75
"""Share of a tile's lanes, a power of two, that runs must fill."""

_STAGES = {
    "sum.dim_IntList": aten.sum.dim_IntList, "mean.dim": aten.mean.dim, "amax.default": aten.amax.default,
    "amin.default": aten.amin.default, "max.dim": aten.amax.default, "min.dim": aten.amin.default,
    "logsumexp.default": aten.logsumexp.default, "adaptive_avg_pool1d.default": aten.mean.dim,
    "adaptive_avg_pool2d.default": aten.mean.dim, "adaptive_avg_pool3d.default": aten.mean.dim,
}  # fmt: skip
_PRODUCTS = ("linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "conv")

Sizes = Mapping[str, Sequence[int]]


def apply(graph: fx.Graph, full: Sizes) -> None:
    """In place; `full` are the shapes by which it is decided, those of the operator at its full size."""
    for node in list(graph.nodes):
        if name(node) in _STAGES and _is_ours(node):
            dims = _dims(node)
            shape = full.get(node.args[0].name, tuple(node.args[0].meta["val"].shape))
            if (run := _run(shape, dims)) is not None:
                _rewrite(graph, node, dims, run)


def _is_ours(node: fx.Node) -> bool:
    """Whether a reduction in single precision has a product behind it, and nobody else needs its elements."""
    source = node.args[0]
    if not isinstance(source, fx.Node) or source.meta["val"].dtype is not torch.float32:
        return False
    if "_pool" in name(node) and any(size != 1 for size in _value(node).shape[2:]):
        return False
    if name(node) in ("sum.dim_IntList", "mean.dim") and argument(node, "dtype") is not None:
        return False
    if name(node) in ("max.dim", "min.dim") and any(user.args[1] != 0 and user.users for user in node.users):
        return False
    return _has_product_behind(source)


def _has_product_behind(node: fx.Node) -> bool:
    """Through pointwise operators that one other node alone reads."""
    if not is_alone(node):
        return False
    if name(node).startswith(_PRODUCTS):
        return True
    if not isinstance(node.target, torch._ops.OpOverload) or torch.Tag.pointwise not in node.target.tags:
        return False
    whole = [n for n in node.all_input_nodes if n.meta["val"].numel() == node.meta["val"].numel()]
    return len(whole) == 1 and _has_product_behind(whole[0])


def _value(node: fx.Node) -> torch.Tensor:
    value = node.meta["val"]
    first: torch.Tensor = value[0] if isinstance(value, tuple | list) else value
    return first


def _dims(node: fx.Node) -> list[int]:
    """The reduced dimensions, in order."""
    source: Any = node.args[0]
    rank = source.meta["val"].dim()
    if "_pool" in name(node):
        return list(range(2, rank))
    given = argument(node, "dim")
    listed = given if isinstance(given, list | tuple) else [given]
    return sorted(int(d) % rank for d in listed) or list(range(rank))


def _run(shape: Sequence[int], dims: Sequence[int]) -> tuple[int, int] | None:
    """How many of the reduced dimensions a run takes, the last ones, and which part of the last; None where
    all of them fit a tile or no run does."""
    if math.prod(shape[d] for d in dims) <= MOST_RUN:
        return None
    for count in range(len(dims) - 1, 0, -1):
        size = math.prod(shape[d] for d in dims[len(dims) - count :])
        if LEAST_RUN <= size <= MOST_RUN and size >= LEAST_FILL * (1 << (size - 1).bit_length()):
            return count, 0
    divisor = min(shape[dims[-1]] & -shape[dims[-1]], CUT_RUN)
    return (1, CUT_RUN) if divisor >= LEAST_RUN else None


def _rewrite(graph: fx.Graph, node: fx.Node, dims: list[int], run: tuple[int, int]) -> None:
    x, operator, (count, most) = node.args[0], _STAGES[name(node)], run
    assert isinstance(x, fx.Node)
    shape, kept = list(x.meta["val"].shape), "_pool" in name(node) or bool(argument(node, "keepdim"))
    with graph.inserting_before(node):
        if most:
            last, each = dims[-1], min(shape[dims[-1]] & -shape[dims[-1]], most)
            runs = [*shape[:last], shape[last] // each, each, *shape[last + 1 :]]
            x = call_on_fakes(graph, "runs", aten.view.default, [x, runs])
            mark_run(x, Run(last + 1, most))
            first = call_on_fakes(graph, "of_runs", operator, [x, [last + 1]])
        else:
            first = call_on_fakes(graph, "of_runs", operator, [x, dims[len(dims) - count :], True])
        found = call_on_fakes(graph, "joined", operator, [first, dims, kept])
    if isinstance(node.meta["val"], torch.Tensor):
        put(graph, found, node, REWRITE)
        return
    for user in list(node.users):
        if user.args[1] == 0:
            put(graph, found, user, REWRITE)
        else:
            graph.erase_node(user)
    graph.erase_node(node)
