"""Keeps the right answers to the calls of one judgement, and reviews what the candidate made of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..comparison.dropped import NAN_COMPARED, why_dropped
from ..comparison.equals import left_open
from ..comparison.review import Review, Reviewed
from ..comparison.right import Answer, at_edges, right_answer, shaken_more
from ..inputs.setting import Case
from ..process.exchange import StepReport
from ..reference.budget import SENSITIVITY
from ..verdict import CaseResult
from .full_size import as_at_full_size, dropped


class Answers:
    """By the number of a call: its right answer in `known`, or why there is none in `dropped`.

    `precision` is the class that errors are judged in; `strict`: no lower one than the op's own was declared.
    """

    def __init__(self, precision: str = "fp32", strict: bool = True) -> None:
        self.precision, self.strict = precision, strict
        self.known: dict[int, Answer] = {}
        self.dropped: dict[int, str] = {}
        self._not_asked: dict[int, Answer] = {}

    def find(self, number: int, case: Case) -> None:
        """Run the reference on one case."""
        try:
            answer = replace(right_answer(case, case.step.state), strict=self.strict)
            answer = replace(answer, left_open=left_open(answer, self.precision, number == 0))
            reason = why_dropped(answer, self.precision, number == 0, self.known.get(0))
        except Exception as error:
            self.dropped[number] = f"the reference raises {type(error).__name__}: {str(error)[:200]}"
            return
        if reason:
            self.dropped[number] = reason
            self._not_asked.update({number: answer} if reason == NAN_COMPARED else {})
        else:
            self.known[number] = answer

    def repeat(self, number: int, earlier: int) -> None:
        """Call `number` repeats the case of an `earlier` one."""
        if earlier in self.known:
            self.known[number] = self.known[earlier]
        else:
            self.dropped[number] = self.dropped[earlier]

    def judged(self) -> list[Answer]:
        return [answer for answer in self.known.values() if not answer.case.step.ghost]

    def lost_nan(self, tensors: dict[int, dict[str, Any]]) -> list[str]:
        """What a person should know though it is no fault: NaN that the reference passes on, dropped."""
        for number, answer in self._not_asked.items():
            for found, right in zip(
                tensors.get(number, {}).get("outputs", ()), answer.eager.outputs, strict=False
            ):
                if found.shape == right.shape and bool((right.isnan() & ~found.isnan()).any()):
                    return ["it drops NaN: it gives a number where the reference passes one on"]
        return []

    def review(
        self, cases: Sequence[Case], reports: Sequence[StepReport], tensors: dict[int, dict[str, Any]]
    ) -> list[Reviewed | None]:
        """One entry per case; None for the call with the kernels left out."""
        found: list[Reviewed | None] = []
        for number, (case, report) in enumerate(zip(cases, reports, strict=True)):
            if case.step.ghost:
                found.append(None)
            elif report.status == "skipped":
                found.append(Reviewed(CaseResult(case.name, "skipped", "time was up")))
            elif number in self.dropped:
                found.append(dropped(case.name, self.dropped[number], report))
            else:
                explained = any(one is not None and one.fault is not None for one in found)
                explained = explained or bool(report.forced)
                right_before = any(map(_right, cases, found, [case] * len(found)))
                one = self.reviewed(
                    number, case.name, report, tensors.get(number, {}), explained, right_before
                )
                if report.off and one.fault is not None:  # nothing is asked of a CPU
                    one = Reviewed(replace(one.result, outcome="dropped"))
                found.append(as_at_full_size(one, report.forced))
        return found

    def reviewed(
        self,
        number: int,
        name: str,
        report: StepReport,
        tensors: dict[str, Any],
        explained: bool,
        right_before: bool = False,
    ) -> Reviewed:
        """`explained`: an earlier call told what is wrong; `right_before`: usual values came out right. What
        is little more than may be wrong is looked at once more, with a better notion of how much may."""
        earlier = [answer for place, answer in self.known.items() if place < number]

        def review(answer: Answer, explained: bool) -> Reviewed:
            one = Review(answer, report, tensors, earlier, self.precision, name)
            one.explained, one.right_before = explained, right_before
            return one.run()

        known = self.known[number]
        found = review(known, explained)
        if found.fault is None or found.fault.cause not in _BY_BUDGETS:
            return found
        more = at_edges(shaken_more(known) if _is_near(found) else known)
        if more is known:
            return found
        again = review(more, explained=True)
        if again.fault is not None:
            return found
        self.known[number] = more
        return again


def _is_near(reviewed: Reviewed) -> bool:
    """Whether a call is wrong by little more than its budget, or no budget tells."""
    error, budget = reviewed.result.oracle_error, reviewed.result.budget
    return error is None or budget is None or error <= SENSITIVITY * budget


_BY_BUDGETS = ("wrong-values", "low-precision", "buffer-differs")


_USUAL = ("as shipped", "normal")


def _right(case: Case, reviewed: Reviewed | None, later: Case) -> bool:
    """Whether a call on usual values was right at the shape of a `later` one."""
    right = reviewed is not None and reviewed.result.outcome == "passed"
    return right and case.family in _USUAL and case.setting is later.setting
