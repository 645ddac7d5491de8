"""Makes the prompt of `kbgen prompt`: the same that the loop sends, for a person to carry to a model."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import KbgenError
from ..kb.library import Library
from ..profiling.classify import classify, diagnose_op
from ..profiling.cuda_source import is_cuda
from ..profiling.cuda_static import inspect_cuda
from ..profiling.device import Device, detect
from ..profiling.op import load_op
from ..profiling.profile import Profile
from ..profiling.source import read_source
from ..profiling.static import inspect
from ..profiling.trace import Mode, TracedOp, trace
from ..retrieval.advise import advise
from .job import Language
from .known import measured_first
from .prompts.briefing import Briefing, Focus, brief
from .prompts.complaint import of_cuda, of_static, of_verdict
from .prompts.prompt import Prompt
from .prompts.standing import standing, standing_of_cuda
from .prompts.tasks import draft, improve, repair
from .verify import verdict as verdicts
from .writers.synth.transforms.inherent import INHERENT
from .writers.synth.writer import SynthWriter


class ByHandError(KbgenError):
    """A file that goes with the question is not what it should be."""


@dataclass(frozen=True)
class Wanted:
    """The arguments of `kbgen prompt`."""

    op_path: Path
    gpu: str
    precision: str
    mode: Mode
    overrides: Mapping[str, Any]
    parent: Path | None
    verdict: Path | None
    technique: str | None
    budget: int
    language: Language = "triton"


def by_hand(wanted: Wanted, library: Library | None) -> Prompt:
    """Asks for a first kernel, a faster parent, or a mended one where it does not compile or the verdict
    refused it; a parent in CUDA C++ stays in it. Without a library, nothing learnt elsewhere is told."""
    device = detect(wanted.gpu)
    traced = trace(load_op(wanted.op_path, wanted.overrides), wanted.mode)
    briefing = replace(briefed(traced, device, wanted.precision, library), language=wanted.language)
    focus = _focus(briefing, wanted.technique)
    if wanted.parent is None:
        return draft(briefing, focus, wanted.budget)
    return _of_parent(wanted, wanted.parent, traced, device, briefing, focus)


def briefed(traced: TracedOp, device: Device, precision: str, library: Library | None) -> Briefing:
    """What a run on `device` would know before any kernel is written."""
    diagnosis = diagnose_op(traced, device.roof)
    advice = (
        measured_first(advise(diagnosis, traced, device.spec, library, (*SynthWriter.transforms, *INHERENT)))
        if library is not None
        else None
    )
    return brief(traced, device.spec, diagnosis, advice=advice, library=library, precision=precision)


def _of_parent(
    wanted: Wanted, parent: Path, traced: TracedOp, device: Device, briefing: Briefing, focus: Focus | None
) -> Prompt:
    source = read_source(parent, "class ModelNew")
    source.tree()
    complaint = of_verdict(_verdict(wanted.verdict)) if wanted.verdict else ""
    if is_cuda(source.text):
        with tempfile.TemporaryDirectory(prefix="kbgen-") as scratch:
            compiled = inspect_cuda(source.text, device.spec, Path(scratch))
        complaint = complaint or of_cuda(compiled)
        briefing = replace(briefing, language="cuda")
        if complaint:
            return repair(briefing, source.text, complaint, wanted.budget)
        return improve(briefing, source.text, standing_of_cuda(compiled), focus, wanted.budget)
    with tempfile.TemporaryDirectory(prefix="kbgen-") as scratch:
        static = inspect(parent, traced.op, device.spec, Path(scratch))
    complaint = complaint or of_static(static)
    if complaint:
        return repair(briefing, source.text, complaint, wanted.budget)
    held_back = classify(Profile(traced, device.roof, static))
    told = standing(static, device.spec, held_back)
    return improve(briefing, source.text, told, focus, wanted.budget)


def _verdict(path: Path) -> verdicts.Verdict:
    try:
        return verdicts.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ByHandError(
            f"{path} is not a verdict ({error}); save the output of 'kbgen verify ... --json' there."
        ) from None


def _focus(briefing: Briefing, technique: str | None) -> Focus | None:
    if technique is None:
        return None
    found = next((one for one in briefing.focuses if one.id == technique), None)
    if found is None:
        known = ", ".join(one.id for one in briefing.focuses) or "none"
        raise ByHandError(f"--technique {technique} is not advised for this operator; advised are: {known}.")
    return found
