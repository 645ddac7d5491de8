"""Compares with those baselines that are as exact as the op asks: torch lets cuDNN take TF32 unasked.

    found = in_class(sessions, "candidate")
    found.fastest, found.speedup

The timing process checks what each baseline gives like a candidate's results, and how much further it is off
than eager without TF32 on the same contents; it says in "off_class" of its environment which are not exact,
and why. An op that hides errors (a softmax, a mean) would let TF32 pass by the first alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from ..profiling.interval import Estimate, ratio_to_fastest
from ..profiling.samples import Session

EXACT = "eager-fp32"
"""Eager with TF32 switched off: a baseline for ops that convolve in float32."""

EXACT_COMPILED = "compile-fp32"
"""Compiled with TF32 switched off, timed where the compiled baseline is not exact. There is none for
max-autotune: tuning once more would take longer than all else."""

COARSER = 16.0
"""Times eager's own error without TF32 that a baseline may be off: other orders of sums differ by a few
times, TF32 by its 13 bits less."""


def coarser(errors: Mapping[str, float], floor: float) -> dict[str, str]:
    """Whose relative L2 error is no float32's beside that of `EXACT`, with the complaint; up to `floor` any
    may be off."""
    exact = errors.get(EXACT, 0.0)
    return {
        name: f"relative L2 error {error:.2g}, without TF32 {exact:.2g}"
        for name, error in errors.items()
        if error > max(floor, COARSER * exact)
    }


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
        off |= session.environment.get("off_class") or {}
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
