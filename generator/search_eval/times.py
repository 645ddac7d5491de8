"""The times of all candidates of a space: on a simulated device, or by the clock of the card here."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Protocol

from ...profiling.device import Device
from ...profiling.op import Op
from ...profiling.samples import Session
from ...profiling.trace import TracedOp
from ..benchmark import RunChild, in_child, request
from ..comparison import PLAN
from ..evaluated import Evaluated
from .machine import Machine
from .simulate import simulated_us
from .space import Space
from .work import works

TOGETHER = 8
"""Candidates that are timed in one process, beside the plain kernel."""

SPREAD = 0.006
"""What two timings of a pair of kernels differ by, as a share: what comparisons of one process show."""


class Times(Protocol):
    """Gives the time in us of each candidate by its code."""

    def of(self, space: Space) -> Mapping[str, float]: ...


@dataclass(frozen=True)
class Simulated:
    """On one simulated device."""

    machine: Machine

    def of(self, space: Space) -> Mapping[str, float]:
        return {
            one.candidate.code: simulated_us(one, self.machine, works(one, space.request.spec))
            for one in space.standing
        }


@dataclass(frozen=True)
class OnCard:
    """On the card in this machine: a few candidates a process, each beside the plain one, and scaled by it so
    that all stand on one scale. What could not be timed, or was wrong there, has no time."""

    op: Op
    device: Device
    traced: TracedOp
    scratch: Path
    precision: str = "fp32"
    run: RunChild = in_child

    def of(self, space: Space) -> Mapping[str, float]:
        plain, *others = space.standing
        found: dict[str, float] = {}
        scale = 0.0
        batches = [others[start : start + TOGETHER] for start in range(0, max(1, len(others)), TOGETHER)]
        while batches:
            batch = batches.pop(0)
            taken = self._taken([plain, *batch])
            if not taken and len(batch) > 1:  # one of them ended the process, say
                batches += [[one] for one in batch]
            beside = taken.get(plain.candidate.code)
            if beside is not None:
                scale = scale or beside
                found |= {code: us * scale / beside for code, us in taken.items()}
        return found

    def _taken(self, batch: Sequence[Evaluated]) -> dict[str, float]:
        files = {one.candidate.code: one.path for one in batch}
        asked = request(files, (), self.op, self.device, self.traced, self.precision, PLAN)
        scratch = self.scratch / f"space-{batch[-1].candidate.id}"
        outcome = self.run({**asked, "seed": secrets.randbits(48)}, scratch)
        if outcome.reply is None:
            return {}
        records = Session.from_json(outcome.reply).samples
        right = (r for r in records if not r.error and not r.complaints)
        return {r.subject: median(r.device_us) for r in right if len(r.device_us) >= PLAN.least_early}
