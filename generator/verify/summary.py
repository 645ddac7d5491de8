"""Writes down what one judgement saw besides its word: cases, errors, traffic, notes and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .comparison.review import Reviewed
from .comparison.right import Answer
from .inputs.setting import Case
from .process.exchange import StepReport
from .stages.modes import OTHER_MODE
from .stages.record import Record
from .upstream import upstream
from .verdict import BufferTraffic

_FEWER = 4.0
"""Times fewer multiplications than the op's matrix products take, for the label `algorithmic`: a kernel that
multiplies element by element and sums is counted at half of a product's operations."""


def fill_in(
    record: Record,
    cases: Sequence[Case],
    answers: Mapping[int, Answer],
    reports: Sequence[StepReport],
    reviewed: Sequence[Reviewed | None],
    tensors: Mapping[int, Mapping[str, Any]],
) -> None:
    """Everything that the verdict carries whatever its word turns out to be."""
    results = tuple(one.result for one in reviewed if one is not None)
    judged = [one for one in results if one.oracle_error is not None]
    fields = record.fields
    fields["cases"] = results
    fields["oracle_error"] = max((one.oracle_error or 0.0 for one in judged), default=None)
    fields["baseline_error"] = max((one.baseline_error or 0.0 for one in judged), default=None)
    outputs = tensors.get(0, {}).get("outputs")
    if outputs is not None:
        fields["upstream"] = upstream(outputs, answers[0].eager.outputs)
    _traffic(record, cases, reports)
    _note_modes(record, reports)
    _note_strides(record, answers[0], reports[0])
    if _saves_arithmetic(answers[0], reports[0]):
        record.labels.add("algorithmic")
    for one in results:
        if one.outcome == "guarded" and one.name.endswith(OTHER_MODE):
            record.notes.append(f"it refuses to run {one.name.rsplit(', ', 1)[1]}: {one.detail}")
    for shape, words in {
        case.setting.name: one.result.detail
        for case, one in zip(cases, reviewed, strict=True)
        if one and one.result.outcome == "refused"
    }.items():
        record.notes.append(f"at the {shape} shape it refuses to run: {words}")
    skipped = sum(report.status == "skipped" for report in reports)
    if skipped:
        record.notes.append(f"{skipped} optional cases were left out: time was up")


def _traffic(record: Record, cases: Sequence[Case], reports: Sequence[StepReport]) -> None:
    """Of the last call at the last shape, which is the one nearest to full size."""
    widest = max((case.step.shape for case in cases), default=0)
    places = [
        place for place, case in enumerate(cases) if case.step.shape == widest and reports[place].traffic
    ]
    last = max(places, default=0)
    record.fields["launches"] = reports[last].launches
    record.fields["traffic_case"] = cases[last].name
    record.fields["traffic"] = {name: BufferTraffic(*seen) for name, seen in reports[last].traffic.items()}


def _note_modes(record: Record, reports: Sequence[StepReport]) -> None:
    modes = sorted({mode for report in reports for mode in report.dot_precisions})
    if modes:
        record.notes.append(f"tl.dot on fp32 operands in mode {', '.join(modes)}, emulated")


def _note_strides(record: Record, answer: Answer, report: StepReport) -> None:
    for place, (own, right) in enumerate(zip(report.strides, answer.eager.outputs, strict=False)):
        if own != right.stride() and right.numel() > 1:
            record.notes.append(
                f"output {place} has strides {list(own)}, the reference's has {list(right.stride())}"
            )


def _saves_arithmetic(answer: Answer, report: StepReport) -> bool:
    """Whether its kernels, with no help of torch's, multiply far less than the op's matrix products do."""
    case = answer.case
    wanted = case.setting.reference.products(case.inputs, case.step.state)
    return bool(wanted) and report.status == "ok" and not report.compute and _FEWER * report.products < wanted
