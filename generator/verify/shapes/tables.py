"""Shapes at which integers among the inputs are places in a table of more entries than 16 bits, or the whole
numbers of float32, tell apart."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from .sizing import FEW_AMONG, fewest, free_sizes, sizes_of

_LEAST_TABLE = 1024
"""What has fewer entries at full size may be counted in few bits."""

_SIXTEEN_BITS, _DEEP = 1 << 16, (1 << 17, (1 << 16) + (1 << 13))


def deep(op: Op, sets: list[ShapeSet], most_bytes: int) -> list[ShapeSet]:
    """A table with more entries than 16 bits count, where integers among the inputs are its places."""
    full = sizes_of(op.constants)
    names = [name for name in free_sizes(op) if full.get(name, 0) >= _LEAST_TABLE]
    least = {**sets[0].overrides, **fewest(sets, FEW_AMONG)}
    few = [least, *({**least, one: 2} for one in sizes_of(least)), {**least, **fewest(sets, 2)}]
    tries = (
        (name, {**one, name: min(entries, max(full[name], _DEEP[-1]))})
        for name in names
        for entries in _DEEP
        for one in few
    )
    return _with_places(op, tries, _SIXTEEN_BITS, most_bytes, "beyond 16 bits")


_FLOAT_BITS = 1 << 24


def vast(op: Op, sets: list[ShapeSet], most_bytes: int) -> list[ShapeSet]:
    """Places among the inputs that no float32 tells from their neighbours, where full size has such and a
    model that is as small for them, whose tables hold their quotients, say."""
    full, cut = sizes_of(op.constants), {**sets[0].overrides, **fewest(sets, FEW_AMONG)}
    tries = (
        (name, {one: size for one, size in cut.items() if one not in (name, beside)})
        for name in op.text.free()
        if full.get(name, 0) > _FLOAT_BITS
        for beside in ("", *cut)
    )
    return _with_places(op, tries, _FLOAT_BITS, most_bytes, "beyond float32's whole numbers")


def _with_places(
    op: Op, tries: Iterator[tuple[str, dict[str, Any]]], beyond: int, most_bytes: int, told: str
) -> list[ShapeSet]:
    """The first of `tries`, a constant and sizes each, at which inputs name places from `beyond` on."""
    for name, overrides in tries:
        with contextlib.suppress(OpError):
            made = op.with_overrides(overrides)
            size = made.footprint().total_bytes
            if size <= most_bytes and op.is_sound(overrides) and _names_places_beyond(made, beyond):
                return [ShapeSet("deep", overrides, size, True, f"{name} {told}")]
    return []


def _names_places_beyond(op: Op, place: int) -> bool:
    return any(
        isinstance(one, torch.Tensor) and not one.is_floating_point() and bool((one >= place).any())
        for one in op.instantiate(0)[1]
    )
