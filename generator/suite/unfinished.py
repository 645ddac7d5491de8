"""Says of rows that the clock, or the second verification, has not had its say on, why that is so."""

from __future__ import annotations

from dataclasses import replace

from .row import UNCONFIRMED, Row

OVER = "the time of the suite was over"


def explained(row: Row, *, live: bool, cut: bool) -> Row:
    """The row, with a reason where it had none; `live` tells that its card is here, `cut` that it was being
    timed when the suite ended."""
    if row.status == UNCONFIRMED:
        return replace(row, reason=f"{row.reason}; {OVER} before it was verified again")
    if row.status != "unmeasured" or row.reason:
        return row
    if not live:
        return replace(row, reason=f"nothing was timed: {row.gpu} is not in this machine")
    return replace(row, reason=f"{OVER} " + ("while it was timed" if cut else "before its turn on the card"))
