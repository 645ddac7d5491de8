"""Advises on kernels that a profiler counted: each diagnosed by itself, those alike answered together.

for one in advise_report(read_profile(Path("report.ncu-rep")), library):
    one.group.kernel, one.diagnosis.primary, one.steps
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import yaml
from pydantic import BaseModel, ConfigDict

from ..hardware_specs.spec import find_spec
from ..profiling.classify import UNCLASSIFIED, classify_launch
from ..profiling.counters.facts import counter_facts
from ..profiling.counters.groups import KernelGroup, kernel_groups
from ..profiling.counters.origin import Origin, origin
from ..profiling.counters.whose_device import device_of
from .advise import SHALLOW, Advice, Adviser, Step, Withheld
from .expected import Bound, bound
from .query import Question, ask_of_kernel

if TYPE_CHECKING:
    from ..hardware_specs.spec import DeviceSpec
    from ..kb.library import Library
    from ..kb.page import Page
    from ..profiling.classify import Diagnosis
    from ..profiling.counters.record import CounterReport

_PRODUCTS_FROM = 5.0  # per cent of tensor-pipe activity from which a kernel without a telling name multiplies


@dataclass(frozen=True)
class KernelAdvice:
    """One kernel: its launches, whose it is, its diagnosis on `spec`, and the techniques for it, best first.

    `facts` are the numbers that the diagnosis and the bounds were read from; `remark` says how the device was
    found where the report does not name it; `withheld` could help but for the device or the family.
    """

    group: KernelGroup
    origin: Origin
    spec: DeviceSpec
    remark: str
    facts: Mapping[str, float]
    diagnosis: Diagnosis
    steps: tuple[Step, ...]
    withheld: tuple[Withheld, ...]
    query: str
    mode: str
    note: str


class _Sets(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    of_the_call: frozenset[str]
    of_the_call_alone: frozenset[str]
    same_work: frozenset[str]
    same_bytes: frozenset[str]


@cache
def sets() -> _Sets:
    """What techniques.yaml says of cards."""
    text = (files("kbgen.retrieval") / "techniques.yaml").read_text(encoding="utf-8")
    return _Sets.model_validate(yaml.safe_load(text))


def advise_report(
    report: CounterReport, library: Library, *, gpu: str | None = None, kernel: str | None = None
) -> tuple[KernelAdvice, ...]:
    """Advice per kernel, by share of time. `gpu` overrules what the report says of its device; `kernel` is a
    regular expression. Raises NoDeviceError, UnknownDevice, KernelFilterError."""
    groups = kernel_groups(report.launches, kernel)
    given = find_spec(gpu) if gpu else None
    cases = [_case(group, *((given, "") if given else device_of(group.typical))) for group in groups]
    library.foresee([case.question.text for case in cases])
    desk = _Desk(Adviser(library))
    return tuple(_advised(case, desk) for case in cases)


class _Desk:
    """Answers each question once."""

    def __init__(self, adviser: Adviser) -> None:
        self._adviser = adviser
        self._answers: dict[tuple[Question, str, bool], Advice] = {}

    def answer(self, question: Question, spec: DeviceSpec, of_the_call: bool) -> Advice:
        key = (question, spec.id, of_the_call)
        if key not in self._answers:

            def only(page: Page) -> bool:
                asked = {name for name, _ in question.bottlenecks} - {UNCLASSIFIED}
                addressed = not asked.isdisjoint(page.addresses)
                alone = page.id in sets().of_the_call_alone
                return addressed and (alone or page.id in sets().of_the_call if of_the_call else not alone)

            self._answers[key] = self._adviser.answer(question, spec, only=only, depth=SHALLOW)
        return self._answers[key]


@dataclass(frozen=True)
class _Case:
    """One kernel before it is advised on."""

    group: KernelGroup
    origin: Origin
    spec: DeviceSpec
    remark: str
    facts: Mapping[str, float]
    diagnosis: Diagnosis

    @property
    def question(self) -> Question:
        return ask_of_kernel(self.diagnosis, self.origin.family, self.spec, self.origin.library)


def _case(group: KernelGroup, spec: DeviceSpec, remark: str) -> _Case:
    launch, whose = group.typical, origin(group.kernel)
    diagnosis, facts = classify_launch(launch, spec), counter_facts(launch, spec)
    if whose.family is None and facts.get("pipe_tensor", 0.0) >= _PRODUCTS_FROM:
        whose = replace(whose, family="matmul")
    return _Case(group, whose, spec, remark, facts, diagnosis)


def _advised(case: _Case, desk: _Desk) -> KernelAdvice:
    answer = desk.answer(case.question, case.spec, case.origin.library is not None)
    return KernelAdvice(
        group=case.group,
        origin=case.origin,
        spec=case.spec,
        remark=case.remark,
        facts=case.facts,
        diagnosis=case.diagnosis,
        steps=bounded(answer.reading, case.facts),
        withheld=answer.withheld,
        query=answer.query,
        mode=answer.mode,
        note=answer.note,
    )


def bounded(steps: Sequence[Step], facts: Mapping[str, float]) -> tuple[Step, ...]:
    """The steps with the most that each can give, by the facts of the kernel they are for."""
    return tuple(replace(step, bound=_bound(step, facts)) if step.bottleneck else step for step in steps)


def _bound(step: Step, facts: Mapping[str, float]) -> Bound | None:
    work, moved = (step.technique in known for known in (sets().same_work, sets().same_bytes))
    return bound(step.bottleneck, facts, same_work=work, same_bytes=moved)
