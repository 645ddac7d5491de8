"""Times several subjects side by side: interleaved, with a cold cache and fresh arguments, through two
windows.

    session = measure([Subject("eager", prepare, model), Subject("candidate", prepare, kernel)], clock)

Each sample is taken through both windows, each with arguments that were made outside it, with contents of
their own at new addresses:

- device window: idle device, cache flush, start event, call, stop event. The flush keeps the device busy
  while the host enqueues, so the time between the events is device time without launch gaps.
- host window: cache flush, idle device, host clock, call, idle device, host clock. What a caller waits for.

Work that hides from one window shows in the other, or in the profiler's log; `agreement.py` compares the
three.
"""

from __future__ import annotations

import random
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

from .clock import Clock
from .interval import relative_standard_error
from .samples import Floor, Samples, Session
from .window import device_window, host_window

_MOST_FLUSHES = 16  # enqueued to hide the host's launches
_EMPTY_CALLS = 20


@dataclass(frozen=True)
class Subject:
    """What is timed: `call(*prepare(seed))`. `check` gets the seed of some of the timed calls, their
    arguments as the call left them and its result, and answers with a complaint, or with nothing. `trusted`
    is torch's own code: what the clocks read around it is normal for this machine."""

    name: str
    prepare: Callable[[int], tuple[Any, ...]]
    call: Callable[..., Any]
    check: Callable[[int, tuple[Any, ...], Any], str] | None = None
    trusted: bool = False


@dataclass(frozen=True)
class Plan:
    """How much is enough: `least_samples`, or `least_early` once the standard error of each mean is under
    `standard_error`, or `budget_s` are over. Warm-up and sample counts are drawn anew for each run, so no
    call can tell by counting whether it is timed. Calls under the profiler come first, last, and `audits`
    times in between; none at all where that is None."""

    least_samples: int = 100
    most_extra: int = 20
    least_early: int = 20
    standard_error: float = 0.001
    warmup: tuple[int, int] = (3, 10)
    check_share: float = 0.05
    audits: int | None = 2
    keep: int = 4
    budget_s: float = 120.0


class DeviceLostError(Exception):
    """The device no longer answers after a subject failed; nothing later in this process could be trusted."""


Quiet = Callable[[], AbstractContextManager[None]]


def measure(
    subjects: Sequence[Subject], clock: Clock, plan: Plan = Plan(), seed: int | None = None, *,
    quiet: Quiet = nullcontext,
) -> Session:  # fmt: skip
    """Time the subjects in shuffled rounds; one that fails keeps its place in the result, with its error.
    Each round, and whatever else runs on the device, is within a `quiet()` of its own."""
    seed = secrets.randbits(48) if seed is None else seed
    pairs = [(subject, Samples(subject.name, subject.trusted)) for subject in subjects]
    run = _Run(clock, plan, random.Random(seed), pairs, quiet)
    before = clock.state()
    with quiet():
        floor = _floor(clock)
    lost, complete, streams = "", False, tuple[int, ...]()
    try:
        run.warm_up()
        run.weigh()
        run.audit()
        streams = run.own_streams()
        with quiet():
            floor = _floor(clock)  # as the rounds find it: loaded modules and a profiler slow every wait
        complete = run.rounds()
        run.audit()
    except DeviceLostError as error:
        lost = str(error)
    records = tuple(record for _, record in run.pairs)
    return Session(clock.source, seed, before, clock.state(), floor, records, complete, lost, streams=streams)


