"""Joins the passes of a ROCm profile: the program ran once for each, launching its kernels in one order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from .dispatch import Dispatch

_AGREE = 0.1  # the same counter in two passes of one kernel; clocks and caches move it by a few per cent


def merge(passes: Sequence[Sequence[Dispatch]]) -> tuple[tuple[Dispatch, ...], tuple[str, ...]]:
    """One dispatch for the n-th launch of a kernel over all passes, in the first pass's order, and notes.

    A launch that some passes do not have keeps the counters of those that do. The duration is the median of
    the passes'.
    """
    by_launch: dict[tuple[str, int], list[Dispatch]] = {}
    for one in passes:
        seen: dict[str, int] = {}
        for dispatch in one:
            nth = seen[dispatch.kernel] = seen.get(dispatch.kernel, 0) + 1
            by_launch.setdefault((dispatch.kernel, nth), []).append(dispatch)
    partial = sum(len(found) < len(passes) for found in by_launch.values())
    notes = (
        (f"{partial} of {len(by_launch)} launches are missing in some of the {len(passes)} passes",)
        if partial
        else ()
    )
    return tuple(_joined(found) for found in by_launch.values()), notes


def _joined(found: Sequence[Dispatch]) -> Dispatch:
    first, *others = found
    if not others:
        return first
    counters: dict[str, float] = {}
    flags = list(dict.fromkeys(flag for dispatch in found for flag in dispatch.flags))
    for dispatch in found:
        flags += _disagreements(counters, dispatch.counters)
        counters = {**dispatch.counters, **counters}
    if any((other.grid_items, other.block) != (first.grid_items, first.block) for other in others):
        flags.append(
            "the passes launched this kernel with different grids: its counters are of different work"
        )
    durations = [dispatch.duration_ns for dispatch in found if dispatch.duration_ns is not None]
    return replace(
        first,
        counters=counters,
        duration_ns=median(durations) if durations else None,
        flags=tuple(flags),
    )


def _disagreements(known: Mapping[str, float], more: Mapping[str, float]) -> list[str]:
    return [
        f"{name} is {known[name]:.6g} in one pass and {value:.6g} in another"
        for name, value in more.items()
        if name in known and abs(known[name] - value) > _AGREE * max(abs(known[name]), abs(value))
    ]
