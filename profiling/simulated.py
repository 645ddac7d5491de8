"""A card that exists only as arithmetic: virtual time, streams, events, noise and a cache, behind the `Clock`
seam.

Timing and benchmarking are tested on it, cheats included. Code under test "runs" by calling `launch`. Every
number it gives carries the source "simulated" and is never reported as a measurement.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .kernel_log import KernelSpan
from .probe import ClockState


@dataclass
class SimulatedClock:
    """Virtual microseconds. Kernels of one stream run in order, streams run side by side, the host runs
    ahead."""

    seed: int = 0
    noise: float = 0.01  # standard deviation of each kernel's time, as a share of it
    launch_us: float = 4.0  # host time to enqueue one kernel
    sync_us: float = 3.0  # host time of a synchronisation that finds the device idle
    flush_us: float = 160.0
    drift: Callable[[float], float] = lambda now_us: (
        1.0
    )  # slow-down of every kernel, as a function of virtual time
    states: tuple[ClockState, ...] = ()  # what successive readings of the clocks give
    source: str = "simulated"
    launched: int = 0  # kernels so far
    _host_us: float = 0.0
    _allocated: int = 0
    _busy_until: dict[int, float] = field(default_factory=dict)
    _warm: set[str] = field(default_factory=set)
    _log: list[KernelSpan] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._states = iter(self.states)

    def launch(
        self, duration_us: float, *, name: str = "kernel", stream: int = 0, warm_us: float | None = None,
        grid: tuple[int, ...] | None = (256, 1, 1), block: tuple[int, ...] | None = (128, 1, 1),
    ) -> None:  # fmt: skip
        """Enqueue a kernel; `warm_us` is its time when it ran before since the last flush."""
        self._host_us += self.launch_us
        self.launched += 1
        cost = warm_us if warm_us is not None and name in self._warm else duration_us
        cost *= self.drift(self._host_us) * max(0.1, self._random.gauss(1.0, self.noise))
        start = max(self._host_us, self._busy_until.get(stream, 0.0))
        self._busy_until[stream] = start + cost
        self._warm.add(name)
        self._log.append(KernelSpan(name, stream, start, cost, grid, block))

    def work(self, host_us: float) -> None:
        """Spend host time without enqueueing anything."""
        self._host_us += host_us

    def now_us(self) -> float:
        return self._host_us

    def synchronize(self) -> None:
        self._host_us = max([self._host_us, *self._busy_until.values()]) + self.sync_us

    def record(self) -> float:
        return max(self._host_us, self._busy_until.get(0, 0.0))

    def reached(self, mark: float) -> bool:
        return self._host_us >= mark

    def wait(self, mark: float) -> None:
        self._host_us = max(self._host_us, mark) + self.sync_us

    def between_us(self, start: float, stop: float) -> float:
        return stop - start

    def flush(self) -> None:
        self._host_us += self.launch_us
        self._busy_until[0] = max(self._host_us, self._busy_until.get(0, 0.0)) + self.flush_us
        self._warm.clear()

    def launches(self, call: Callable[[], object]) -> tuple[KernelSpan, ...] | None:
        self._log.clear()
        call()
        self.synchronize()
        return tuple(self._log)

    def allocate(self, count: int) -> None:
        """Bytes that the running call takes and gives back when it ends."""
        self._allocated += count

    def peak_bytes(self, call: Callable[[], object]) -> int | None:
        self._allocated = 0
        call()
        self.synchronize()
        return self._allocated

    def state(self) -> ClockState | None:
        return next(self._states, None)

    def kernel(self, duration_us: float, **how: Any) -> Callable[..., str]:
        """A call that launches one kernel and returns its name, whatever its arguments."""

        def run(*_: object) -> str:
            self.launch(duration_us, **how)
            return str(how.get("name", "kernel"))

        return run
