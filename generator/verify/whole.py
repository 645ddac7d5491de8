"""Judges all calls together: the fault that explains the others, and whether its own kernels did the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .cases import Case
from .exchange import StepReport
from .review import Fault, Reviewed

_MAY_BE_SHAPE = ("wrong-values", "raises", "wrong-shape", "unwritten-output")


def first_fault(cases: Sequence[Case], reviewed: Sequence[Reviewed | None]) -> Fault | None:
    """The first fault; when the calls at the first shape are right and others fail, that is the cause."""
    faults = [(case, one.fault) for case, one in zip(cases, reviewed, strict=True) if one and one.fault]
    if not faults:
        return None
    fault, first_shape = faults[0][1], cases[0].setting
    elsewhere = all(case.setting is not first_shape for case, _ in faults)
    if elsewhere and fault.cause in _MAY_BE_SHAPE:
        return Fault("hard-coded-shape", f"right at the {first_shape.name} shape, but {fault.detail}")
    return fault


def hidden_library_call(reports: Sequence[StepReport], declared: Sequence[str]) -> Fault | None:
    """ATen arithmetic that ran although the file's text shows no library call: an operator, say."""
    hidden = sorted({name for report in reports for name in report.compute})
    if not hidden or declared:
        return None
    names = ", ".join(f"aten::{name}" for name in hidden)
    return Fault("library-call", f"torch computes part of it: {names}")


def own_kernels(
    cases: Sequence[Case], reports: Sequence[StepReport], tensors: dict[int, dict[str, Any]]
) -> Fault | None:
    """Its kernels must run, and leaving them out must change the output."""
    if not any(report.launches for report in reports):
        return Fault("no-kernel", "no Triton kernel is launched")
    ghost = next(place for place, case in enumerate(cases) if case.step.ghost)
    real, without = tensors.get(0, {}).get("outputs"), tensors.get(ghost, {}).get("outputs")
    if real and without and not differ(real, without):
        return Fault("decoy", "the output is the same when its kernels are left out")
    return None


def differ(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> bool:
    return any(not torch.equal(a, b) for a, b in zip(one, other, strict=True))
