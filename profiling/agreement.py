"""Compares the clocks of one subject: events, host and profiler must tell the same story.

A call can hide work from the events (another stream, another thread, a patched timer) but not from all three.
Every rule allows 5 % and a few microseconds of launch overhead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from .kernel_log import KernelSpan, signature
from .samples import Floor, Samples

_SHARE = 0.05
_SLACK_US = 10.0


def complaints(samples: Samples, floor: Floor) -> tuple[str, ...]:
    """What does not fit, one sentence each; empty when the clocks agree."""
    if not samples.device_us or not samples.host_us:
        return ()
    device, host = median(samples.device_us), median(samples.host_us)
    enqueue, late = median(samples.enqueue_us), median(samples.late_us) - floor.late_us
    busy = median([_busy_us(launches) for launches in samples.audits]) if samples.audits else None
    rules = (
        (_over(late, 0.0, device), f"the device stayed busy {late:.1f} us after the stop event"),
        (
            _over(host - floor.host_us, device + enqueue, device),
            f"the host waited {host:.1f} us for a call whose events say {device:.1f} us and whose launch "
            f"took {enqueue:.1f} us",
        ),
        (
            _over(device, host, device),
            f"the events say {device:.1f} us, yet the whole call took the host only {host:.1f} us",
        ),
        (
            busy is not None and _over(busy, device, device),
            f"the profiler saw kernels run for {busy or 0:.1f} us, the events say {device:.1f} us",
        ),
    )
    varied = (
        (f"the kernels of one call differ from call to call: {_told_apart(samples)}",)
        if len(_variants(samples)) > 1
        else ()
    )
    return (*varied, *(sentence for broken, sentence in rules if broken))


def _over(value: float, limit: float, scale: float) -> bool:
    return value > limit + _SHARE * scale + _SLACK_US


def _busy_us(launches: Sequence[KernelSpan]) -> float:
    """The time in which at least one kernel ran, on any stream."""
    total, until = 0.0, float("-inf")
    for launch in sorted(launches, key=lambda item: item.start_us):
        end = launch.start_us + launch.duration_us
        total += max(0.0, end - max(until, launch.start_us))
        until = max(until, end)
    return total


def kernels(samples: Samples) -> tuple[str, ...]:
    """The names of the kernels of one call, in order, by the first audit."""
    return tuple(launch.name for launch in samples.audits[0]) if samples.audits else ()


def _variants(samples: Samples) -> list[tuple[str, ...]]:
    return sorted({signature(launches) for launches in samples.audits})


def _told_apart(samples: Samples) -> str:
    """What two calls launched, without what they share."""
    one, other, *_ = _variants(samples)
    sides = (Counter(one) - Counter(other), Counter(other) - Counter(one))
    return "; ".join(", ".join(sorted(side.elements())) or "nothing more" for side in sides)
