"""Runs tasks side by side, a process each, so that a crash or a hang is an answer and not the end.

    with Processes(Bounds(wall_s=600, memory_bytes=8 << 30), preload=("kbgen.generator.loop",)) as pool:
        pool.start("task", work, argument)
        for key, ending in pool.ended(): ...

Processes are forked from one that has only imported (`multiprocessing`'s fork server): a task sees no trace
of another. What a task holds is counted over all the processes below it, once a second. It ends with the
process that holds the pool, a killed one too.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Generic, Literal, Protocol, TypeVar

from ...profiling.sandbox_census import below, cpu_seconds, families, resident_bytes

TICK_S = 1.0

Key = TypeVar("Key", bound=Hashable)

Work = Callable[[Any], Any]
"""A function of a module, so that another process finds it by name."""


@dataclass(frozen=True)
class Bounds:
    """How long a task may run, and what all its processes may hold together."""

    wall_s: float = 600.0
    memory_bytes: int = 8 << 30


@dataclass(frozen=True)
class Ending:
    """How a task ended; `value` is there when `status` is "ok", `detail` says why where it is not.

    `cpu_s` counts all its processes. `peak_bytes` is the most that they were seen to hold: memory of their
    own and shared memory, where pages shared after a fork count in each; 0 for what ended within a second.
    """

    status: Literal["ok", "timeout", "memory", "crashed"]
    value: Any
    detail: str
    wall_s: float
    cpu_s: float
    peak_bytes: int


class Pool(Protocol[Key]):
    """Starts tasks and hands out endings; `running` counts those that have not ended."""

    @property
    def running(self) -> int: ...

    def start(self, key: Key, work: Work, argument: Any, bounds: Bounds | None = None) -> None: ...

    def ended(self, patience_s: float = TICK_S) -> Sequence[tuple[Key, Ending]]:
        """What has ended since, after waiting `patience_s` at most for the first."""

    def stop(self) -> None:
        """End whatever runs; it gives no ending."""


@dataclass
class _Running:
    process: ForkServerProcess
    answer: Connection
    started: float
    bounds: Bounds
    cpu_s: float = 0.0
    peak_bytes: int = 0
    over: str = ""


@dataclass
class Processes(Generic[Key]):
    """A pool of processes; `preload` names modules that are imported once, before anything is forked."""

    bounds: Bounds = Bounds()
    preload: tuple[str, ...] = ()
    _tasks: dict[Key, _Running] = field(default_factory=dict)
    _looked: float = 0.0

    def __post_init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(list(self.preload))

    def __enter__(self) -> Processes[Key]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def running(self) -> int:
        return len(self._tasks)

    def start(self, key: Key, work: Work, argument: Any, bounds: Bounds | None = None) -> None:
        """Start `work(argument)`, with the environment that this process has now."""
        ours, theirs = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_child, args=(work, argument, dict(os.environ), theirs))
        process.start()
        theirs.close()
        self._tasks[key] = _Running(process, ours, time.monotonic(), bounds or self.bounds)

    def ended(self, patience_s: float = TICK_S) -> Sequence[tuple[Key, Ending]]:
        waited_for: list[Any] = [
            place for task in self._tasks.values() for place in (task.answer, task.process.sentinel)
        ]
        wait(waited_for, timeout=patience_s)
        self._look()
        done = [key for key, task in self._tasks.items() if task.over or _has_ended(task)]
        return [(key, self._ending(self._tasks.pop(key))) for key in done]

    def stop(self) -> None:
        for task in self._tasks.values():
            _kill(task)
        self._tasks.clear()

    def _look(self) -> None:
        """Count what every task holds and end those that passed a bound; once a tick."""
        now = time.monotonic()
        if now - self._looked < TICK_S:
            return
        self._looked, known = now, families()
        for task in self._tasks.values():
            pids = [task.process.pid or 0, *below(task.process.pid or 0, known=known)]
            held = resident_bytes(pids, task.bounds.memory_bytes)
            task.peak_bytes = max(task.peak_bytes, held)
            task.cpu_s = max(task.cpu_s, cpu_seconds(pids))
            if held > task.bounds.memory_bytes:
                task.over = "memory"
            elif now - task.started > task.bounds.wall_s:
                task.over = "timeout"

    def _ending(self, task: _Running) -> Ending:
        answer: Mapping[str, Any] = {}
        with contextlib.suppress(EOFError, OSError):
            answer = task.answer.recv() if task.answer.poll() else {}
        _kill(task)
        wall_s, cpu_s = time.monotonic() - task.started, float(answer.get("cpu_s", task.cpu_s))
        figures = (round(wall_s, 2), round(cpu_s, 2), task.peak_bytes)
        if "value" in answer:
            return Ending("ok", answer["value"], "", *figures)
        if "error" in answer:
            return Ending("crashed", None, answer["error"], *figures)
        if task.over == "memory":
            held = f"its processes held more than {task.bounds.memory_bytes / 2**30:g} GiB and were ended"
            return Ending("memory", None, held, *figures)
        if task.over == "timeout":
            return Ending("timeout", None, f"it ran past {task.bounds.wall_s:g} s and was ended", *figures)
        return Ending("crashed", None, f"its process ended {_how(task.process.exitcode)}", *figures)


@dataclass
class Here(Generic[Key]):
    """A pool that runs each task in this very process when its ending is asked for, for a debugger; no bound
    holds, an error that a row cannot tell comes through, and nothing is counted but time."""

    _waiting: list[tuple[Key, Work, Any]] = field(default_factory=list)

    @property
    def running(self) -> int:
        return len(self._waiting)

    def start(self, key: Key, work: Work, argument: Any, bounds: Bounds | None = None) -> None:
        self._waiting.append((key, work, argument))

    def ended(self, patience_s: float = TICK_S) -> Sequence[tuple[Key, Ending]]:
        if not self._waiting:
            return []
        key, work, argument = self._waiting.pop(0)
        began, cpu = time.monotonic(), time.process_time()
        value = work(argument)
        wall_s, cpu_s = time.monotonic() - began, time.process_time() - cpu
        return [(key, Ending("ok", value, "", round(wall_s, 2), round(cpu_s, 2), 0))]

    def stop(self) -> None:
        self._waiting.clear()


def _child(work: Work, argument: Any, environment: Mapping[str, str], answer: Connection) -> None:
    """The process of one task: the value or the error, and the CPU time of all that it started."""
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    Thread(target=_end_with_the_pool, daemon=True).start()
    try:
        told = {"value": work(argument)}
    except BaseException as error:
        words = (str(error).strip().splitlines() or ["no message"])[0]
        *_, last = traceback.extract_tb(error.__traceback__)
        told = {"error": f"{type(error).__name__}: {words} ({Path(last.filename).name}:{last.lineno})"}
    answer.send({**told, "cpu_s": cpu_seconds([os.getpid(), *below(os.getpid())])})


def _end_with_the_pool() -> None:
    """Wait for the end of the process that holds the pool, and end with all that runs here."""
    pool = multiprocessing.parent_process()
    assert pool is not None
    wait([pool.sentinel])
    for one in (*below(os.getpid()), os.getpid()):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(one, signal.SIGKILL)


def _has_ended(task: _Running) -> bool:
    return task.answer.poll() or task.process.exitcode is not None


def _kill(task: _Running) -> None:
    """End the process and all below it; their own children's walls end with them."""
    pid = task.process.pid or 0
    for one in (*below(pid), pid):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(one, signal.SIGKILL)
    task.process.join()
    task.answer.close()


def _how(code: int | None) -> str:
    """ "by SIGSEGV" or "with code 3"."""
    if code is not None and code < 0:
        return f"by {signal.Signals(-code).name}"
    return f"with code {code} and without an answer"
