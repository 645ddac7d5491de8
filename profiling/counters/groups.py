"""Groups the launches of one kernel, and orders kernels by their share of the time that was profiled."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from ... import KbgenError
from .record import Launch


class KernelFilterError(KbgenError):
    """A filter for kernels that is no regular expression, or that matches none."""


@dataclass(frozen=True)
class KernelGroup:
    """All launches of one kernel on one device; times in us, None where a launch was not timed.

    `share` is the group's part of all time profiled, 0 to 1. `typical` is the launch to diagnose: the one at
    which half of the group's time is spent, so that many short launches do not hide the few long ones.
    """

    kernel: str
    launches: tuple[Launch, ...]
    typical: Launch
    time_us: float | None
    share: float | None
    median_us: float | None
    worst_us: float | None


def kernel_groups(launches: Iterable[Launch], pattern: str | None = None) -> tuple[KernelGroup, ...]:
    """Groups by name and device, the longest first; those without a time follow in the order of the report.

    `pattern` keeps the kernels it is found in. Raises KernelFilterError, with the nearest names, for none.
    """
    taken = tuple(launches)
    kept = _matching(taken, pattern) if pattern else taken
    by_kernel: dict[tuple[str, str | None, str | None], list[Launch]] = {}
    for launch in kept:
        by_kernel.setdefault((launch.kernel, launch.device_name, launch.arch), []).append(launch)
    times = [_time_us(launch) for launch in taken]
    whole = sum(time for time in times if time is not None) if None not in times else None
    groups = [_group(kernel, found, whole) for (kernel, _, _), found in by_kernel.items()]
    return tuple(sorted(groups, key=lambda group: -(group.time_us or 0.0)))


def _group(kernel: str, launches: list[Launch], whole: float | None) -> KernelGroup:
    timed = sorted(
        ((time, launch) for launch in launches if (time := _time_us(launch)) is not None),
        key=lambda pair: pair[0],
    )
    if len(timed) < len(launches):
        return KernelGroup(kernel, tuple(launches), launches[0], None, None, None, None)
    times = [time for time, _ in timed]
    total, passed = sum(times), 0.0
    typical = timed[-1][1]
    for time, launch in timed:
        passed += time
        if 2 * passed >= total:
            typical = launch
            break
    share = total / whole if whole else None
    return KernelGroup(kernel, tuple(launches), typical, total, share, median(times), times[-1])


def _time_us(launch: Launch) -> float | None:
    time_ns = launch.value("duration")
    return None if time_ns is None else time_ns / 1e3


def _matching(launches: tuple[Launch, ...], pattern: str) -> tuple[Launch, ...]:
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise KernelFilterError(
            f"--kernel {pattern!r} is no regular expression ({error}); write a part of the kernel's name."
        ) from None
    kept = tuple(launch for launch in launches if wanted.search(launch.kernel))
    if kept or not launches:
        return kept
    names = list(dict.fromkeys(launch.kernel for launch in launches))
    near = difflib.get_close_matches(pattern, names, n=3, cutoff=0.1) or names[:3]
    raise KernelFilterError(
        f"no kernel of the report matches {pattern!r}; of its {len(names)}, the nearest are "
        f"{', '.join(name[:60] for name in near)}."
    )
