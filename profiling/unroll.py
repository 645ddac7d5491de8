"""Cuts short the loop of an op that unrolls into thousands of calls, so that its shapes can be searched."""

from collections.abc import Mapping

from .axes import Measure, Values, overrides_of
from .footprint import Footprint
from .source import Literal

LONG_SEQUENCE = 1000
"""Calls from which on a loop is looked for; a recurrent layer of 512 steps makes tens of thousands."""

SHORT_LOOP = 4


def without_long_loop(
    constants: Mapping[str, Literal], measure: Measure, full: Values, base: Footprint
) -> tuple[Values, Footprint]:
    """Constants and footprint once the constant that makes most of the calls is set to `SHORT_LOOP`."""
    if len(base.calls) < LONG_SEQUENCE:
        return full, base
    for slot in sorted(
        (slot for slot, value in full.items() if value > SHORT_LOOP), key=lambda slot: -full[slot]
    ):
        values = {**full, slot: SHORT_LOOP}
        shorter = measure(overrides_of(constants, values))
        if shorter is not None and len(shorter.calls) * 2 < len(base.calls):
            return values, shorter
    return full, base
