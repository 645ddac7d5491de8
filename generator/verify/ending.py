"""Says what the end of a candidate's process means, and in which call it came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ...profiling.sandbox import Outcome
from .exchange import PROGRESS_FILE
from .review import Fault
from .verdict import Cause

_ENDINGS: Mapping[str, Cause] = {
    "timeout": "timeout",
    "memory": "out-of-memory",
    "exited": "exited",
    "crashed": "crashed",
}

_TOLD: Mapping[str, Cause] = {
    "not_loadable": "not-loadable",
    "wrong_state": "wrong-state",
    "left_running": "deferred-work",
}


def ended_badly(outcome: Outcome, scratch: Path, cases: Sequence[str]) -> Fault | None:
    """The fault that its end amounts to; `cases` are the names of the calls in their order."""
    reply = outcome.reply
    if outcome.status != "ok" or reply is None:
        tampered = "reply channel" in outcome.detail
        cause: Cause = "tampering" if tampered else _ENDINGS[outcome.status]
        return Fault(cause, f"{outcome.detail}{_progress(scratch, cases)}")
    for key, cause in _TOLD.items():
        if key in reply:
            return Fault(cause, reply[key])
    if outcome.left_running:
        return Fault("deferred-work", f"it leaves {outcome.left_running} processes behind")
    if reply["patched"]:
        return Fault("tampering", f"it changes {reply['patched'][0]}")
    return None


def last_case(scratch: Path, cases: Sequence[str]) -> str:
    """The name of the call that the candidate's process was in when it ended, "" where none had begun."""
    file = scratch / PROGRESS_FILE
    text = file.read_text()[:8] if file.exists() else ""
    return cases[int(text)] if text.isdigit() and int(text) < len(cases) else ""


def _progress(scratch: Path, cases: Sequence[str]) -> str:
    case = last_case(scratch, cases)
    return f" (during the case: {case})" if case else ""
