"""A second judgement, in less room, for a candidate that the interpreter is too slow for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ....profiling.sandbox import Outcome
from ..inputs.setting import Case
from ..shapes.stretched import has_few_rows
from .ending import outran
from .settings import NARROWER, ROOM, Room

SLOW = "at its widest shapes it ran past its limit in the interpreter: it was judged at narrower ones"
TOO_SLOW = "in the interpreter its first call took long: it was judged at smaller sizes"

_TIMES_IN_TIME = 4
"""Times less than what the limit allows that calls at smaller sizes should take: other shapes are larger than
the first one."""


@dataclass(frozen=True)
class Again:
    """The room of the second judgement, and what its verdict notes of it."""

    room: Room
    note: str


def again(outcome: Outcome, scratch: Path, cases: Sequence[Case], in_time_s: float) -> Again | None:
    """How to judge once more whose child ended so; None where sizes are not to blame. `in_time_s`: what its
    first call might have taken, in CPU time."""
    if outcome.reply is not None and "first_call_s" in outcome.reply:
        return Again(ROOM.less(_TIMES_IN_TIME * outcome.reply["first_call_s"] / in_time_s), TOO_SLOW)
    ran_past = outran(outcome, scratch, cases)
    return Again(NARROWER, SLOW) if ran_past == "wide" or has_few_rows(ran_past) else None
