"""Decides whether a candidate file computes what the op file computes, and whether by its own kernels.

The road: read its text (`scan`), choose the calls (`cases`), let a shut-in child make them on the interpreter
(`child`), compute the right answers here (`oracle`), compare (`review`), and show that impostors would have
been refused (`controls`). Expected results never exist in a process that runs the candidate.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch

from ... import KbgenError
from ...hardware_specs.spec import DeviceSpec
from ...profiling.op import Op, OpError
from ...profiling.sandbox import Limits, Outcome, run_child
from .budget import FLOORS, precision_class
from .candidate import with_constants
from .cases import Case, Setting, plan, settings
from .controls import Answer, right_answer, run_controls
from .exchange import PROGRESS_FILE, Shape, StepReport, read_report, read_tensors, write_request
from .record import Record, device_answers
from .review import Fault, Review, Reviewed
from .scan import scan
from .verdict import BufferTraffic, CaseResult, Cause, Verdict
from .whole import differ, first_fault, hidden_library_call, own_kernels

PATIENCE_S = 12.0
"""After this long the child leaves out the calls marked optional."""

CHILD_LIMITS = Limits(wall_s=90.0, cpu_s=90, memory_bytes=8 << 30, file_bytes=1 << 30, processes=8)

MODES = ("as-is", "train", "eval")

_ENDINGS: Mapping[str, Cause] = {
    "timeout": "timeout",
    "memory": "out-of-memory",
    "exited": "exited",
    "crashed": "crashed",
}


class JudgeError(KbgenError):
    """A judgement that cannot begin."""


def verify(
    candidate: Path,
    op: Op,
    spec: DeviceSpec | None,
    *,
    precision: str = "fp32",
    mode: str = "as-is",
    scratch: Path,
    seed: int | None = None,
    allowed_calls: Sequence[str] = (),
    limits: Limits = CHILD_LIMITS,
) -> Verdict:
    """Judge `candidate` against `op` on the interpreter; everything is repeatable from the verdict's
    `replay`.

    `precision` declares the class of error to admit, `mode` is "as-is", "train" or "eval", `allowed_calls`
    names the torch calls (`torch.nn.functional.linear`) that the candidate may leave to the library; "*"
    allows any.
    """
    seed = secrets.randbelow(1 << 31) if seed is None else seed
    _check_choices(precision, mode)
    source = _read(candidate)
    record = Record(candidate, source, op, spec, precision, mode, seed, tuple(allowed_calls))
    record.scan = scan(source, allowed_calls)
    if record.scan.fault is not None:
        return record.failed(record.scan.fault)
    try:
        found = settings(op, mode, seed)
    except OpError as error:
        return record.inconclusive("no-oracle", str(error))
    if not found:
        return record.inconclusive(
            "no-oracle", "no smaller shape of this op was found that the interpreter can run"
        )
    return _Judgement(record, found, scratch, limits).verdict()


def _check_choices(precision: str, mode: str) -> None:
    if precision not in FLOORS:
        raise JudgeError(f"there is no precision {precision!r}; choose one of {', '.join(FLOORS)}.")
    if mode not in MODES:
        raise JudgeError(f"there is no mode {mode!r}; choose one of {', '.join(MODES)}.")


def _read(candidate: Path) -> str:
    if not candidate.is_file():
        raise JudgeError(f"there is no file {candidate}; give the path of a Python file with class ModelNew.")
    try:
        return candidate.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise JudgeError(f"{candidate} is not UTF-8 text ({error}); save it as a Python file.") from error


class _Judgement:
    """One candidate, one set of cases, one child."""

    def __init__(self, record: Record, found: list[Setting], scratch: Path, limits: Limits) -> None:
        self.record, self.found, self.scratch, self.limits = record, found, scratch, limits
        self.cases = plan(found, record.seed)
        self.answers: dict[int, Answer] = {}
        self.dropped: dict[int, str] = {}
        self.precision = "fp32"

    def verdict(self) -> Verdict:
        record = self.record
        self._write()
        started = time.monotonic()
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(self._child)
            random = self._answer_all()
            record.seconds["reference"] = time.monotonic() - started
            outcome = running.result()
        record.seconds["child"] = outcome.wall_s
        record.fields["layers"] = outcome.layers
        if random:
            return record.inconclusive(
                "random", "the reference draws random numbers; judge it with --mode eval"
            )
        if 0 not in self.answers:
            return record.inconclusive("no-oracle", f"the reference has no float64 answer: {self.dropped[0]}")
        fault = self._ended_badly(outcome)
        if fault is not None:
            return record.failed(fault)
        return self._compare(outcome)

    def _write(self) -> None:
        self.scratch.mkdir(parents=True, exist_ok=True)
        shapes = []
        for setting in self.found:
            file = self.scratch / f"candidate_{setting.name}.py"
            file.write_text(with_constants(self.record.source, setting.op.overrides), encoding="utf-8")
            shapes.append(
                Shape(setting.name, str(file.resolve()), setting.args, setting.kwargs, setting.seed)
            )
        write_request(self.scratch, shapes, [case.step for case in self.cases])

    def _child(self) -> Outcome:
        request = {
            "device": device_answers(self.record.spec),
            "mode": self.record.mode,
            "patience_s": PATIENCE_S,
        }
        env = {"TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}
        return run_child(
            f"{__package__}.child", request, scratch=self.scratch, limits=self.limits, env=env, warm=True
        )

    def _answer_all(self) -> bool:
        """Compute every right answer; True when the reference is random."""
        for number, case in enumerate(self.cases):
            reference, state = case.setting.reference, case.step.state
            try:
                if number == 0:
                    first = reference.eager(case.inputs, state)
                    if differ(first.outputs, reference.eager(case.inputs, state, seed=1).outputs):
                        return True
                    self.precision = self._class(case, first.outputs)
                answer = right_answer(case, state)
            except Exception as error:
                self.dropped[number] = f"the reference raises {type(error).__name__}: {str(error)[:200]}"
                continue
            if _mostly_undefined(answer.oracle.outputs):
                self.dropped[number] = "the reference itself is mostly non-finite here"
                continue
            self.answers[number] = answer
        return False

    def _class(self, case: Case, outputs: list[torch.Tensor]) -> str:
        tensors = [
            *outputs,
            *case.step.state.values(),
            *(one for one in case.inputs if isinstance(one, torch.Tensor)),
        ]
        own = precision_class([tensor.dtype for tensor in tensors], "fp32")
        chosen = precision_class([tensor.dtype for tensor in tensors], self.record.precision)
        if chosen != own:
            self.record.labels.add("precision-changed")
        self.record.notes.append(f"errors are judged as {chosen}")
        if own == "bf16":
            self.record.notes.append(
                "bf16 arithmetic is emulated exactly (round to nearest even) on bf16 inputs"
            )
        return chosen

    def _ended_badly(self, outcome: Outcome) -> Fault | None:
        if outcome.status != "ok" or outcome.reply is None:
            detail = f"{outcome.detail}{self._progress()}"
            cause: Cause = "tampering" if "reply channel" in outcome.detail else _ENDINGS[outcome.status]
            return Fault(cause, detail)
        if "not_loadable" in outcome.reply:
            return Fault("not-loadable", outcome.reply["not_loadable"])
        if "wrong_state" in outcome.reply:
            return Fault("wrong-state", outcome.reply["wrong_state"])
        if outcome.reply["patched"]:
            return Fault("tampering", f"it replaces {outcome.reply['patched'][0]}")
        return None

    def _progress(self) -> str:
        file = self.scratch / PROGRESS_FILE
        text = file.read_text()[:8] if file.exists() else ""
        known = text.isdigit() and int(text) < len(self.cases)
        return f" (during the case: {self.cases[int(text)].name})" if known else ""

    def _compare(self, outcome: Outcome) -> Verdict:
        started = time.monotonic()
        assert outcome.reply is not None
        reports = [read_report(document) for document in outcome.reply["reports"]]
        try:
            tensors = read_tensors(self.scratch)
        except Exception as error:  # whatever a damaged or forged file makes of the reader
            return self.record.failed(Fault("tampering", f"the outputs it left cannot be read: {error}"))
        reviewed = self._review(reports, tensors)
        self._fill_in(reports, reviewed)
        fault = first_fault(self.cases, reviewed) or hidden_library_call(
            reports, self.record.scan.library_calls
        )
        if fault is None and "*" not in self.record.allowed_calls:
            fault = own_kernels(self.cases, reports, tensors)
        if fault is not None:
            return self.record.failed(fault)
        skipped = [
            case.name for case, one in zip(self.cases, reports, strict=True) if one.status == "skipped"
        ]
        if skipped:
            self.record.notes.append(f"{len(skipped)} optional cases were left out after {PATIENCE_S:g} s")
        controls = run_controls(self._judged(), self.precision)
        self.record.fields["controls"] = controls
        self.record.seconds["compare"] = time.monotonic() - started
        accomplices = [name for name, result in controls.items() if result == "passed"]
        if accomplices:
            return self.record.inconclusive(
                "degenerate",
                f"this op cannot tell a kernel from a cheat: {', '.join(accomplices)} would pass as well",
            )
        return self.record.passed()

    def _judged(self) -> list[Answer]:
        return [answer for answer in self.answers.values() if not answer.case.step.ghost]

    def _review(self, reports: list[StepReport], tensors: dict[int, dict[str, Any]]) -> list[Reviewed | None]:
        """One entry per case; None for the call with the kernels left out."""
        found: list[Reviewed | None] = []
        for number, (case, report) in enumerate(zip(self.cases, reports, strict=True)):
            if case.step.ghost:
                found.append(None)
            elif report.status == "skipped":
                found.append(Reviewed(CaseResult(case.name, "skipped", "time was up")))
            elif number in self.dropped:
                found.append(Reviewed(CaseResult(case.name, "dropped", self.dropped[number])))
            else:
                earlier = [answer for place, answer in self.answers.items() if place < number]
                review = Review(
                    self.answers[number], report, tensors.get(number, {}), earlier, self.precision
                )
                found.append(review.run())
        return found

    def _fill_in(self, reports: list[StepReport], reviewed: list[Reviewed | None]) -> None:
        results = tuple(one.result for one in reviewed if one is not None)
        judged = [one for one in results if one.oracle_error is not None]
        fields = self.record.fields
        fields["cases"] = results
        fields["oracle_error"] = max((one.oracle_error or 0.0 for one in judged), default=None)
        fields["baseline_error"] = max((one.baseline_error or 0.0 for one in judged), default=None)
        last = max(
            (
                place
                for place, case in enumerate(self.cases)
                if case.setting is self.found[-1] and reports[place].traffic
            ),
            default=0,
        )
        fields["launches"] = reports[last].launches
        fields["traffic_case"] = self.cases[last].name
        fields["traffic"] = {name: BufferTraffic(*seen) for name, seen in reports[last].traffic.items()}
        for kernel, configuration in reports[0].configurations.items():
            self.record.notes.append(f"{kernel} was run with its first configuration only: {configuration}")
        modes = sorted({mode for report in reports for mode in report.dot_precisions})
        if modes:
            self.record.notes.append(f"tl.dot on fp32 operands in mode {', '.join(modes)}, emulated")


def _mostly_undefined(outputs: list[torch.Tensor]) -> bool:
    floating = [output for output in outputs if output.is_floating_point() and output.numel()]
    return bool(floating) and all(float(torch.isfinite(output).float().mean()) < 0.5 for output in floating)
