"""The second half of a row: time what was found beside torch's own ways, in turn with others on a card."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ...hardware_specs.spec import find_spec
from ...profiling.calibrate import calibrate
from ...profiling.device import detect
from ...profiling.op import load_op
from ...profiling.sandbox import NO_CARD, Limits, Outcome, run_child
from ...profiling.session import Plan
from ...profiling.trace import trace
from ..benchmark import benchmark
from ..decision import Benchmark
from ..report.json_report import write
from ..turn import turn
from ..verify.judge import limits_for, verify
from ..verify.verdict import Passed
from .cards import VISIBLE, lock_of, variables
from .row import UNCONFIRMED, Row, timed_fields

PLAN = Plan(
    least_samples=24, most_extra=8, least_early=12, standard_error=0.002, warmup=(2, 4), audits=0, keep=2,
    check_share=0.02, budget_s=60.0,
)  # fmt: skip
"""Enough to tell 1 %, of kernels that may take 10 ms; the interval says how well. Other tasks compile and
make their inputs on the card meanwhile and measure between the rounds; `kbgen bench` is alone there."""


@dataclass(frozen=True)
class Timing:
    """A verified row to be timed on a card, in `processes` fresh processes. One that takes longer than
    `wall_s`, with the time it waits for its turns, is ended; a compiled baseline has `compile_s` to be ready,
    or is told as missing, and `compilers` processes to compile with."""

    path: Path
    row: Row
    folder: Path
    card: str
    processes: int
    compile_s: float = 150.0
    wall_s: float = 400.0
    compilers: int = 8

    @property
    def key(self) -> tuple[str, str, str]:
        return self.row.key


def clock(task: Timing) -> Row:
    """The row with what the clock says; a win is believed after a second verification (see `confirm`)."""
    told = json.loads((task.folder / "report.json").read_text(encoding="utf-8"))
    candidate = task.folder / (task.row.kernel or "")
    labels = (told["verdict"] or {}).get("labels", ())
    op = load_op(task.path)
    traced = trace(op)
    begun = time.monotonic()
    with variables({VISIBLE: task.card}):
        device = detect("auto")
        timed = benchmark(
            candidate, op, device, traced, scratch=task.folder / "timing", plan=PLAN,
            saves_arithmetic="algorithmic" in labels, run=partial(_timed, task), processes=task.processes,
        )  # fmt: skip
    seconds = round(time.monotonic() - begun, 1)
    write(task.folder / "benchmark.json", "bench", timed.to_json())
    row = replace(
        task.row,
        card=task.card,
        status=_status(timed),
        reason=f"{timed.reason}; for a person to look at: {timed.review}" if timed.review else timed.reason,
        timing_seconds=seconds,
        **timed_fields(timed.to_json(), task.processes),
    )
    return row if row.status == UNCONFIRMED else replace(row, verified=row.verified and not row.contradicted)


def _timed(task: Timing, asked: dict[str, Any], scratch: Path) -> Outcome:
    """One timing process, within the row's bounds, that takes turns with others on its card."""
    limits = Limits(wall_s=task.wall_s, cpu_s=None, memory_bytes=None, file_bytes=4 << 30, processes=512)
    return run_child(
        "kbgen.generator.benchmark_child",
        {**asked, "compile_s": task.compile_s, "turn": str(lock_of(task.card)), "asked_at": time.time()},
        scratch=scratch,
        limits=limits,
        env={"TORCHINDUCTOR_COMPILE_THREADS": str(task.compilers)},
    )


def _status(timed: Benchmark) -> str:
    if timed.label == "win":
        return "inconclusive" if timed.review else UNCONFIRMED
    return "inconclusive" if timed.label == "failed" else timed.label


def confirm(task: Timing) -> Row:
    """The row of a kernel that was faster after a second verification, with fresh seeds; it needs no card."""
    begun = time.monotonic()
    told = json.loads((task.folder / "report.json").read_text(encoding="utf-8"))
    candidate, scratch = task.folder / (task.row.kernel or ""), task.folder / "again"
    scratch.mkdir(parents=True, exist_ok=True)
    with variables(NO_CARD):
        verdict = verify(
            candidate, load_op(task.path), find_spec(task.row.gpu), scratch=scratch,
            allowed_calls=tuple(told["allowed_calls"]), limits=limits_for(task.row.kernels or 0),
        )  # fmt: skip
    stages = {**task.row.timing_stages, "again": round(time.monotonic() - begun, 3)}
    if isinstance(verdict, Passed):
        return replace(task.row, status="win", timing_stages=stages)
    said = f"{verdict.cause}: {verdict.detail}"
    late = verdict.cause == "timeout"  # which says nothing against it
    return replace(
        task.row, status="inconclusive", verified=late, contradicted="" if late else said,
        timing_stages=stages, reason=f"it did not pass a second time, with fresh seeds: {said}",
    )  # fmt: skip


def ceilings(task: tuple[str, Path]) -> Mapping[str, Any]:
    """What a card reaches, measured now and kept in the folder: copies, matrix products."""
    card, folder = task
    with turn(str(lock_of(card))), variables({VISIBLE: card}):
        return calibrate(folder=folder).to_json()
