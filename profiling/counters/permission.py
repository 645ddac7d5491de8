"""Tells whether counters may be read here, by counting one: nothing less is proof.

A program that launches nothing ends well under a profiler, whatever the permissions are; so a real kernel is
launched, and its row must be in the report.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..probe import Probe
from .collect import collect_command
from .level import has_counters
from .record import Launch
from .refusals import CountersRefused, no_rows

_LIMIT_S = 120.0
_PROGRAM = """
import torch
x = torch.ones(1 << 22, device="cuda")
torch.cuda.synchronize()
y = x + x
torch.cuda.synchronize()
"""


def counted_launch(scratch: Path, probe: Probe | None = None) -> Launch:
    """A launch with at least one hardware counter, of a small torch program; CountersRefused says why not."""
    report = collect_command(
        [sys.executable, "-c", _PROGRAM], full=False, scratch=scratch, timeout_s=_LIMIT_S, probe=probe
    )
    counted = next((one for one in report.launches if has_counters(one)), None)
    if counted is None:
        raise CountersRefused(no_rows("the report"))
    return counted
