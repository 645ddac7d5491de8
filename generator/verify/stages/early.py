"""Ends the calls of a candidate that is refused already, where no later call can change for which cause.

The calls are looked at while they are made. A fault at the first shape comes first in the verdict whatever
follows; at another shape it may yet turn out as one of sizes, so there only what kernels did to memory
counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import Any

from ..inputs.setting import Case
from ..process.exchange import ENOUGH_FILE, StepReport, read_call
from ..verdict import Fault
from .whole import hidden_library_call

_GLANCE_S = 0.02
"""Between two looks for the next call's file."""

FirstLook = Callable[[int, StepReport, dict[str, Any]], Fault | None]


def end_calls(scratch: Path) -> None:
    """The child makes no call after the one that it is in."""
    (scratch / ENOUGH_FILE).touch()


def cause_known(
    scratch: Path,
    cases: Sequence[Case],
    ended: Event,
    allowed: Sequence[str],
    first_look: FirstLook,
    meanwhile: Callable[[], bool],
) -> int | None:
    """Follow the calls until one decides; then no more are made, and the answer is how many count, that one
    included. None where none decides. How many were made by then makes no difference to the answer.

    While a later call than the first is awaited, `meanwhile` does a part of other work; it is False once
    none is left."""
    for number, case in enumerate(cases):
        call = awaited(scratch, number, ended, meanwhile if number else nothing)
        if call is None:
            return None
        report, tensors = call
        if _decides(case, cases[0], number, report, tensors, allowed, first_look):
            end_calls(scratch)
            return number + 1
    return None


def awaited(
    scratch: Path, number: int, ended: Event, meanwhile: Callable[[], bool]
) -> tuple[StepReport, dict[str, Any]] | None:
    """One call when it is over; None if the child ended before."""
    while True:
        last_look = ended.is_set()
        call = _over(scratch, number)
        if call is not None or last_look:
            return call
        if not meanwhile():
            ended.wait(_GLANCE_S)


def nothing() -> bool:
    """No other work meanwhile."""
    return False


def _over(scratch: Path, number: int) -> tuple[StepReport, dict[str, Any]] | None:
    try:
        return read_call(scratch, number)
    except Exception:  # whatever a damaged or forged file makes of the reader; the outputs' reader names it
        return None


def _decides(
    case: Case,
    first: Case,
    number: int,
    report: StepReport,
    tensors: dict[str, Any],
    allowed: Sequence[str],
    first_look: FirstLook,
) -> bool:
    if hidden_library_call([report], allowed) is not None:
        return True
    if case.step.ghost or report.status == "skipped":
        return False
    touched = any(kind != "unwritten" for kind, _ in report.violations)
    if case.setting is not first.setting and not touched:
        return False
    fault = first_look(number, report, tensors)
    return fault is not None and fault.cause != "unsupported"
