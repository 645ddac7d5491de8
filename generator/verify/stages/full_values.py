"""Judges a candidate at full size itself, where an interpreter can: no walk knows values, and most of what
full size alone shows are wrong ones: sums that run over in 32 bits, hashes that collide, tables that end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....profiling.sandbox import Limits
from ..inputs.families import ENORMOUS
from ..inputs.setting import Case
from ..process.layout import PITCHED
from ..shapes.sizing import one_more
from ..shapes.whole_tiles import bytes_of
from .at_sizes import at_sizes
from .full_axes import AtFullAxes, called_apart
from .record import Record

_NAME = "full size"
_CLOCK = "values at full size"

_MOST_BYTES = 64 << 20
"""Inputs, outputs and temporaries: the reference takes a second for its answers to as much."""

_LONGEST_S = 6.0
"""Of one call, as the child's `Effort` counts; a process has four times that in CPU time, for what is before
and after it, and for a slower machine."""

_FAMILIES, _FURTHER = ("normal", "spikes"), ("all negative", ENORMOUS)

_FEW_BYTES = 8 << 20
"""Of which further values, layouts and altered inputs take no time to make."""


def full_values(
    record: Record,
    expected_s: float,
    precision: str,
    scratch: Path,
    limits: Limits,
    altered: Sequence[str] = (),
) -> AtFullAxes | None:
    """Calls at full size; None where they would take too long, by what one is expected to take, or did, and
    where the first was neither right nor wrong: what full size alone has is as open as before then."""
    taken = bytes_of(record.op, {})
    if taken is None or taken > _MOST_BYTES or expected_s > _LONGEST_S:
        return None
    with record.clock(f"inputs of {_NAME}"):
        seed = record.seed + 5000
        asked = at_sizes(record.op, _NAME, {}, record.mode, seed, _FAMILIES)
        asked += _beyond(record)
        if taken <= _FEW_BYTES:
            given = record.op, _NAME, dict[str, Any](), record.mode, seed, _FURTHER, 0, PITCHED
            asked += at_sizes(*given, altered)
    asked = [replace(one, step=replace(one.step, optional=place > 0)) for place, one in enumerate(asked)]
    asked = _by_two_instances(asked)
    cpu_s = min(limits.cpu_s or _NO_LIMIT, round(4 * _LONGEST_S))
    less = replace(limits, cpu_s=cpu_s, wall_s=min(limits.wall_s, 4.0 * cpu_s))
    known = len(record.fields["cases"])
    called = called_apart(record, asked, precision, {}, scratch, less, _CLOCK) if asked else "no such call"
    if isinstance(called, str):
        return None
    made = [case.outcome for case in record.fields["cases"][known:]]
    return called if called.fault is not None or made[:1] == ["passed"] else None


_NO_LIMIT = 1 << 20


def _by_two_instances(asked: list[Case]) -> list[Case]:
    """Every second call at full size itself, from the third on, is made of another instance, by which two
    processes share them."""
    found = list(asked)
    for place in [place for place, one in enumerate(asked) if one.setting.name == _NAME][2::2]:
        other = replace(asked[place].setting, name=f"{_NAME}, another instance")
        found[place] = replace(asked[place], setting=other)
    return found


def _beyond(record: Record) -> list[Case]:
    """A call with one row more than at full size, which is all that many a second kernel has been made for;
    none where no constant makes rows alone."""
    more = one_more(record.op)
    if more is None:
        return []
    return at_sizes(record.op, f"{_NAME} and one more", more, record.mode, record.seed + 6000)[:1]
