"""What the scores of an attention are made of: who is kept from seeing what, and what is the same for all."""

from __future__ import annotations

import math
from dataclasses import replace

from ..builder import Builder
from ..expr import Apply, Attend, Const, Position, SizeOf
from ..loops import Loops
from ..lowering.factors import outside_products


def attention_of(loops: Loops) -> tuple[int, Attend]:
    """The node of a region that is an attention."""
    b = loops.region.builder
    for number in b.walk([s.value for s in loops.region.stores]):
        if isinstance(node := b.nodes[number], Attend):
            return number, node
    raise ValueError("a region without an attention")


def looks_back_only(loops: Loops) -> bool:
    """Whether a query sees no key behind its own place, and rows are places: later keys need no visit."""
    b, tiling = loops.region.builder, loops.tiling
    node = b.nodes[attention_of(loops)[1].scores]
    if tiling is None or len(tiling.rows) != 1 or len(tiling.depth) != 1:
        return False
    if not (isinstance(node, Apply) and node.function == "where"):
        return False
    seen, nothing = b.nodes[node.args[0]], b.nodes[node.args[2]]
    if not (isinstance(nothing, Const) and nothing.value == -float("inf")):
        return False
    if not (isinstance(seen, Apply) and seen.function == "le"):
        return False
    column, row = (b.nodes[n] for n in seen.args)
    return all(
        isinstance(place, Position)
        and place.index.constant.is_zero()
        and loops.coefficient(b.space.resolve(place.index), axis) == loops.one
        and len(b.space.resolve(place.index).terms) == len(axis.leaves)
        for place, axis in ((column, tiling.depth[0]), (row, tiling.rows[0]))
    )


def seen_by_all(builder: Builder, node: Attend) -> int:
    """The scores of keys that no query is kept from: what `where(key <= query, x, -inf)` chooses there."""
    root = builder.nodes[node.scores]
    kept = isinstance(root, Apply) and root.function == "where"
    return root.args[1] if isinstance(root, Apply) and kept else node.scores


def scaled(builder: Builder, number: int) -> tuple[int, int | None]:
    """x and the positive number, the same for all, that scores are x times, where none of them is left out.

    `where(seen, x times scale, -inf)` is `where(seen, x, -inf)` times scale. (scores, None) for any other.
    """
    node = builder.nodes[number]
    if not isinstance(node, Apply):
        return number, None
    if node.function == "mul":
        for x, scale in (node.args, node.args[::-1]):
            if not builder.free_axes(scale) and _is_positive(builder, scale):
                return x, scale
    if node.function == "where" and _is_nothing(builder, node.args[2]):
        seen, chosen, nothing = node.args
        x, scale_or_none = scaled(builder, chosen)
        if scale_or_none is not None:
            return builder.add(replace(node, args=(seen, x, nothing))), scale_or_none
    return number, None


def shared_numbers(builder: Builder, root: int) -> list[int]:
    """Numbers computed for scores that are the same for all of them, each the whole of what is computed."""
    varying = [n for n in outside_products(builder, [root]) if builder.free_axes(n)]
    parts = dict.fromkeys(
        c for n in varying for c in builder.children(n) if isinstance(builder.nodes[n], Apply)
    )
    return [n for n in parts if isinstance(builder.nodes[n], Apply) and not builder.free_axes(n)]


def _is_nothing(builder: Builder, number: int) -> bool:
    node = builder.nodes[number]
    return isinstance(node, Const) and node.value == -math.inf


def _is_positive(builder: Builder, number: int) -> bool:
    """Whether a number is above zero whatever the sizes are."""
    node = builder.nodes[number]
    if isinstance(node, Const):
        return 0 < node.value < math.inf
    if isinstance(node, Apply) and node.function in ("mul", "div", "sqrt", "rsqrt", "cast"):
        return all(_is_positive(builder, n) for n in node.args)
    return isinstance(node, SizeOf)
