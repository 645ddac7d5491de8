"""Says what the end of a candidate's process means, and in which call it came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ....profiling.sandbox import Outcome
from ..inputs.setting import Case
from ..process.exchange import PROGRESS_FILE
from ..verdict import Cause, Fault

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
    if "first_call_s" in reply:
        return Fault("too-slow", f"its first call took {reply['first_call_s']:.0f} s of CPU time")
    for key, cause in _TOLD.items():
        if key in reply:
            return Fault(cause, reply[key])
    if outcome.left_running:
        return Fault("deferred-work", f"it leaves {outcome.left_running} processes behind")
    if reply["patched"]:
        return Fault("tampering", f"it changes {reply['patched'][0]}")
    return None


def outran(outcome: Outcome, scratch: Path, cases: Sequence[Case]) -> str:
    """The setting whose call ran past the limit of time, "" where none did."""
    number = _begun(scratch, len(cases))
    return cases[number].setting.name if outcome.status == "timeout" and number is not None else ""


def _begun(scratch: Path, count: int) -> int | None:
    """The number of the call that the candidate's process was in when it ended; None before the first."""
    file = scratch / PROGRESS_FILE
    text = file.read_text()[:8] if file.exists() else ""
    return int(text) if text.isdigit() and int(text) < count else None


def _progress(scratch: Path, cases: Sequence[str]) -> str:
    number = _begun(scratch, len(cases))
    return "" if number is None else f" (during the case: {cases[number]})"
