"""Measures on a live card what a roofline needs: bandwidths, matrix products, launches, special functions.

    calibration = calibrate()          # a minute at most; stored, and found again by `device.detect`

What a card cannot do (a dtype, too little memory) is left out with a note.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .calibration import Calibration, Ceiling, keep
from .clock import Clock, CudaClock
from .probe import LiveFacts, NoCardError, Probe, SystemProbe, installed
from .task import Task, ceiling

BUDGET_S = 55.0


def calibrate(
    say: Callable[[str], None] | None = None,
    *,
    folder: Path | None = None,
    probe: Probe | None = None,
    clock: Clock | None = None,
    tasks: Iterable[Task] | None = None,
    budget_s: float = BUDGET_S,
    rest: Callable[[float], object] = time.sleep,
) -> Calibration:
    """Measure the card of this machine and keep the result in `folder`; NoCardError without a card."""
    probe = probe or SystemProbe()
    try:
        facts = probe.facts()
    except NoCardError as error:
        raise NoCardError(f"{error}: calibrate on the machine that has the card.") from None
    clock = clock or CudaClock(facts.l2_bytes, probe.clocks)
    if tasks is None:
        from .workloads import workloads

        tasks = workloads(facts)
    started, before = clock.now_us(), clock.state()
    ceilings, notes = list[Ceiling](), list[str]()
    for task in tasks:
        if (clock.now_us() - started) / 1e6 > budget_s:
            notes.append(f"{task.key}: left out, {budget_s:g} s were over")
            continue
        try:
            ceilings.append(ceiling(task, clock, rest))
        except Exception as error:  # a dtype or size that this card or torch does not take
            notes.append(
                f"{task.key}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            )
            continue
        if say:
            say(f"{task.key}: {ceilings[-1].value:.4g} {task.unit}")
    found = _record(facts, clock, started, tuple(ceilings), before, tuple(notes))
    keep(found, folder)
    return found


def _record(
    facts: LiveFacts, clock: Clock, started: float, ceilings: tuple[Ceiling, ...], before: Any, notes: Any
) -> Calibration:
    return Calibration(
        device=facts.name,
        arch=facts.arch,
        unit_count=facts.unit_count,
        driver=facts.driver,
        runtime=facts.runtime,
        torch_version=installed("torch"),
        triton_version=installed("triton"),
        taken=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        seconds=round((clock.now_us() - started) / 1e6, 1),
        source=clock.source,
        ceilings=ceilings,
        before=before,
        after=clock.state(),
        notes=notes,
    )
