"""Finds the right answers of one judgement while its child makes the calls, and looks at what these give."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import Any

from ..inputs.setting import Case
from ..process.exchange import StepReport
from ..reference.precisions import precision_class
from ..verdict import Fault
from .answers import Answers
from .early import awaited, cause_known, end_calls, nothing
from .record import Record
from .works_in import works_in


def answer_made(right: Answers, scratch: Path, cases: Sequence[Case], ended: Event) -> None:
    """Find the right answers to the calls that are made, as they are, until the child has `ended`: what is
    skipped needs none."""
    for number, case in enumerate(cases):
        call = awaited(scratch, number, ended, nothing)
        if call is None:
            return
        if call[0].status != "skipped":
            right.find(number, case)


class Answering:
    """`enough`: how many calls count, where one of them decides, and none is made after it."""

    def __init__(self, record: Record, scratch: Path, cases: Sequence[Case], right: Answers) -> None:
        self.record, self.scratch, self.cases, self.right = record, scratch, cases, right
        self.answered = 0
        self.enough: int | None = None

    def beside(self, stopped: Event, ended: Event) -> bool:
        """Until the child has `ended`, or its calls no longer count; True when the reference is random."""
        with self.record.clock("reference"):
            random = self._random()
        self._next()
        if random or 0 not in self.right.known:
            end_calls(self.scratch)
        else:
            self.enough = cause_known(
                self.scratch,
                self.cases,
                ended,
                self.record.allowed_calls,
                self._first_look,
                self._next,
            )
            wanted = len(self.cases) if self.enough is None else self.enough
            while self.answered < wanted and not stopped.is_set():
                self._next()
        return random

    def _next(self) -> bool:
        """Run the reference on the first case that has no answer yet; False where all have."""
        if self.answered == len(self.cases):
            return False
        with self.record.clock("reference"):
            self.right.find(self.answered, self.cases[self.answered])
        self.answered += 1
        return True

    def _first_look(self, number: int, report: StepReport, tensors: dict[str, Any]) -> Fault | None:
        """The fault of one call, its cause unexplained."""
        while self.answered <= number:
            self._next()
        if number not in self.right.known:
            return None
        return self.right.reviewed(number, self.cases[number].name, report, tensors, explained=True).fault

    def _random(self) -> bool:
        """Two seeds, two answers; on the way, the class that errors are judged in."""
        case = self.cases[0]
        reference, state = case.setting.reference, case.step.state
        try:
            first = reference.eager(case.inputs, state)
        except Exception:  # the answer to the first case tells it in words
            return False
        dtypes = [*works_in(case)]
        own = precision_class(dtypes, "fp32")
        self.right.precision = precision_class(dtypes, self.record.precision)
        self.right.strict = self.record.precision == "fp32"
        self.record.note_precision(own, self.right.precision)
        return not first.repeats(reference.eager(case.inputs, state, seed=1))
