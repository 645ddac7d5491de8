"""Tells what a call left running: threads and processes that were not there before it.

    before = now()
    model(*inputs)
    left_since(before)      # [] or ["thread 'python' (4711)", "process 'sleep' (4712)"]

Libraries start their pools at first use, so make one call of each first, or hold torch to one thread. A
process whose parent has ended falls to the sandbox's guard and is no longer below this one;
`Outcome.left_running` of sandbox.py counts it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass

from . import sandbox_census as census

_PATIENCE_S = 0.05  # a thread that was joined is listed until the kernel has taken it down


@dataclass(frozen=True)
class Running:
    """Everything alive, by number and start time, so that a number used again is no alibi."""

    found: Mapping[tuple[int, str], str]


def now() -> Running:
    """The threads of this process and the processes below it."""
    threads = {int(name): f"/proc/self/task/{name}" for name in os.listdir("/proc/self/task")}
    processes = {pid: f"/proc/{pid}" for pid in census.below(census.own_pid())}
    return Running({**_described("thread", threads), **_described("process", processes)})


def left_since(before: Running, patience_s: float = _PATIENCE_S) -> list[str]:
    """What runs now and did not then; waits up to `patience_s` for what is just ending."""
    deadline = time.monotonic() + patience_s
    while True:
        left = [told for key, told in now().found.items() if key not in before.found]
        if not left or time.monotonic() >= deadline:
            return left
        time.sleep(0.002)


def _described(kind: str, places: Mapping[int, str]) -> dict[tuple[int, str], str]:
    found = {}
    for number, place in places.items():
        if started := census.started(place):
            name, when = started
            found[number, when] = f"{kind} {name!r} ({number})"
    return found
