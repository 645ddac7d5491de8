"""Compares with those baselines that are as exact as the op asks: torch lets cuDNN take TF32 unasked.

    found = in_class(sessions, "candidate")
    found.fastest, found.speedup

The timing process checks what each baseline gives like a candidate's results, and says in "off_class" of its
environment which do not pass, and why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from ..profiling.interval import Estimate, ratio_to_fastest
from ..profiling.samples import Session

EXACT = "eager-fp32"
"""Eager with TF32 switched off: a baseline for ops that convolve in float32."""


@dataclass(frozen=True)
class InClass:
    """`off` says of each baseline that is less exact than the op asks by how much; `speedup`, with its 95 %
    `interval`, is that over the `fastest` of the others, None where there is none."""

    off: Mapping[str, str]
    fastest: str | None = None
    speedup: float | None = None
    interval: tuple[float, float] | None = None

    def told(self) -> str:
        """For the end of a sentence about the fastest of all."""
        if self.speedup is None or self.interval is None:
            return ""
        low, high = self.interval
        return (
            f"; less exact than the op asks: {', '.join(self.off)}; {self.speedup:.2f}x [{low:.2f}, "
            f"{high:.2f}] over {self.fastest}, the fastest of the others"
        )


def in_class(sessions: Sequence[Session], candidate: str) -> InClass | None:
    """None where every baseline is as exact as the op asks, or nobody looked."""
    off: dict[str, str] = {}
    for session in sessions:
        off |= session.environment.get("off_class", {})
    if not off:
        return None
    ratios, times = list[Estimate](), dict[str, list[float]]()
    for session in sessions:
        ran = {record.subject: record.device_us for record in session.samples if not record.error}
        own, others = ran.pop(candidate), {name: us for name, us in ran.items() if name not in off}
        if not others:
            return InClass(off)
        ratios.append(ratio_to_fastest(own, list(others.values()), session.seed % 2**32))
        for name, taken in others.items():
            times.setdefault(name, []).extend(taken)
    return InClass(
        off,
        min(times, key=lambda name: median(times[name])),
        median(ratio.value for ratio in ratios),
        (min(ratio.low for ratio in ratios), max(ratio.high for ratio in ratios)),
    )
