"""One thing to measure of a card: a call whose work is known, and the rate at which the card does it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .calibration import Ceiling
from .clock import Clock
from .interval import median
from .window import device_window

_TASK_S = 2.5
_LEAST, _MOST, _BURST = 5, 40, 10
_WARM_S, _REST_S = 0.3, 0.3


@dataclass(frozen=True)
class Task:
    """One thing to measure. `prepare()` gives the call and its work in bytes, flops, operations or launches;
    `scale` turns work per microsecond into `unit`. `inverse`: time per work, not work per time. `flushes`
    before a call keep the device busy while the host enqueues it. `burst`: after a rest and for a few calls,
    before a power limit lowers the clock, as a kernel is timed; without it for as long as it takes."""

    key: str
    unit: str
    scale: float
    how: str
    prepare: Callable[[], tuple[Callable[[], Any], float]]
    inverse: bool = False
    on_host: bool = False
    flushes: int = 1
    burst: bool = False


def ceiling(task: Task, clock: Clock, rest: Callable[[float], object] = time.sleep) -> Ceiling:
    """Warm up, then sample until it is enough or the task's time is over; `rest` waits so many seconds."""
    with _released():
        call, work = task.prepare()
        most = _BURST if task.burst else _MOST
        _warm_up(task, clock, call, rest)
        begun, times = clock.now_us(), list[float]()
        while len(times) < _LEAST or (len(times) < most and clock.now_us() - begun < _TASK_S * 1e6):
            times.append(_one(task, clock, call))
        state = clock.state()
    rates = [task.scale * (time / work if task.inverse else work / time) for time in times]
    middle = median(rates)
    return Ceiling(
        task.key, middle.value, task.unit, middle.low, middle.high, len(rates), task.how,
        state.sm_mhz if state else None, state.throttle if state else (),
    )  # fmt: skip


def _warm_up(task: Task, clock: Clock, call: Callable[[], Any], rest: Callable[[float], object]) -> None:
    """Compile and choose algorithms; then cool down, or work until the clocks have risen."""
    call()
    clock.synchronize()
    if task.burst:
        rest(_REST_S)
        call()
        return
    begun = clock.now_us()
    while clock.now_us() - begun < _WARM_S * 1e6:
        call()
        clock.synchronize()


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
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            torch.cuda.empty_cache()
