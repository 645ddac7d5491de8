"""Turn a finished run into an episode of the library: every step, helped or not, under its conditions."""

from __future__ import annotations

from datetime import datetime, timezone

from .. import __version__
from ..kb.library import Library
from ..kb.records import Episode, EpisodeStep
from ..profiling.classify import Diagnosis
from ..profiling.device import Device
from ..profiling.trace import TracedOp
from ..retrieval.advise import Advice
from .admit import Judged
from .job import OptimizeRequest, OptimizeResult
from .search import Climb, Tried
from .verify.verdict import Failed


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
        source=chosen.candidate.source if chosen else "",
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        bottlenecks=tuple(b.cls for b in diagnosis.bottlenecks),
    )
    return library.record(episode)


def _refusals(judged: Judged) -> dict[str, str]:
    """Candidate id -> why the judge, or the recheck on the card, refused it."""
    found = {child: f"{verdict.cause}: {verdict.detail}" for child, verdict in judged.failures}
    if judged.chosen is not None and judged.benchmark is not None and judged.benchmark.label == "failed":
        found[judged.chosen.candidate.id] = judged.benchmark.reason
    if judged.chosen is not None and isinstance(judged.verdict, Failed):
        found[judged.chosen.candidate.id] = f"{judged.verdict.cause}: {judged.verdict.detail}"
    return found


def _step(tried: Tried, advice: Advice | None, judged: Judged) -> EpisodeStep:
    """A step whose kernel the judge refused is a failure, whatever the estimate said."""
    advised = next((s for s in advice.steps if s.transform == tried.transform), None) if advice else None
    refused = _refusals(judged).get(tried.child or "")
    outcome, reason = ("failed", refused) if refused else (tried.outcome, tried.reason)
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
