"""Takes one timing of one call, through the device's clock or through the host's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .clock import Clock


@dataclass(frozen=True)
class DeviceWindow:
    """Microseconds: between the events; on the host until the call returned; from the stop event until the
    device was idle. `covered` = the call returned before the device began it, so no launch gaps are
    included."""

    device_us: float
    enqueue_us: float
    late_us: float
    covered: bool


def device_window(clock: Clock, call: Callable[[], Any], flushes: int = 1) -> tuple[DeviceWindow, Any]:
    """Idle device, cold cache, event, call, event. The flushes keep the device busy while the host
    enqueues."""
    clock.synchronize()
    for _ in range(flushes):
        clock.flush()
    start = clock.record()
    called = clock.now_us()
    result = call()
    stop = clock.record()
    enqueue_us = clock.now_us() - called
    covered = not clock.reached(start)
    clock.wait(stop)
    stopped = clock.now_us()
    clock.synchronize()
    late_us = clock.now_us() - stopped
    return DeviceWindow(clock.between_us(start, stop), enqueue_us, late_us, covered), result


def host_window(clock: Clock, call: Callable[[], Any]) -> tuple[float, Any]:
    """Cold cache, idle device, host clock, call, idle device: what a caller waits for, in microseconds."""
    clock.flush()
    clock.synchronize()
    called = clock.now_us()
    result = call()
    clock.synchronize()
    return clock.now_us() - called, result
