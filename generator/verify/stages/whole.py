"""Judges all calls together: the fault that explains the others, and whether its own kernels did the work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch

from ..comparison.review import Reviewed
from ..inputs.families import IN_A_STRAND, NANS
from ..inputs.repeated import NEARLY_TWICE
from ..inputs.setting import Case
from ..inputs.won_last import WON_LAST
from ..interpreter.kept import unsettled_message
from ..process.exchange import StepReport
from ..process.layout import RESIZED
from ..process.recorder import TO_HOST
from ..reference.operators import only_moves
from ..text.coverage import unreached
from ..verdict import OPEN_CAUSES, Fault
from .at_sizes import OF_VALUES
from .record import Record

_MOST_TO_HOST = 16
"""Single numbers that one call may read from tensors, for grids and constants."""

_BY_CHANCE = {NEARLY_TWICE, "wide integers", "close integers", "close codes", IN_A_STRAND}
"""Families of what is apart by as little as can be: whether any two run together is luck, at every size; and
rows that are too short at the first one for parts of them to lack any of the best."""

_MAY_BE_SHAPE = ("wrong-values", "raises", "wrong-shape", "unwritten-output")


def first_fault(
    cases: Sequence[Case], reviewed: Sequence[Reviewed | None], reports: Sequence[StepReport]
) -> Fault | None:
    """The first fault; when calls at the first shape are right and others fail, on values of a family that is
    right where it is asked for, or on what wins behind where other shapes end, that is the cause. What the
    interpreter cannot run explains nothing else."""
    faults = [(case, one.fault) for case, one in zip(cases, reviewed, strict=True) if one and one.fault]
    faults += [(case, fault) for case, fault in [unjudged_sizes(cases, reviewed)] if case and fault]
    faults.sort(key=lambda found: found[1].cause in OPEN_CAUSES)
    if not faults:
        return None
    fault, first_shape = faults[0][1], cases[0].setting
    tuned = any(report.configurations for report in reports)  # then a call may differ by its configuration
    others = (case.step.shape != cases[0].step.shape or case.step.layout in RESIZED for case, _ in faults)
    elsewhere = not tuned and all(others)
    right = {
        (case.family, case.setting.name)
        for case, one in zip(cases, reviewed, strict=True)
        if one and one.result.outcome == "passed" and case.family not in _BY_CHANCE
    }
    at_another = (
        (case.family, name) in right or case.family == WON_LAST
        for case, _ in faults
        for name in OF_VALUES
        if name != case.setting.name or case.setting is first_shape
    )
    elsewhere = elsewhere and any(at_another)
    by_layout = all(case.step.layout != "contiguous" or case.step.moved for case, _ in faults)
    if elsewhere and not by_layout and fault.cause in _MAY_BE_SHAPE:
        return Fault("hard-coded-shape", f"right at the {first_shape.name} shape, but {fault.detail}")
    return fault


def unjudged_sizes(
    cases: Sequence[Case], reviewed: Sequence[Reviewed | None]
) -> tuple[Case, Fault] | tuple[None, None]:
    """Sizes that it refuses in words are no fault as long as at others, besides the first, it is right."""
    pairs = [(case, one.result) for case, one in zip(cases, reviewed, strict=True) if one]
    refused = next(((case, one) for case, one in pairs if one.outcome == "refused"), None)
    others = (one.outcome == "passed" for case, one in pairs if case.setting is not cases[0].setting)
    if refused is None or any(others):
        return None, None
    return refused[0], Fault("raises", f"ModelNew.forward raises {refused[1].detail}")


def hidden_library_call(reports: Sequence[StepReport], declared: Sequence[str]) -> Fault | None:
    """Torch arithmetic that ran and was not declared, whatever the file's text shows: an operator, say; and
    tensors that were read to the host number by number."""
    if "*" in declared:
        return None
    known = {_plain(name) for name in declared}
    for report in reports:
        hidden = sorted(name for name in report.compute if _plain(name.split(":")[0]) not in known)
        if hidden:
            names = ", ".join(
                f"{caller} (aten::{aten})" for caller, aten in (one.split(":") for one in hidden)
            )
            return Fault("library-call", f"torch computes part of it: {names}")
        if report.copies.get(TO_HOST, 0) > _MOST_TO_HOST:
            return Fault("library-call", f"it reads {report.copies[TO_HOST]} numbers to the host in one call")
    return None


def moved_by_torch(
    cases: Sequence[Case], reports: Sequence[StepReport], operators: Iterable[str], declared: Sequence[str]
) -> Fault | None:
    """Copies by torch in an op that only moves numbers (`operators` are the reference's): they are its work,
    and of inputs that lie one after another no wrapper needs one."""
    if "*" in declared or not only_moves(operators):
        return None
    known = {_plain(name) for name in declared}
    for case, report in zip(cases, reports, strict=True):
        copied = sorted(name for name in _MOVED if report.copies.get(name) and _plain(name) not in known)
        if copied and case.step.layout == "contiguous" and not case.step.ghost:
            return Fault("library-call", f"the op only moves numbers, and torch moves them ({copied[0]})")
    return None


_MOVED = ("clone", "copy_")


def _plain(name: str) -> str:
    """The same for torch.nn.Conv2d, torch.nn.functional.conv2d and __conv2d__."""
    last = name.rsplit(".", 1)[-1].lower().replace("_", "")
    return re.sub(r"[123]d$", "", last)


def own_kernels(
    cases: Sequence[Case], reports: Sequence[StepReport], tensors: dict[int, dict[str, Any]]
) -> Fault | None:
    """Its kernels must run, and leaving them out must change the output."""
    if not any(report.launches for report in reports):
        return Fault("no-kernel", "no Triton kernel is launched")
    ghost = next(place for place, case in enumerate(cases) if case.step.ghost)
    real, without = tensors.get(ghost - 1, {}).get("outputs"), tensors.get(ghost, {}).get("outputs")
    if real and without and not differ(real, without) and not _untold(without, tensors):
        return Fault("decoy", "the output is the same when its kernels are left out")
    return None


def _untold(without: Sequence[torch.Tensor], tensors: dict[int, dict[str, Any]]) -> bool:
    """Whether truths alone come out, all of them as fresh memory has them, and other ones in other calls."""
    if not all(one.dtype == torch.bool and bool(one.all()) for one in without):
        return False
    return any(not one.all() for found in tensors.values() for one in found.get("outputs") or ())


def differ(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> bool:
    return any(not torch.equal(a, b) for a, b in zip(one, other, strict=True))


def unrun(record: Record, counts: Mapping[str, Sequence[int]]) -> Fault | None:
    """Configurations of an autotuned kernel that no call got to; `counts` has how many ran, of how many."""
    for kernel, (ran, known) in counts.items():
        if ran < known:
            return Fault(
                "too-slow", f"{kernel} was run in {ran} of its {known} configurations, and then time was up"
            )
        record.notes.append(
            f"{kernel} was run in each of its {known} configurations (warps and stages apart)"
        )
    return None


def unsettled(reports: Sequence[StepReport]) -> Fault | None:
    """Something kept that no call leaves as it found it, so that calls can be counted by it."""
    paths = next((report.unsettled for report in reports if report.unsettled), None)
    return Fault("unsettled-state", unsettled_message(paths)) if paths else None


def unwritten_read(
    cases: Sequence[Case], reviewed: Sequence[Reviewed | None], reports: Sequence[StepReport]
) -> Fault | None:
    """Memory read that nobody has written; on a card an earlier call's result may stand there. A call that
    raises has no result, inputs without elements may raise as they like, and where NaN may give anything,
    places that are counted by comparisons are left out."""
    made = (
        report
        for case, one, report in zip(cases, reviewed, reports, strict=True)
        if report.status == "ok"
        and not report.off
        and not (case.family in NANS and one and one.result.outcome == "dropped")
    )
    found = [detail for report in made for kind, detail in report.violations if kind == "unwritten"]
    return Fault("unwritten-read", f"{found[0]}; with other contents it may do otherwise") if found else None


def reached_lines(
    reply: Mapping[str, Any], reviewed: Sequence[Reviewed | None], reports: Sequence[StepReport]
) -> Sequence[int]:
    """Lines of the wrapper that judged calls ran; those for a CPU alone count where they are right, and right
    without torch."""
    for one, report in zip(reviewed, reports, strict=True):
        if report.off and one is not None and one.result.outcome == "passed" and not report.compute:
            return list(reply["reached_off"])
    return list(reply["reached"])


def unreached_path(source: str, reached: Sequence[int], inputs: int) -> Fault | None:
    """A line of the wrapper that no call got to; it may do anything at another size, or another day."""
    lines = unreached(source, set(reached), inputs)
    if not lines:
        return None
    text = source.splitlines()[lines[0] - 1].strip()
    more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
    return Fault("unjudged-path", f"no judged call reached line {lines[0]} ({text[:80]}){more}")
