"""Sets up the search over a writer's answers: briefing, judge and clock, each kept in the run's journal."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..kb.library import Library
from ..profiling.classify import Diagnosis, classify
from ..profiling.cuda_source import is_cuda
from ..profiling.device import Device
from ..profiling.profile import Profile
from ..profiling.roofline import attainable_us
from ..retrieval.advise import Advice
from .beam import Beam, Seams
from .climb import Climb
from .comparison import Gain, Measure
from .evaluated import Evaluated
from .evaluated_any import compiled_any, weighed
from .evaluated_cuda import check_card, cuda_standing
from .job import OptimizeRequest
from .prompts.briefing import brief, from_json
from .prompts.prompt import VERSION
from .prompts.standing import standing
from .report.json_report import plain
from .verify.judge import verify
from .verify.verdict import Verdict
from .verify.verdict import from_json as read_verdict
from .writers.writer import Answering, Candidate, Request

Keep = Callable[[str, str, Callable[[], Any]], Any]
"""The value of an entry by kind and key, made if it is not there: `Journal.once`, or no journal at all."""


def search_answers(
    writer: Answering, wanted: Request, request: OptimizeRequest, device: Device, diagnosis: Diagnosis,
    advice: Advice | None, library: Library, scratch: Path, say: Callable[[str], None],
    measure: Measure | None, most: int, seed: Candidate | None = None,
) -> Climb:  # fmt: skip
    """Search until the beam is done. A journal is begun, or gone on with, and finished."""
    if request.asking.language == "cuda":
        check_card(device)
    keep: Keep = _no_journal
    if writer.journal is not None:
        writer.journal.begin(_identity(writer, wanted, request), resume=request.asking.resume)
        keep = writer.journal.once
    made = keep(
        "briefing", "",
        lambda: brief(
            wanted.traced, wanted.spec, diagnosis, advice=advice, library=library if advice else None,
            precision=request.precision, language=request.asking.language,
        ).to_json(),
    )  # fmt: skip
    asked = replace(wanted, briefing=from_json(made))
    seams = _Seams(asked, request, device, scratch, keep, measure)
    beam = Beam(
        writer, asked, seams.seams(), deadline=time.monotonic() + request.budget_s, most=most, say=say,
        seed=_kept(seed, keep),
    )  # fmt: skip
    climb = beam.climb()
    if writer.journal is not None:
        writer.journal.finish()
    return climb


class _Seams:
    """The beam's seams for one run."""

    def __init__(
        self, wanted: Request, request: OptimizeRequest, device: Device, scratch: Path, keep: Keep,
        measure: Measure | None,
    ) -> None:  # fmt: skip
        self.wanted, self.request, self.device = wanted, request, device
        self.scratch, self.keep, self.measure = scratch, keep, measure

    def seams(self) -> Seams:
        traced, spec = self.wanted.traced, self.wanted.spec
        reached = spec.dram_copy_gb_s or spec.dram_gb_s
        floor_us = max(
            attainable_us(traced.flops, traced.bytes_min, self.device.roof), traced.bytes_min / reached * 1e-3
        )
        return Seams(
            compiled=lambda candidate: compiled_any(candidate, self.wanted, self.device, self.scratch),
            judged=self._judged,
            weighed=lambda found, verdict: weighed(found, verdict, self.wanted),
            standing=self._standing,
            measure=self._measured if self.measure else None,
            floor_us=floor_us,
        )

    def _judged(self, found: Evaluated) -> Verdict:
        scratch = found.path.parent / "first-judge"
        scratch.mkdir(exist_ok=True)
        return read_verdict(
            self.keep(
                "verdict", found.candidate.id,
                lambda: plain(
                    verify(
                        found.path, self.wanted.op, self.wanted.spec, precision=self.request.precision,
                        mode=self.request.mode, scratch=scratch, static=found.static, live=self.device.live,
                        allowed_calls=found.candidate.allowed_calls,
                    ).to_json()
                ),
            )
        )  # fmt: skip

    def _standing(self, found: Evaluated) -> str:
        if is_cuda(found.candidate.source):
            return cuda_standing(found, self.wanted)
        traced, spec = self.wanted.traced, self.wanted.spec
        time_ = f"estimated {found.estimate.total_us:.1f} us" if found.estimate else ""
        return standing(found.static, spec, classify(Profile(traced, self.device.roof, found.static)), time_)

    def _measured(self, parent: Path, child: Path) -> Gain:
        assert self.measure is not None
        measure = self.measure
        key = f"{parent.parent.name} {child.parent.name}"
        told = self.keep("gain", key, lambda: asdict(measure(parent, child)))
        interval = told["interval"]
        return Gain(**{**told, "interval": tuple(interval) if interval else None})


def _kept(seed: Candidate | None, keep: Keep) -> Candidate | None:
    """The seed as the journal has it; what its writer knew of it is left out, so that its estimate is made
    like that of any other kernel."""
    told = keep("seed", "", lambda: asdict(replace(seed, plan=None, products=())) if seed else {})
    if not told:
        return None
    return Candidate(
        told["source"], told["writer"], tuple(told["techniques"]), left_to_torch=tuple(told["left_to_torch"]),
        allowed_calls=tuple(told["allowed_calls"]), flops=told["flops"], torch_bytes=told["torch_bytes"],
    )  # fmt: skip


def _no_journal(kind: str, key: str, make: Callable[[], Any]) -> Any:
    return make()


def _identity(writer: Answering, wanted: Request, request: OptimizeRequest) -> dict[str, Any]:
    """What a resumed run must share with the one that was broken off."""
    return {
        "op": hashlib.sha256(wanted.op.source.encode()).hexdigest(),
        "overrides": repr(sorted(wanted.op.overrides.items())),
        "device": wanted.spec.id,
        "writer": writer.name,
        "effort": asdict(writer.effort),
        "precision": request.precision,
        "mode": request.mode,
        "knowledge": request.knowledge,
        "prompt": VERSION,
        "prompt_tokens": request.asking.prompt_tokens,
        "language": request.asking.language,
    }
