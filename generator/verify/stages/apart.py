"""Calls that are made in children of their own: at full size, at its axes, at lone sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....profiling.sandbox import Limits
from ..inputs.setting import Setting
from .full_axes import AtFullAxes, at_full_axes
from .full_values import full_values
from .lone_sizes import at_lone_sizes
from .record import Record

CLOCK = "apart"
"""What all of them take together; each has a clock of its own as well."""


@dataclass(frozen=True)
class Apart:
    """What such calls need to know of a judgement; `altered` is as of `BesidePlan`."""

    record: Record
    found: list[Setting]
    precision: str
    altered: Sequence[str]
    scratch: Path
    limits: Limits

    def at_lone_sizes(self) -> AtFullAxes | None:
        """Calls at sizes that a line which no call has reached may wait for."""
        small, scratch = self.found[0].op.overrides, self.scratch / "lone"
        with self.record.clock(CLOCK):
            return at_lone_sizes(self.record, small, self.precision, scratch, self.limits)

    def at_full_size(self, rehearsed: Mapping[str, Any] | None, failed: bool, rows: int) -> AtFullAxes | None:
        """Calls at full size itself, with which what it alone has was met, or else at its axes."""
        if rehearsed is None:
            return None
        with self.record.clock(CLOCK):
            return self._at_values(rehearsed) or self._at_axes(rehearsed, failed, rows)

    def _at_values(self, rehearsed: Mapping[str, Any]) -> AtFullAxes | None:
        if rehearsed["why_not"]:
            return None
        scratch, taken = self.scratch / "full", rehearsed["whole_s"]
        return full_values(self.record, taken, self.precision, scratch, self.limits, self.altered)

    def _at_axes(self, rehearsed: Mapping[str, Any], failed: bool, rows: int) -> AtFullAxes | None:
        """Calls for what the walk through full size alone has met; `failed`: where that was made to hold, a
        call went wrong, which need not be so where sizes give it. Nor was it right because it was right so:
        a length cut to a thousand does no harm to ten."""
        amounts, held = rehearsed["amounts"], rehearsed["forced"]
        if failed:
            amounts, held = [*amounts, *held, *rehearsed["unasked"]], []
        if not (amounts or held or rehearsed["values"]):
            return None
        wanted = {"amounts": amounts, "values": rehearsed["values"], "held": held}
        given = self.record, self.found, self.precision, wanted, self.scratch / "axes", self.limits
        return at_full_axes(*given, rows, self.altered)
