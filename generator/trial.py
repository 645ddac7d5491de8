"""Judges a kernel file, then times it: what `kbgen bench` answers.

tried = trial(Path("rmsnorm_optimized.py"), op, detect("auto"), trace(op), scratch=folder)
tried.verdict, tried.benchmark.label
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..profiling.device import Device
from ..profiling.op import Op
from ..profiling.trace import TracedOp
from .benchmark import RunChild, benchmark, require_live
from .decision import Benchmark
from .verify.judge import verify
from .verify.verdict import Failed, Passed, Verdict


@dataclass(frozen=True)
class Trial:
    """What the judge said, and what the clock said of a kernel that the judge did not refuse."""

    verdict: Verdict
    benchmark: Benchmark

    def to_json(self) -> dict[str, Any]:
        """The benchmark's document with the verdict beside it."""
        return {**self.benchmark.to_json(), "verdict": self.verdict.to_json()}


def trial(
    candidate: Path, op: Op, device: Device, traced: TracedOp, *,
    scratch: Path, precision: str = "fp32", run: RunChild | None = None,
) -> Trial:  # fmt: skip
    """Verify, then time; a refused kernel is not timed, and nothing undecided wins.

    Raises BenchmarkError where the device is not in this machine, before anything is judged.
    """
    require_live(device)
    folder = scratch / "judge"
    folder.mkdir(parents=True, exist_ok=True)
    verdict = verify(candidate, op, device.spec, precision=precision, mode=traced.mode, scratch=folder)
    if isinstance(verdict, Failed):
        why = f"not timed, since the judge refuses it: {verdict.cause}: {verdict.detail}"
        return Trial(verdict, Benchmark("failed", why, "", 0, device=device.to_json()))
    timed = benchmark(
        candidate, op, device, traced, scratch=scratch / "times", precision=precision, run=run,
        saves_arithmetic="algorithmic" in verdict.labels,
    )  # fmt: skip
    if not isinstance(verdict, Passed) and timed.label == "win":
        why = f"the judge could not decide ({verdict.cause}: {verdict.detail}); {timed.reason}"
        timed = replace(timed, label="inconclusive", reason=why)
    return Trial(verdict, timed)
