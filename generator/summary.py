"""Gather what every stage found into the one result that the reports and the JSON document show."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .. import __version__
from ..profiling.classify import Bottleneck, Diagnosis
from ..profiling.device import Device
from ..profiling.eager import eager_cost
from ..profiling.roofline import attainable_us
from ..profiling.static import KernelReport
from ..profiling.trace import TracedOp
from ..retrieval.advise import Advice, Citation, Step
from .admit import Judged
from .climb import Climb, Tried
from .job import OptimizeRequest, OptimizeResult
from .writers.writer import Candidate


class Summary:
    """Times the stages and builds the result."""

    def __init__(self, request: OptimizeRequest) -> None:
        self.request = request
        self.started = time.monotonic()
        self.seconds: dict[str, float] = {}

    @contextmanager
    def clock(self, stage: str) -> Iterator[None]:
        begun = time.monotonic()
        try:
            yield
        finally:
            self.seconds[stage] = round(time.monotonic() - begun, 2)

    def result(
        self,
        device: Device,
        traced: TracedOp,
        diagnosis: Diagnosis,
        advice: Advice | None,
        climb: Climb,
        judged: Judged,
    ) -> OptimizeResult:
        """Everything the run found, as plain data."""
        found = judged.chosen
        by_transform = {s.transform: s for s in advice.steps} if advice else {}
        bench = judged.benchmark
        return OptimizeResult(
            status=judged.status,
            op=traced.op.name,
            family=traced.family,
            device=device.to_json(),
            verified=judged.verified,
            reason=judged.reason,
            precision=self.request.precision,
            mode=self.request.mode,
            writer=self.request.writer,
            knowledge=self.request.knowledge,
            command=self.request.command(),
            elapsed_s=round(time.monotonic() - self.started, 2),
            versions=versions(),
            speedup=bench.speedup if bench and judged.status in ("win", "no-win") else None,
            baselines={name: asdict(taken) for name, taken in bench.timings.items()} if bench else {},
            kernels=[{"name": k.name, "static": _static(k)} for k in found.static.kernels] if found else (),
            traffic_ratio=_traffic_ratio(judged, traced),
            estimate_us=found.estimate.total_us if found and found.estimate else None,
            attainable_us=attainable_us(traced.flops, traced.bytes_min, device.roof),
            diagnosis=[_bottleneck(b) for b in diagnosis.bottlenecks],
            advice=[_advised(s) for s in advice.steps] if advice else (),
            choices=[_choice(c, by_transform) for c in found.candidate.choices] if found else (),
            steps=[_step(t, by_transform) for t in climb.tried if t.outcome != "declined"],
            declined=[_refusal(t) for t in climb.tried if t.outcome == "declined"],
            verdict=judged.verdict.to_json() if judged.verdict else None,
            benchmark=bench.to_json() if bench else None,
            left_to_torch=found.candidate.left_to_torch if found else (),
            allowed_calls=found.candidate.allowed_calls if found else (),
            techniques=found.candidate.techniques if found else (),
            work=_work(traced, found.candidate) if found else None,
            limits=_limits(climb, judged, advice),
            spent=climb.spent,
            seconds=self.seconds,
        )  # fmt: skip


def _bottleneck(found: Bottleneck) -> dict[str, str]:
    return {"class": found.cls, "confidence": found.confidence, "evidence": found.evidence}


def _refusal(tried: Tried) -> dict[str, str]:
    return {"transform": tried.transform, "reason": tried.reason}


def versions() -> dict[str, str]:
    """Toolchain versions that a result depends on."""
    found = {"kbgen": __version__, "python": platform.python_version()}
    for name in ("torch", "triton"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = ""
    return found


def _static(kernel: KernelReport) -> dict[str, Any]:
    return {**asdict(kernel), "blocks": kernel.blocks}


def _work(traced: TracedOp, candidate: Candidate) -> dict[str, Any]:
    """What the op takes at least, what eager takes, and how much of that the candidate leaves to torch."""
    return {
        "dtype": next(iter(traced.dtypes), ""),
        "flops": traced.flops,
        "least_bytes": traced.bytes_min,
        "eager_bytes": eager_cost(traced).bytes_moved,
        "torch_flops": candidate.torch_flops,
        "torch_bytes": candidate.torch_bytes,
        "tensor_bytes": candidate.tensor_bytes,
    }


def _traffic_ratio(judged: Judged, traced: TracedOp) -> float | None:
    """Planned DRAM bytes, those of calls left to torch included, over the least possible."""
    if judged.chosen is None or judged.chosen.candidate.bytes_per_kernel is None or not traced.bytes_min:
        return None
    candidate = judged.chosen.candidate
    return (sum(candidate.bytes_per_kernel or ()) + candidate.torch_bytes) / traced.bytes_min


def citation_json(citation: Citation) -> dict[str, str]:
    return asdict(citation)


def _advised(step: Step) -> dict[str, Any]:
    return {
        "technique": step.technique, "title": step.title, "transform": step.transform, "why": step.why,
        "score": step.score, "citations": [citation_json(c) for c in step.citations],
        "outcomes": [asdict(o) for o in step.outcomes],
    }  # fmt: skip


def _choice(choice: Mapping[str, str], advised: Mapping[str, Step]) -> dict[str, Any]:
    step = advised.get(choice.get("technique", ""))
    cited: Sequence[Citation] = step.citations if step else ()
    return {
        "choice": choice["name"], "value": choice["value"], "why": choice["why"],
        "technique": step.technique if step else choice.get("technique") or None,
        "citation": citation_json(cited[0]) if cited else None,
    }  # fmt: skip


def _step(tried: Tried, advised: Mapping[str, Step]) -> dict[str, Any]:
    step = advised.get(tried.transform)
    return {
        "technique": step.technique if step else tried.transform, "transform": tried.transform,
        "parent": tried.parent, "child": tried.child, "outcome": tried.outcome,
        "kept": tried.kept, "evidence": tried.evidence,
        "effect": tried.effect, "interval": tried.interval, "reason": tried.reason,
        "moved": asdict(tried.moved) if tried.moved else None,
        "citations": [citation_json(c) for c in step.citations] if step else [],
    }  # fmt: skip


def _limits(climb: Climb, judged: Judged, advice: Advice | None) -> list[str]:
    found = []
    if judged.chosen is not None:
        if any(tried.evidence == "estimated" and tried.effect is not None for tried in climb.tried):
            found.append("Effects marked estimated come from a static model of the device, not from a clock.")
        found += [f"Left to torch: {text}." for text in judged.chosen.candidate.left_to_torch]
    found += climb.notes
    if climb.uncounted:
        found.append(f"What some steps moved is told by their compiled code: {climb.uncounted}.")
    if advice is not None and advice.mode != "hybrid":
        found.append(f"Retrieval ran in {advice.mode} mode. {advice.note}".strip())
    return found
