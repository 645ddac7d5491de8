"""Says whether a candidate takes its parent's place: by its gain, and where that is close by facts."""

from __future__ import annotations

from typing import Literal

from ..profiling.static import StaticReport
from .evaluated import Evaluated

NEUTRAL = 0.005
"""A change smaller than this is no change."""

BETTER = 0.05
"""Less traffic or wider accesses count from this share on."""

CLOSE = 0.03
"""Within this share the estimate ranks no two kernels; what is certain of them does."""

KERNEL_EARNS = 0.10
"""What an additional kernel must save: the estimate knows no dependent launch, no tail and no cold start."""


def outcome_of(effect: float, interval: tuple[float, float]) -> Literal["helped", "neutral", "hurt"]:
    """A change that is smaller than `NEUTRAL`, or whose interval holds 1, is none."""
    low, high = interval
    if effect > 1 + NEUTRAL and low > 1:
        return "helped"
    return "hurt" if effect < 1 - NEUTRAL and high < 1 else "neutral"


def close_to(effect: float) -> bool:
    """Whether an estimated effect is no loss that one could believe."""
    return effect > 1 - CLOSE


def verdict(parent: Evaluated, child: Evaluated, effect: float) -> tuple[bool, str]:
    """Whether the child takes the parent's place, and why where the estimate alone does not say.

    One more kernel must earn `KERNEL_EARNS`. Where the estimates are within `CLOSE`, less traffic decides,
    then wider accesses: both are facts of the compiled code, and other shapes will feel them.
    """
    more = len(child.static.kernels) - len(parent.static.kernels)
    if more > 0 and effect < 1 + KERNEL_EARNS:
        return False, f"not kept: one more kernel must gain {KERNEL_EARNS:.0%}"
    if abs(effect - 1) < CLOSE:
        if merit := _merit(parent, child):
            return True, f"kept: {merit}"
        if merit := _merit(child, parent):
            return False, f"not kept: without it {merit}"
    return effect > 1 + NEUTRAL, ""


def _merit(parent: Evaluated, child: Evaluated) -> str:
    """What is certainly better about a change; "" for nothing."""
    before, after = (sum(e.candidate.bytes_per_kernel or ()) for e in (parent, child))
    if after < (1 - BETTER) * before:
        return f"it moves {after / 2**20:.1f} MiB instead of {before / 2**20:.1f}"
    narrow, wide = access_bits(parent.static), access_bits(child.static)
    if after <= (1 + BETTER) * before and wide > (1 + BETTER) * narrow:
        return f"accesses are {wide:.0f} bit wide on average instead of {narrow:.0f}"
    return ""


def access_bits(static: StaticReport) -> float:
    """Mean width of the streaming accesses in the compiled code, in bits per lane; 0 without any."""
    pairs = [p for k in static.kernels for p in (*k.load_bits.items(), *k.store_bits.items())]
    return sum(bits * count for bits, count in pairs) / max(1, sum(count for _, count in pairs))
