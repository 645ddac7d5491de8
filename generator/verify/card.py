"""Judges a candidate in CUDA C++ on the card itself: the calls of any judgement, made for real.

The parent keeps the right answers, as it does for the interpreter's child, and one call is made with a second
build of the candidate whose kernels do nothing: then the result must be another. What only the interpreter
sees, which addresses are touched and by whom, compute-sanitizer must look at; where it is not installed the
verdict is inconclusive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...profiling.cuda_source import without_kernels
from ...profiling.sandbox import Limits, Outcome, run_child
from .inputs.setting import Setting
from .judgement import Judgement
from .process.exchange import CARD_CHILD, read_report, read_tensors, write_request
from .sanitizer import Sanitized, sanitize
from .stages.at_sizes import BesidePlan
from .stages.record import Record
from .stages.settings import written
from .stages.whole import first_fault, hidden_library_call, own_kernels
from .summary import fill_in
from .verdict import Fault, Verdict

LIMITS = Limits(wall_s=600.0, cpu_s=1200, memory_bytes=None, file_bytes=1 << 30, processes=64)
"""Room for nvcc and a host compiler, which `load_inline` starts."""

_UNSEEN = "races between blocks in global memory were not watched: racecheck sees shared memory alone"

Run = Callable[[dict[str, Any], Path], Outcome]
Sanitize = Callable[..., Sanitized]


def in_child(asked: dict[str, Any], scratch: Path) -> Outcome:
    """The calls in a fresh process that may use the card; what it builds lies in the scratch folder."""
    env = {"TORCH_EXTENSIONS_DIR": str(scratch / "extensions"), "MAX_JOBS": "4"}
    return run_child(CARD_CHILD, asked, scratch=scratch, limits=LIMITS, env=env)


class OnCard(Judgement):
    """One candidate, one set of calls, one child on the card."""

    def __init__(
        self, record: Record, found: list[Setting], scratch: Path, *,
        run: Run = in_child, device: str = "cuda", watch: Sanitize = sanitize,
    ) -> None:  # fmt: skip
        super().__init__(record, found, scratch, LIMITS, live=True)
        self.run, self.device, self.watch = run, device, watch
        self.beside = BesidePlan([], [])

    def _write(self) -> None:
        self.scratch.mkdir(parents=True, exist_ok=True)
        idle = self.scratch / "idle"
        idle.mkdir(exist_ok=True)
        shapes = [written(setting, self.record.source, self.scratch) for setting in self.found]
        shapes.append(written(self.found[0], without_kernels(self.record.source), idle))
        steps = [
            replace(case.step, shape=len(self.found)) if case.step.ghost else case.step for case in self.cases
        ]
        write_request(self.scratch, shapes, steps, None)

    def _child(self) -> Outcome:
        kernels = [kernel["name"] for kernel in self.record.fields["target"]["kernels"]]
        asked = {"device": self.device, "mode": self.record.mode, "kernels": kernels}
        return self.run(asked, self.scratch)

    def _compare(self, outcome: Outcome) -> Verdict:
        assert outcome.reply is not None
        record = self.record
        reports = [read_report(document) for document in outcome.reply["reports"]]
        count = self.answering.enough or len(self.cases)
        if len(reports) < count:
            return record.failed(Fault("tampering", "its process ended before all calls were made"))
        self.cases, reports = self.cases[:count], reports[:count]
        try:
            tensors = read_tensors(self.scratch)
        except Exception as error:  # whatever a damaged or forged file makes of the reader
            return record.failed(Fault("tampering", f"the outputs it left cannot be read: {error}"))
        with record.clock("compare"):
            reviewed = self.right.review(self.cases, reports, tensors)
            fill_in(record, self.cases, self.right.known, reports, reviewed, tensors)
            fault = first_fault(self.cases, reviewed, reports)
            fault = fault or hidden_library_call(reports, record.allowed_calls)
            if fault is None and self.answering.enough is None:
                fault = own_kernels(self.cases, reports, tensors)
        if fault is not None:
            return record.concluded(fault)
        return self._stands()

    def _stands(self) -> Verdict:
        """What speaks for a candidate without a fault: refused impostors, and compute-sanitizer."""
        record, degenerate = self.record, self._accomplices()
        if degenerate is not None:
            return record.concluded(degenerate)
        shapes = [setting.op.overrides for setting in self.found[:2]]
        folder = self.scratch / "sanitizer"
        with record.clock("sanitizer"):
            found = self.watch(record.candidate, record.op, shapes, record.mode, record.seed, folder)
        record.fields["sanitizer"] = found.to_json()
        fault = found.fault([kernel["name"] for kernel in record.fields["target"]["kernels"]])
        if fault is not None:
            return record.concluded(fault)
        if "memcheck" not in found.ran:
            said = "; ".join(found.reasons) or "memcheck did not run"
            return record.inconclusive(
                "unsupported", f"its results are right, and its addresses were not watched: {said}"
            )
        record.notes += found.unwatched()
        record.notes.append(_UNSEEN)
        return record.passed()
