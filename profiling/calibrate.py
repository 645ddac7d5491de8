"""Measures on a live card what a roofline needs: bandwidths, matrix products, launches, special functions.

    calibration = calibrate()          # a minute at most; stored, and found again by `device.detect`

Each task is one call whose work is known; its rate is that work over the median time of repeated calls. What
a card cannot do (a dtype, too little memory) is left out with a note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .calibration import Calibration, Ceiling, keep
from .clock import Clock, CudaClock
from .interval import median
from .probe import LiveFacts, Probe, SystemProbe, installed
from .window import device_window

BUDGET_S = 55.0
_TASK_S = 2.5
_LEAST, _MOST = 5, 40
_WARM_S = 0.3


@dataclass(frozen=True)
class Task:
    """One thing to measure. `prepare()` gives the call and its work in bytes, flops, operations or launches;
    `scale` turns work per microsecond into `unit`. `inverse`: time per work, not work per time. `flushes`
    before a call keep the device busy while the host enqueues it."""

    key: str
    unit: str
    scale: float
    how: str
    prepare: Callable[[], tuple[Callable[[], Any], float]]
    inverse: bool = False
    on_host: bool = False
    flushes: int = 1


def calibrate(
    say: Callable[[str], None] | None = None,
    *,
    folder: Path | None = None,
    probe: Probe | None = None,
    clock: Clock | None = None,
    tasks: Iterable[Task] | None = None,
    budget_s: float = BUDGET_S,
) -> Calibration:
    """Measure the card of this machine and keep the result in `folder`; NoCardError without a card."""
    probe = probe or SystemProbe()
    facts = probe.facts()
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
            ceilings.append(_ceiling(task, clock))
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


def _ceiling(task: Task, clock: Clock) -> Ceiling:
    """Warm up until the clocks have risen, then sample until it is enough or the task's time is over."""
    with _released():
        call, work = task.prepare()
        call()
        clock.synchronize()
        begun = clock.now_us()
        while clock.now_us() - begun < _WARM_S * 1e6:
            call()
            clock.synchronize()
        begun, times = clock.now_us(), list[float]()
        while len(times) < _LEAST or (len(times) < _MOST and clock.now_us() - begun < _TASK_S * 1e6):
            times.append(_one(task, clock, call))
        state = clock.state()
    rates = [task.scale * (time / work if task.inverse else work / time) for time in times]
    middle = median(rates)
    return Ceiling(
        task.key, middle.value, task.unit, middle.low, middle.high, len(rates), task.how,
        state.sm_mhz if state else None, state.throttle if state else (),
    )  # fmt: skip


def _one(task: Task, clock: Clock, call: Callable[[], Any]) -> float:
    """Microseconds of one call: on the device, or of the host until the call returned."""
    if not task.on_host:
        return device_window(clock, call, task.flushes)[0].device_us
    clock.synchronize()
    called = clock.now_us()
    call()
    return clock.now_us() - called


@contextmanager
def _released() -> Iterator[None]:
    """Gives a task's memory back to the card when it is done."""
    try:
        yield
    finally:
        import sys

        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            torch.cuda.empty_cache()
