"""Judges one call of the candidate: what its kernels touched, what it returned, what it left changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from ..process.exchange import StepReport
from ..process.layout import EMPTY, NUMBERS, unwritten
from ..reference.budget import Comparison, Target, compare
from ..reference.eight_bits import as_bytes, widened
from ..shapes.ones import ONES
from ..verdict import CaseResult, Cause, Fault
from .explain import explain
from .form import broadcast, wrong_form
from .right import Answer
from .running import is_settled

_CAUSES: Mapping[str, Cause] = {
    "out-of-bounds": "out-of-bounds", "race": "race", "misaligned": "false-promise",
}  # fmt: skip
"""Of what kernels did to memory."""


@dataclass(frozen=True)
class Reviewed:
    """The public result of a call, and its fault if it has one."""

    result: CaseResult
    fault: Fault | None = None


_NOT_RUN = ("NotImplementedError", "NotFollowedError")
"""What a kernel raises that the interpreter cannot run."""

_GUARDS = ("ValueError", "AssertionError", "RuntimeError", "NotImplementedError", "TypeError")


def in_words(report: StepReport) -> bool:
    """Whether the wrapper has raised, and what says that it did so on purpose."""
    kind, _, words = report.error.partition(":")
    return kind in _GUARDS and bool(words.strip()) and not report.in_kernel


class Review:
    """One call with everything known about it."""

    def __init__(
        self,
        answer: Answer,
        report: StepReport,
        tensors: dict[str, Any],
        earlier: Sequence[Answer],
        precision: str,
        name: str,
    ) -> None:
        """`explained`: an earlier call has told what is wrong, so that this one need not be searched;
        `right_before`: at this shape usual values came out right."""
        self.name, self.explained, self.right_before = name, False, False
        self.answer, self.report, self.earlier, self.precision = answer, report, earlier, precision
        self.outputs: list[torch.Tensor] = tensors.get("outputs", [])
        self.changed: dict[str, torch.Tensor] = tensors.get("changed", {})
        self.inputs: dict[int, torch.Tensor] = tensors.get("inputs", {})

    def run(self) -> Reviewed:
        """The first fault found, in the order in which one explains the next."""
        if self.report.status == "raised" and (self._guards_layout() or self._guards_mode()):
            return self._reviewed("guarded", self.report.error)
        if self.report.status == "raised" and in_words(self.report) and self._elsewhere():
            return self._reviewed("refused", self.report.error)
        for check in (self._memory, self._raised, self._running, self._form, self._aliases, self._state):
            fault = self._by_promise(check())
            if fault is not None and fault.cause == "wrong-shape" and self._is_broadcast():
                return self._reviewed("dropped", "the reference broadcasts what one element is left of")
            if fault is not None:
                return self._reviewed("failed", fault.detail, fault)
        comparisons = self._comparisons()
        fault = self._by_promise(self._values(comparisons) or self._repeats())
        if fault is not None:
            return self._reviewed("failed", fault.detail, fault, comparisons)
        return self._reviewed("passed", "", None, comparisons)

    def _reviewed(
        self, outcome: Any, detail: str, fault: Fault | None = None, comparisons: Sequence[Comparison] = ()
    ) -> Reviewed:
        worst = max(comparisons, key=lambda one: one.difference.worst, default=None)
        result = CaseResult(
            name=self.name,
            outcome=outcome,
            detail=detail,
            oracle_error=worst.difference.worst if worst else None,
            baseline_error=max((one.baseline.worst for one in comparisons), default=None),
            budget=worst.budget if worst else None,
            seconds=round(self.report.seconds, 4),
        )
        return Reviewed(result, fault)

    def _guards_layout(self) -> bool:
        """A wrapper may refuse strides it was not written for, in words, before it launches anything; inputs
        without elements in any way, and numbers that it may not even take before it launches anything."""
        layout = self.answer.case.step.layout
        if layout in EMPTY or (layout == NUMBERS and not self.report.in_kernel):
            return True
        return layout != "contiguous" and in_words(self.report)

    def _elsewhere(self) -> bool:
        """Whether this is not the first shape, which a candidate has to take."""
        return self.answer.case.setting.name != "small"

    def _guards_mode(self) -> bool:
        """Likewise a module mode, which its words must name."""
        step, words = self.answer.case.step, self.report.error.lower()
        named = "training" in words or "evaluat" in words or "eval mode" in words
        return step.flipped and not self.report.in_kernel and named

    def _memory(self) -> Fault | None:
        for kind, detail in self.report.violations:
            if kind in _CAUSES:  # "unwritten" leaves the verdict open, see `whole.py`
                return Fault(_CAUSES[kind], detail)
        return None

    def _by_promise(self, fault: Fault | None) -> Fault | None:
        """The cause of whatever is wrong with a call in which accesses went elsewhere than asked."""
        astray = next((detail for kind, detail in self.report.violations if kind == "astray"), None)
        return (
            fault if fault is None or astray is None else Fault("false-promise", f"{astray}: {fault.detail}")
        )

    def _raised(self) -> Fault | None:
        if self.report.status != "raised":
            return None
        if self.report.in_kernel and self.report.error.startswith(_NOT_RUN):
            return Fault("unsupported", f"the interpreter cannot run it: {self.report.error}")
        where = "a kernel" if self.report.in_kernel else "ModelNew.forward"
        return Fault("raises", f"{where} raises {self.report.error}")

    def _running(self) -> Fault | None:
        if not self.report.left_running:
            return None
        return Fault("deferred-work", f"{self.report.left_running[0]} outlives the call that started it")

    def _form(self) -> Fault | None:
        wrong = wrong_form(self.report, self.outputs, self.answer.eager)
        return None if wrong is None else Fault(*wrong)

    def _is_broadcast(self) -> bool:
        case = self.answer.case
        few = case.step.layout in EMPTY or case.setting.name == ONES
        return few and broadcast(self.outputs, self.answer.eager)

    def _aliases(self) -> Fault | None:
        if self.report.held_earlier:
            return Fault(
                "aliased-output", "an output lives in the storage of one that an earlier call returned"
            )
        tensors = [value for value in self.answer.case.inputs if isinstance(value, torch.Tensor)]
        allowed = {(out, self._tensor_place(place)) for out, place in self.answer.eager.aliases}
        for out, place in self.report.aliases:
            if (out, place) in allowed:
                continue
            if place < len(tensors) and self._equals(out, tensors[place]):
                return Fault("input-returned", f"output {out} is input {place} itself")
            owner = f"input {place}" if place < len(tensors) else "a parameter"
            return Fault("aliased-output", f"output {out} shares the storage of {owner}")
        for pair in self.report.overlaps:
            if pair not in self.answer.eager.overlaps:
                return Fault("aliased-output", f"outputs {pair[0]} and {pair[1]} have elements in common")
        return None

    def _tensor_place(self, place: int) -> int:
        """The child counts only tensors among the inputs; the reference counts numbers too."""
        return place - sum(not isinstance(value, torch.Tensor) for value in self.answer.case.inputs[:place])

    def _equals(self, out: int, value: torch.Tensor) -> bool:
        found = self.outputs[out]
        return found.shape == value.shape and found.dtype == value.dtype and torch.equal(found, value)

    def _state(self) -> Fault | None:
        """Buffers and inputs move exactly when the reference moves them, and to where it moves them."""
        answer, step = self.answer, self.answer.case.step
        if step.layout in EMPTY:  # where nothing is launched, nothing need be counted
            return None
        parameters = {name for name, _ in answer.case.setting.reference.model.named_parameters()}
        for name, before in step.state.items():
            states = [run.state[name] for run in (answer.oracle, answer.eager, answer.shaken)]
            kind: Cause = "parameter-mutated" if name in parameters else "buffer-differs"
            fault = self._moved(name, before, self.changed.get(name), states, (kind, "buffer-differs"))
            if fault is not None:
                return fault
        for place, given in enumerate(answer.case.inputs):
            if not isinstance(given, torch.Tensor):
                continue
            runs: list[Any] = [run.inputs[place] for run in (answer.oracle, answer.eager, answer.shaken)]
            causes: tuple[Cause, Cause] = ("input-mutated", "input-differs")
            fault = self._moved(f"input {place}", given, self.inputs.get(place), runs, causes)
            if fault is not None:
                return fault
        return None

    def _moved(
        self,
        name: str,
        before: torch.Tensor,
        found: torch.Tensor | None,
        runs: list[Any],
        causes: tuple[Cause, Cause],
    ) -> Fault | None:
        """Whether a tensor that was `before` has become what the reference makes of it; `found`, None where
        the call has left it alone; `runs` are the oracle's, eager's and the shaken one."""
        oracle, eager, shaken = runs
        if _same(eager, before):
            wrote = (
                not torch.equal(as_bytes(eager), as_bytes(before)) or name in self.answer.case.setting.moving
            )
            if found is None or (wrote and _same(found, before)):  # zeros of the other sign
                return None
            return Fault(causes[0], f"it changes {name}, which the reference leaves alone")
        found, right = before if found is None else found, self.answer.oracle
        answers = _wide(oracle), eager, _wide(shaken)
        target = Target(*answers, terms=right.terms, in_turn=right.in_turn, steps=right.steps)
        compared = compare(found, replace(target, strict=self.answer.strict), self.precision)
        if compared.accepted or is_settled(name, found, right.state):
            return None
        return Fault(causes[1], f"{name} is not what the reference makes of it: {compared.why}")

    def _comparisons(self) -> list[Comparison]:
        pairs = list(zip(self.outputs, self.answer.targets(), strict=True))
        if self.answer.case.step.layout in EMPTY:  # of nothing a mean is NaN, as long as somebody has said so
            pairs = [(found, replace(one, spreads=_says_nan(found, one))) for found, one in pairs]
        return [compare(found, one, self.precision) for found, one in pairs]

    def _values(self, comparisons: Sequence[Comparison]) -> Fault | None:
        place = next((place for place, one in enumerate(comparisons) if not one.accepted), None)
        if place is None:
            return None
        never = self._never_written()
        place = place if never is None else never
        where = f"{self.name}: output {place}" if len(comparisons) > 1 else self.name
        if never is None and not self.explained:
            explained = explain(
                self.outputs, self.answer, self.earlier, self.precision, self.right_before, self._rounds()
            )
            if explained is not None:
                return Fault(explained[0], f"{where}: {explained[1]}")
        empty = unwritten(self.outputs[place], self.answer.eager.outputs[place])
        idle = self.right_before and not self.report.launches
        if empty and idle and self.report.copies:
            told = "it launches no kernel any more and returns what an earlier call has kept"
            return Fault("stale-output", f"{where}: {told}")
        if empty:
            told = f"{empty} elements still hold what torch.empty left there"
            why = "; it launches no kernel any more" if idle else ""
            return Fault("unwritten-output", f"{where}: {told}{why}")
        why = comparisons[place].why
        if comparisons[place].kind == "non-finite":
            if self.report.loads_without_other:
                why += "; a masked load without `other` may feed the result, and those lanes are undefined"
            return Fault("non-finite", f"{where}: {why}")
        usual = "; usual values came out right" if self.right_before else ""
        return Fault("wrong-values", f"{where}: {why}{usual}")

    def _never_written(self) -> int | None:
        """The first output of which nothing was ever stored, if any; of truths that cannot be told."""
        pairs = enumerate(zip(self.outputs, self.answer.eager.outputs, strict=True))
        full = (place for place, (one, right) in pairs if 0 < one.numel() == unwritten(one, right))
        return next(full, None)

    def _rounds(self) -> bool:
        """Whether this call brought numbers to fewer bits; otherwise digits are lost by what it reckons."""
        return self.report.rounded or bool({"tf32", "bf16x3"}.intersection(self.report.dot_precisions))

    def _repeats(self) -> Fault | None:
        if self.report.again_equal is False:
            return Fault(
                "not-repeatable",
                f"{self.name}: the same call gives different bits the second time",
            )
        return None


def _says_nan(found: torch.Tensor, target: Target) -> torch.Tensor:
    """Whether what is no number in it is NaN that was stored there."""
    return torch.tensor(not unwritten(found, target.eager) and not widened(found).isinf().any())


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return (
        bool(((one == other) | (one.isnan() & other.isnan())).all())
        if one.is_floating_point()
        else torch.equal(one, other)
    )


def _wide(value: torch.Tensor) -> torch.Tensor:
    return value.double() if value.is_floating_point() else value
