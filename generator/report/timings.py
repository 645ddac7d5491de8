"""Makes the rows of a timing table: one subject each, with its time, its first call and its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import figures

COLUMNS = (
    "subject",
    "median_us",
    "interval_us",
    "host_us",
    "first call",
    "peak memory",
    "samples",
    "throttle",
)


def rows(timings: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows under COLUMNS. The first call holds compiling and autotuning and is no part of the median; peak
    memory is what one call had allocated at once on top of what was held before it."""
    return [
        {
            **taken,
            "first call": _told(figures.microseconds, taken.get("first_call_us")),
            "peak memory": _told(figures.size, taken.get("peak_bytes")),
            "throttle": taken.get("throttle") or None,
        }
        for taken in timings
    ]


def _told(write: Callable[[float | None], str], value: float | None) -> str | None:
    return None if value is None else write(value)
