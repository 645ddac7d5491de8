"""Gathers the best evidence that can be had here of an op or a kernel file: counters, else times, else code.

found = gather(op, Path("rmsnorm_optimized.py"), detect("auto"), trace(op), scratch=folder)
found.diagnosis.level, found.refused
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from .. import KbgenError
from ..profiling.classify import Diagnosis, classify, diagnose_op
from ..profiling.counters.collect import collect_op
from ..profiling.counters.groups import kernel_groups
from ..profiling.counters.record import CounterReport
from ..profiling.counters.refusals import CountersRefused
from ..profiling.device import Device
from ..profiling.op import Op
from ..profiling.profile import Profile
from ..profiling.samples import Session
from ..profiling.static import inspect
from ..profiling.timing import Timing, timing
from ..profiling.trace import TracedOp
from .benchmark import in_child, request
from .comparison import PLAN
from .decision import CANDIDATE, EAGER

Wanted = Literal["auto", "counters", "static"]


class NotHereError(KbgenError):
    """Counters were asked for, of a card that is not in this machine."""


@dataclass(frozen=True)
class Gathered:
    """The evidence and what follows from it; `refused` says why there are no counters, "" where there are or
    none were asked for."""

    profile: Profile
    diagnosis: Diagnosis
    counters: CounterReport | None = None
    refused: str = ""


def gather(
    op: Op,
    candidate: Path | None,
    device: Device,
    traced: TracedOp,
    *,
    scratch: Path,
    wanted: Wanted = "auto",
) -> Gathered:
    """Evidence of one call of the candidate, or of the op as eager PyTorch runs it.

    "auto" takes the best that is to be had, "counters" raises CountersRefused or NotHereError for less,
    "static" runs nothing on the card.
    """
    static = inspect(candidate, op, device.spec, scratch) if candidate else None
    profile = Profile(traced, device.roof, static)
    if wanted == "static":
        return Gathered(profile, _without_counters(profile))
    try:
        counters = _counted(op, candidate, device, traced, scratch)
    except (CountersRefused, NotHereError) as refusal:
        if wanted == "counters":
            raise
        if device.live:
            profile = replace(profile, timing=_timed(op, candidate, device, traced, scratch))
        return Gathered(profile, _without_counters(profile), refused=str(refusal))
    profile = replace(profile, counters=kernel_groups(counters.launches)[0].typical)
    return Gathered(profile, classify(profile), counters)


def _counted(
    op: Op, candidate: Path | None, device: Device, traced: TracedOp, scratch: Path
) -> CounterReport:
    if not device.live:
        raise NotHereError(
            f"no counters of {device.spec.name}: {device.reason}; profile where the card is, or give "
            "`kbgen advise` a report taken there."
        )
    return collect_op(op, candidate, mode=traced.mode, scratch=scratch / "counters")


def _without_counters(profile: Profile) -> Diagnosis:
    if profile.static is None and profile.timing is None:
        return diagnose_op(profile.traced, profile.spec)
    return classify(profile)


def _timed(op: Op, candidate: Path | None, device: Device, traced: TracedOp, scratch: Path) -> Timing | None:
    """The median of one fresh process; None where it gave none."""
    subject = CANDIDATE if candidate else EAGER
    files, baselines = ({CANDIDATE: candidate}, ()) if candidate else ({}, (EAGER,))
    asked = request(files, baselines, op, device, traced, "fp32", PLAN)
    outcome = in_child({**asked, "seed": secrets.randbits(48)}, scratch / "timing")
    return None if outcome.reply is None else timing(subject, [Session.from_json(outcome.reply)])
