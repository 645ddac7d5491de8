"""Judge what the search found, best first, and admit a success only after it was run again from nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ..profiling.device import Device
from ..profiling.op import Op
from ..profiling.trace import TracedOp
from .benchmark import Benchmark, benchmark
from .climb import Climb
from .evaluated import Evaluated
from .job import OptimizeRequest, Status
from .verify.judge import limits_for, verify
from .verify.verdict import Failed, Inconclusive, Passed, Verdict

OF_THE_OP = ("degenerate", "random", "no-oracle")
"""Why a verdict is open whatever the candidate: these end the judging, others hold for one kernel."""

STOPPED = "stopped by hand before any candidate was verified: no kernel is claimed"


@dataclass(frozen=True)
class Judged:
    """The candidate that stands, with its verdict; `failures` are the better ones that did not pass."""

    status: Status
    reason: str
    chosen: Evaluated | None = None
    verdict: Verdict | None = None
    benchmark: Benchmark | None = None
    failures: tuple[tuple[str, Failed], ...] = ()

    @property
    def verified(self) -> bool:
        """The judge passed it, and no timed call on the card contradicted that."""
        refuted = self.benchmark is not None and self.benchmark.label == "failed"
        return isinstance(self.verdict, Passed) and not refuted


def judge(
    climb: Climb, op: Op, device: Device, traced: TracedOp, request: OptimizeRequest, scratch: Path,
    say: Callable[[str], None],
) -> Judged:  # fmt: skip
    """Verify from the best candidate down to the plain one; time the first that passes where it can be."""
    if not climb.accepted:
        return Judged("declined", climb.declined)
    failures: list[tuple[str, Failed]] = []
    try:
        return _judge(climb, op, device, traced, request, scratch, say, failures)
    except KeyboardInterrupt:
        say(STOPPED)
        return Judged("inconclusive", STOPPED, failures=tuple(failures))


def _judge(
    climb: Climb, op: Op, device: Device, traced: TracedOp, request: OptimizeRequest, scratch: Path,
    say: Callable[[str], None], failures: list[tuple[str, Failed]],
) -> Judged:  # fmt: skip
    for found in reversed(climb.accepted):
        say(f"candidate {found.candidate.id}")
        verdict = _verify(found, op, device, request, scratch / found.candidate.id / "judge")
        if isinstance(verdict, Failed):
            say(f"failed: {verdict.cause}: {verdict.detail}")
            failures.append((found.candidate.id, verdict))
            continue
        judged = Judged("unmeasured", "", found, verdict, failures=tuple(failures))
        if (
            isinstance(verdict, Inconclusive)
            and verdict.cause not in OF_THE_OP
            and found is not climb.accepted[0]
        ):
            say(f"inconclusive: {verdict.cause}: {verdict.detail}")
            continue
        if not isinstance(verdict, Passed):
            status: Status = "degenerate" if verdict.cause == "degenerate" else "inconclusive"
            return replace(judged, status=status, reason=f"{verdict.cause}: {verdict.detail}")
        return (
            _timed_unless_stopped(judged, op, device, traced, request, scratch, say)
            if device.live
            else judged
        )
    last = failures[0][1]  # the plain candidate, judged last, never ends as anything but failed here
    return Judged("declined", f"no candidate passed; the best one failed: {last.cause}: {last.detail}",
                  verdict=last, failures=tuple(failures))  # fmt: skip


def _verify(found: Evaluated, op: Op, device: Device, request: OptimizeRequest, scratch: Path) -> Verdict:
    scratch.mkdir(parents=True, exist_ok=True)
    return verify(
        found.path, op, device.spec, precision=request.precision, mode=request.mode, scratch=scratch,
        allowed_calls=found.candidate.allowed_calls, static=found.static, live=device.live,
        limits=limits_for(len(found.static.kernels)),
    )  # fmt: skip


def _timed_unless_stopped(
    judged: Judged, op: Op, device: Device, traced: TracedOp, request: OptimizeRequest, scratch: Path,
    say: Callable[[str], None],
) -> Judged:  # fmt: skip
    """A kernel that was verified stays so when a person ends its timing."""
    try:
        return _timed(judged, op, device, traced, request, scratch)
    except KeyboardInterrupt:
        say("stopped while it was timed; going on with the verified kernel")
        return replace(judged, reason="stopped by hand while it was timed: verified, not measured")


def _timed(
    judged: Judged, op: Op, device: Device, traced: TracedOp, request: OptimizeRequest, scratch: Path
) -> Judged:
    """Benchmark on the live card; a win is believed after a second verification with fresh seeds."""
    found = judged.chosen
    assert found is not None
    times = benchmark(
        found.path, op, device, traced, scratch=scratch / "benchmark", precision=request.precision,
        saves_arithmetic=judged.verdict is not None and "algorithmic" in judged.verdict.labels,
    )  # fmt: skip
    judged = replace(judged, benchmark=times, reason=times.reason)
    if times.label == "failed":
        return replace(judged, status="inconclusive")
    if times.label != "win":
        return replace(judged, status="inconclusive" if times.label == "inconclusive" else "no-win")
    if times.review:
        return replace(
            judged, status="inconclusive", reason=f"a person should look at this first: {times.review}"
        )
    again = _verify(found, op, device, request, scratch / "again")
    if not isinstance(again, Passed):
        return replace(
            judged,
            status="inconclusive",
            verdict=again,
            reason="it did not pass a second time, with fresh seeds",
        )
    return replace(judged, status="win")
