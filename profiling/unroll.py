"""Cuts short the loop of an op that unrolls into thousands of calls, so that its shapes can be searched."""

from collections.abc import Callable, Mapping

from .axes import Measure, Values, overrides_of
from .footprint import Footprint
from .source import Literal

LONG_SEQUENCE = 1000
"""Calls from which on a loop is looked for; a recurrent layer of 512 steps makes tens of thousands."""

SHORT_LOOP = 4

LONGER_LOOPS = (32, 128)
"""Tried in turn where the reference has no numbers for so short a one: labels that need a frame each."""


def without_long_loop(
    constants: Mapping[str, Literal],
    measure: Measure,
    full: Values,
    base: Footprint,
    is_sound: Callable[[Mapping[str, Literal]], bool],
) -> tuple[Values, Footprint]:
    """Constants and footprint once the constant that makes most of the calls is set to `SHORT_LOOP`, or to
    the first longer one that is sound."""
    if len(base.calls) < LONG_SEQUENCE:
        return full, base
    for slot in sorted(
        (slot for slot, value in full.items() if value > SHORT_LOOP), key=lambda slot: -full[slot]
    ):
        found = []
        for steps in (SHORT_LOOP, *LONGER_LOOPS):
            values = {**full, slot: steps}
            shorter = measure(overrides_of(constants, values)) if steps < full[slot] else None
            if shorter is None or len(shorter.calls) * 2 >= len(base.calls):
                break
            found.append((values, shorter))
            if is_sound(overrides_of(constants, values)):
                return found[-1]
        if found:
            return found[0]
    return full, base
