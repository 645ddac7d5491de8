"""What sizes an op may be given: those a search has set, and others that its reference runs at."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from ...profiling.op import Op, OpError
from ...profiling.shapes import ShapeSet
from .setting import init_arguments


def fewest(sets: list[ShapeSet], most: int | None = None) -> dict[str, int]:
    """The least of each size that any of them sets, and `most` at most."""
    found: dict[str, int] = {}
    for one in sets:
        for name, size in sizes_of(one.overrides).items():
            found[name] = min(size, found.get(name, size), size if most is None else most)
    return found


def sizes_of(constants: Mapping[str, Any]) -> dict[str, int]:
    return {n: v for n, v in constants.items() if isinstance(v, int) and not isinstance(v, bool)}


def builds_alike(op: Op, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the model is constructed with the same arguments: a kernel may rely on a window or a step."""
    with contextlib.suppress(OpError):
        first, second = (init_arguments(op.with_overrides(sizes), 0) for sizes in (one, other))
        return repr(first) == repr(second)
    return False


def first_sound(
    op: Op, name: str, others: Mapping[str, Any], most_bytes: int, lengths: Sequence[int]
) -> tuple[dict[str, Any], int] | None:
    for length in lengths:
        overrides = {**others, name: length}
        with contextlib.suppress(OpError):
            size = op.with_overrides(overrides).footprint().total_bytes
            if size <= most_bytes and op.is_sound(overrides):
                return overrides, size
    return None
