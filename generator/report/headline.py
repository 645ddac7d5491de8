"""Says in one sentence what an optimize result claims, and no more than it may claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import figures

# status: (the word for a title, the claim)
CLAIMS = {
    "win": ("faster", "{gain} against the fastest baseline on {used}, verified again in a fresh process."),
    "no-win": ("not faster", "No verified candidate beat the fastest baseline on {used}: keep the original."),
    "unmeasured": (
        "verified, not timed",
        "Verified and compiled for {used}, not timed: that card is not here, so no speed-up is claimed.",
    ),
    "degenerate": (
        "degenerate",
        "No claim: this op gives the same output whatever it is fed, so passing its tests proves nothing.",
    ),
    "inconclusive": (
        "inconclusive",
        "No claim: what was found does not decide whether this kernel is right, or faster.",
    ),
    "declined": ("declined", "No kernel is handed over for this op."),
}


def headline(result: Mapping[str, Any]) -> str:
    """The claim that goes with the status, then the loop's own reason where it adds one."""
    claim = CLAIMS[result["status"]][1].format(
        gain=figures.ratio(result["speedup"]), used=result["device"]["used"]
    )
    reason = str(result["reason"]).strip()
    return f"{claim} {reason[0].upper()}{reason[1:].rstrip('.')}." if reason else claim


def mark(result: Mapping[str, Any]) -> str:
    """The status as a word or two for a title."""
    return CLAIMS[result["status"]][0]