class _Run:
    """The state of one session; every method works on all subjects that have not failed."""

    def __init__(
        self, clock: Clock, plan: Plan, dice: random.Random, pairs: list[tuple[Subject, Samples]],
        quiet: Quiet,
    ) -> None:  # fmt: skip
        self.clock, self.plan, self.dice, self.pairs, self.quiet = clock, plan, dice, pairs, quiet
        self.flushes = 1
        self.kept = deque[Any](
            maxlen=plan.keep
        )  # what is still alive cannot lend its address to the next call

    def warm_up(self) -> None:
        """Compile, autotune, settle; how often is not known to the subjects, and nothing of it counts."""
        self._all(self.pairs, self._call_first)
        for _ in range(self.dice.randint(*self.plan.warmup)):
            self._all(self.pairs, self._sample)
        for _, record in self.pairs:
            record.forget()

    def rounds(self) -> bool:
        """Whether enough samples were taken before the budget ran out."""
        target = self.plan.least_samples + self.dice.randint(0, self.plan.most_extra)
        audited = {self.dice.randrange(target) for _ in range(self.plan.audits or 0)}
        deadline_us = self.clock.now_us() + self.plan.budget_s * 1e6
        for index in range(target):
            if index in audited:
                self.audit()
            self._all(self.dice.sample(self.pairs, len(self.pairs)), self._sample)
            if index + 1 >= self.plan.least_early and self._steady():
                return True
            if self.clock.now_us() > deadline_us:
                return index + 1 >= self.plan.least_early
        return True

    def weigh(self) -> None:
        """The memory that one call of each subject takes, apart from any timed one."""
        self._all(self.pairs, self._weigh_one)

    def audit(self) -> None:
        """One call of each subject under the profiler, between timed rounds."""
        if self.plan.audits is not None:
            self._all(self.pairs, self._audit_one)

    def own_streams(self) -> tuple[int, ...]:
        """Where the clock's own kernels run, by the profiler: the stream that a call finds set."""
        if self.plan.audits is None:
            return ()
        with self.quiet():
            return tuple(sorted({span.stream for span in self.clock.launches(self.clock.flush) or ()}))

    def _sample(self, subject: Subject, record: Samples) -> None:
        """One call through each window. No other call ever gets these contents, so that a result which
        another subject left behind in memory is nobody's right answer."""
        seed = self._seed()
        arguments = subject.prepare(seed)
        window, result = device_window(self.clock, lambda: subject.call(*arguments), self.flushes)
        record.add(window)
        if not window.covered:
            self.flushes = min(2 * self.flushes, _MOST_FLUSHES)
        self._finish(subject, record, seed, arguments, result)
        seed = self._seed()
        other = subject.prepare(seed)
        host_us, result = host_window(self.clock, lambda: subject.call(*other))
        record.host_us.append(host_us)
        self._finish(subject, record, seed, other, result)

    def _finish(self, subject: Subject, record: Samples, seed: int, arguments: Any, result: Any) -> None:
        """Check the first and some later calls, after their window and on what the timed call itself gave."""
        self.kept.append((arguments, result))
        if subject.check and (record.checked == 0 or self.dice.random() < self.plan.check_share):
            record.note_check(partial(subject.check, seed, arguments, result))

    def _call_first(self, subject: Subject, record: Samples) -> None:
        arguments = subject.prepare(self._seed())
        self.clock.synchronize()
        start = self.clock.now_us()
        subject.call(*arguments)
        self.clock.synchronize()
        record.first_call_us = self.clock.now_us() - start

    def _weigh_one(self, subject: Subject, record: Samples) -> None:
        arguments = subject.prepare(self._seed())
        record.peak_bytes = self.clock.peak_bytes(lambda: subject.call(*arguments))

    def _audit_one(self, subject: Subject, record: Samples) -> None:
        """A call under the profiler may be checked like a timed one: right with the same kernels, or not at
        all."""
        seed = self._seed()
        arguments = subject.prepare(seed)
        self.clock.flush()
        self.clock.synchronize()
        results = list[Any]()
        spans = self.clock.launches(lambda: results.append(subject.call(*arguments)))
        if spans is not None:
            record.audits.append(list(spans))
        self._finish(subject, record, seed, arguments, results[0])

    def _all(self, pairs: Sequence[tuple[Subject, Samples]], act: Callable[[Subject, Samples], None]) -> None:
        with self.quiet():
            for subject, record in pairs:
                self._guarded(subject, record, act)

    def _guarded(self, subject: Subject, record: Samples, act: Callable[[Subject, Samples], None]) -> None:
        if record.error:
            return
        try:
            act(subject, record)
        except Exception as error:  # whatever a subject raises is its result, not ours
            record.error = f"{type(error).__name__}: {error}"
            self._require_device(record)

    def _require_device(self, record: Samples) -> None:
        try:
            self.clock.synchronize()
        except Exception as error:
            raise DeviceLostError(f"the device was lost after {record.subject} failed: {error}") from error

    def _steady(self) -> bool:
        alive = [record for _, record in self.pairs if not record.error]
        return all(relative_standard_error(record.device_us) <= self.plan.standard_error for record in alive)

    def _seed(self) -> int:
        return self.dice.getrandbits(31)


def _floor(clock: Clock) -> Floor:
    """The medians of both windows around a call that does nothing."""
    taken = [
        (device_window(clock, _nothing)[0], host_window(clock, _nothing)[0]) for _ in range(_EMPTY_CALLS)
    ]
    return Floor(
        host_us=median(host_us for _, host_us in taken),
        late_us=median(window.late_us for window, _ in taken),
    )


def _nothing() -> None:
    """The call that does nothing."""
