"""Where a window reads: the place on each tapped dimension, and whether it lies inside the tensor."""

from __future__ import annotations

from typing import Protocol

from ..builder import Builder
from ..expr import Load, Tap
from ..extent import Extent
from ..space import Axis, Space
from .index import Indexer
from .kernel import Kernel
from .text import Text, term

Instance = tuple[tuple[Axis, int], ...]
"""Positions on unrolled axes."""


class Scope(Protocol):
    """Where lines are written, and what is known there."""

    kernel: Kernel
    indexer: Indexer
    builder: Builder

    def remembered(self, key: str) -> Text | None: ...

    def remember(self, key: str, text: Text) -> Text: ...

    def fresh(self, base: str) -> str: ...

    def named(self, number: int, at: Instance) -> Text: ...


_NAMES = ("width", "height", "length")
"""Sizes of the last, the second last and the third last dimension of a window."""


def place_taps(values: Scope, node: Load, at: Instance) -> tuple[list[str], str, str]:
    """Terms of the address, the condition under which it lies inside ("" where it always does), and what of
    that is no choice among parts: where it does not hold, there is padding.

    Lines are written for places and for the condition, once for loads that are tapped alike.
    """
    terms: list[str] = []
    conditions: list[str] = []
    of_windows: list[str] = []
    for position, tap in enumerate(reversed(node.taps)):
        name = _NAMES[position] if position < len(_NAMES) else "extent"
        place = _line(values, f"at_{name}", _place(values, tap, at))
        if found := " & ".join(_conditions(values, tap, place, name)):
            conditions.insert(0, _line(values, f"inside_{name}", found) if tap.step > 1 else found)
            of_windows = of_windows if tap.part else [conditions[0], *of_windows]
        step = _size(values, tap.stride, f"{name}_stride")
        at_step = f"{place} // {tap.step}" if tap.step > 1 else place
        grouped = f"({at_step})" if tap.step > 1 else at_step
        terms.insert(0, at_step if step == "1" else f"{grouped} * {step}")
    inside = _line(values, "inside", " & ".join(conditions)) if conditions else ""
    return terms, inside, inside if of_windows == conditions else " & ".join(of_windows)


def gathered_terms(values: Scope, node: Load, at: Instance) -> tuple[list[str], str, str]:
    """The same for dimensions that are read at computed places; nothing is read outside of them."""
    terms: list[str] = []
    conditions: list[str] = []
    for gathered in node.gathered:
        place = values.named(gathered.place, at).source
        step = values.kernel.scalar(gathered.stride, "place_stride")
        terms.append(term(place, step))
        conditions.append(f"({place} >= 0) & ({place} < {_size(values, gathered.size, 'n_places')})")
    inside = " & ".join(conditions)
    return terms, inside, inside


def join_masks(*masks: str) -> str:
    return " & ".join(mask for mask in masks if mask)


def _line(values: Scope, base: str, source: str) -> str:
    """A variable with this value, an earlier one where there is one."""
    if source.isidentifier():
        return source
    if (known := values.remembered(source)) is None:
        known = values.remember(source, Text(values.fresh(base)))
        values.kernel.line(f"{known.source} = {source}")
    return known.source


def _place(values: Scope, tap: Tap, at: Instance) -> str:
    moving, constant = values.indexer.parts(tap.place, dict(at), fixed=True)
    if not constant:
        return moving or "0"
    away = f"- {constant[1:]}" if constant.startswith("-") else f"+ {constant}"
    return f"{moving} {away}" if moving else constant


def _conditions(values: Scope, tap: Tap, place: str, name: str) -> list[str]:
    """Only the sides on which some traced shape leaves the tensor, or another may."""
    low, high = _reach(values.builder.space, tap)
    found = []
    if any(v < 0 for v in low.values):
        found.append(f"({place} >= 0)")
    if tap.over or any(v >= size * tap.step for v, size in zip(high.values, tap.size.values, strict=True)):
        size = _size(values, tap.size, name)
        found.append(f"({place} < {size}{f' * {tap.step}' if tap.step > 1 else ''})")
    if tap.step > 1:
        found.append(f"({place} % {tap.step} == 0)")
    return found


def _size(values: Scope, size: Extent, name: str) -> str:
    """A size by itself: what windows are bounded by is no product of other sizes to a reader."""
    known = [word for word, extent in values.kernel.sizes.items() if extent == size]
    if known or size.literal is not None:
        return known[0] if known else str(size.literal)
    return values.kernel.size(name if name not in values.kernel.sizes else f"{name}_of_window", size)


def _reach(space: Space, tap: Tap) -> tuple[Extent, Extent]:
    """The least and the largest place, in every trace."""
    low = high = (place := space.resolve(tap.place)).constant
    for axis, coefficient in place.terms:
        span = coefficient * (space.sizes[axis] - 1)
        low += Extent(tuple(min(v, 0) for v in span.values))
        high += Extent(tuple(max(v, 0) for v in span.values))
    return low, high
