"""Turn a finished run into an episode of the library: every step, helped or not, under its conditions."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from pathlib import Path

from .. import __version__
from ..kb.library import Library
from ..kb.records import Episode, EpisodeStep, Task
from ..profiling.classify import Diagnosis
from ..profiling.device import Device
from ..profiling.trace import TracedOp
from ..retrieval.advise import Advice
from .admit import Judged
from .climb import Climb, Tried
from .job import OptimizeRequest, OptimizeResult
from .prompts.complaint import safe
from .report.heading import headed
from .verify.verdict import Failed

_LEVEL, _PROBLEM = re.compile(r"level[1-9]\d?"), re.compile(r"[1-9]\d{0,3}_\w")


def remember(
    library: Library, result: OptimizeResult, request: OptimizeRequest, device: Device, traced: TracedOp,
    diagnosis: Diagnosis, advice: Advice | None, climb: Climb, judged: Judged,
) -> str | None:  # fmt: skip
    """Record the episode and return its id; None when no step was taken."""
    if not climb.accepted:
        return None
    chosen = judged.chosen
    episode = Episode(
        op_name=traced.op.name,
        family=traced.family,
        fingerprint=traced.fingerprint,
        device_id=device.spec.id,
        arch=device.arch,
        vendor=device.spec.vendor,
        live=device.live,
        driver=device.driver,
        torch_version=result.versions["torch"],
        triton_version=result.versions["triton"],
        kbgen_version=__version__,
        precision=request.precision,
        status=result.status,
        verified=judged.verified,
        speedup=result.speedup,
        steps=tuple(_step(t, advice, judged) for t in climb.tried if t.outcome != "declined"),
        source=headed(chosen.candidate.source, vars(result)) if chosen else "",
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        bottlenecks=tuple(b.cls for b in diagnosis.bottlenecks),
        task=_task(request, traced, diagnosis, judged),
    )
    return library.record(episode)


def _task(request: OptimizeRequest, traced: TracedOp, diagnosis: Diagnosis, judged: Judged) -> Task:
    op, chosen, benchmark = traced.op, judged.chosen, judged.benchmark
    return Task(
        source=op.source,
        constants=tuple(sorted((name, repr(value)) for name, value in op.overrides.items())),
        mode=traced.mode,
        writer=chosen.candidate.writer if chosen else request.writer,
        evidence=tuple(one.evidence for one in diagnosis.bottlenecks),
        interval=benchmark.interval if benchmark and benchmark.measured else None,
        problem=problem_of(op.path),
    )


def problem_of(path: Path) -> str:
    """The place of a KernelBench task, by the names that its folders and files have; "" for other files."""
    level, name = path.resolve().parent.name, path.stem
    return f"{level}/{name}" if _LEVEL.fullmatch(level) and _PROBLEM.match(name) else ""


def _refusals(judged: Judged) -> dict[str, str]:
    """Candidate id -> why the judge, or the recheck on the card, refused it."""
    found = {child: _told(verdict) for child, verdict in judged.failures}
    if judged.chosen is not None and judged.benchmark is not None and judged.benchmark.label == "failed":
        found[judged.chosen.candidate.id] = safe(judged.benchmark.reason)
    if judged.chosen is not None and isinstance(judged.verdict, Failed):
        found[judged.chosen.candidate.id] = _told(judged.verdict)
    return found


def _told(verdict: Failed) -> str:
    """The cause, and the detail unless it reads as orders: a candidate's own exception may stand in it."""
    return f"{verdict.cause}: {safe(verdict.detail)}"


def _step(tried: Tried, advice: Advice | None, judged: Judged) -> EpisodeStep:
    """A step whose kernel the judge refused is a failure, whatever the estimate said."""
    advised = next((s for s in advice.steps if s.transform == tried.transform), None) if advice else None
    refused = _refusals(judged).get(tried.child or "")
    outcome, reason = ("failed", refused) if refused else (tried.outcome, safe(tried.reason))
    return EpisodeStep(
        technique=advised.technique if advised else tried.transform,
        transform=tried.transform,
        parent=tried.parent,
        outcome=outcome,  # type: ignore[arg-type]
        evidence=tried.evidence,
        effect=None if refused else tried.effect,
        reason=reason,
        citations=tuple(dict.fromkeys(c.passage_id for c in advised.citations)) if advised else (),
    )
