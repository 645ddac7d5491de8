"""Remembers a kernel that somebody else wrote: judged and timed like any other, kept only if it passes.

    result = submit(Submission(Path("op.py"), Path("kernel.py"), gpu="h100", technique="row-in-registers"))
    result.recorded, result.verdict

What comes from outside stands in records that models read later: text that gives orders is refused before
anything runs, and a technique must be one that the library knows.
"""

from __future__ import annotations

import difflib
import shlex
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .. import KbgenError
from ..kb.library import Library
from ..profiling.classify import diagnose_op
from ..profiling.device import Device, detect
from ..profiling.op import Op, load_op
from ..profiling.source import read_source
from ..profiling.trace import TracedOp, trace
from .admit import Judged, judge
from .climb import Climb, Tried
from .comparison import Gain, on_card
from .evaluated import Evaluated
from .evaluated_any import compiled_any, weighed
from .job import Event, Mode, OptimizeRequest, OptimizeResult
from .merit import outcome_of
from .prompts.quoting import gives_orders, visible
from .remember import remember
from .summary import Summary
from .verify.judge import verify
from .verify.verdict import Passed, Verdict
from .writers.writer import Candidate, Request

Say = Callable[[Event], None]
UNNAMED = "submitted"
"""The technique of a kernel that names none."""


class SubmissionError(KbgenError):
    """A submission that is refused before it is judged."""


@dataclass(frozen=True)
class Submission:
    """What is submitted; `technique` is what turned `parent`, where there is one, into `candidate`."""

    op_path: Path
    candidate: Path
    gpu: str = "auto"
    technique: str | None = None
    note: str = ""
    parent: Path | None = None
    precision: str = "fp32"
    mode: Mode = "as-is"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    allowed_calls: tuple[str, ...] = ()
    library: Path | None = None

    def command(self) -> str:
        """The command line that submits the same."""
        words = ["kbgen", "record", str(self.op_path), str(self.candidate), "--gpu", self.gpu]
        words += ["--precision", self.precision, *(["--mode", self.mode] if self.mode != "as-is" else [])]
        words += [w for name, value in self.overrides.items() for w in ("--set", f"{name}={value!r}")]
        words += [w for call in self.allowed_calls for w in ("--allow", call)]
        words += ["--technique", self.technique] if self.technique else []
        words += ["--parent", str(self.parent)] if self.parent else []
        return shlex.join([*words, *(["--note", self.note] if self.note else [])])


def submit(given: Submission, say: Say = lambda event: None) -> OptimizeResult:
    """Judge the kernel and remember it if it passes; the result's `recorded` is None if it does not.

    Raises KbgenError for what cannot be judged, and for text that gives orders to its readers.
    """
    source = read_source(given.candidate, "class ModelNew").text
    parent = read_source(given.parent, "class ModelNew").text if given.parent else None
    if parent == source:
        raise SubmissionError("parent and candidate are the same file; give the kernel it was made from.")
    note = _screened(given, source)
    with tempfile.TemporaryDirectory(prefix="kbgen-") as folder, Library.open(given.library) as library:
        _check_technique(given.technique, library)
        device, op = detect(given.gpu), load_op(given.op_path, given.overrides)
        bench = _Bench(given, op, device, trace(op, given.mode), Path(folder), say)
        summary = Summary(bench.request)
        diagnosis = diagnose_op(bench.traced, device.roof)
        found = bench.compiled(source)
        tried = Tried(given.technique or UNNAMED, None, found.candidate.id, "neutral", None, note, True)
        with summary.clock("judge"):
            judged = bench.judged(found, tried)
        if judged.verified and judged.chosen is not None and parent is not None:
            tried = bench.gained(parent, judged.chosen, tried)
        climb = Climb((judged.chosen or found,), (tried,))
        result = summary.result(device, bench.traced, diagnosis, None, climb, judged)
        result = replace(result, command=given.command(), writer=UNNAMED)
        if not judged.verified:
            return result
        again = None if device.live else _known(library, device, source, tried.transform)
        recorded = again or remember(
            library, result, bench.request, device, bench.traced, diagnosis, None, climb, judged
        )
        say(Event("record", recorded or "nothing to record"))
        return replace(result, recorded=recorded)


@dataclass(frozen=True)
class _Bench:
    """Compiles, judges and times what was submitted for one op on one device."""

    given: Submission
    op: Op
    device: Device
    traced: TracedOp
    folder: Path
    say: Say

    @property
    def request(self) -> OptimizeRequest:
        """What the loop would have been asked, for the stages that are shared with it."""
        given = self.given
        return OptimizeRequest(
            given.op_path, given.gpu, precision=given.precision, mode=given.mode, overrides=given.overrides,
            library=given.library, knowledge=False,
        )  # fmt: skip

    @property
    def wanted(self) -> Request:
        """What a writer would have been asked."""
        return Request(self.op, self.traced, (), self.device.spec)

    def compiled(self, source: str) -> Evaluated:
        allowed = self.given.allowed_calls
        candidate = Candidate(source, UNNAMED, flops=float(self.traced.flops), allowed_calls=allowed)
        self.say(Event("compile", f"candidate {candidate.id} for {self.device.spec.name}"))
        return compiled_any(candidate, self.wanted, self.device, self.folder)

    def judged(self, found: Evaluated, tried: Tried) -> Judged:
        """The loop's own judging, and the estimate that follows from the traffic that the judge counted."""

        def tell(text: str) -> None:
            self.say(Event("verify", text))

        climb = Climb((found,), (tried,))
        judged = judge(climb, self.op, self.device, self.traced, self.request, self.folder, tell)
        if judged.chosen is None or judged.verdict is None:
            return judged
        return replace(judged, chosen=weighed(judged.chosen, judged.verdict, self.wanted))

    def gained(self, source: str, child: Evaluated, tried: Tried) -> Tried:
        """The step from the parent: by the clock where the card is here, else by the estimate."""
        parent = self.compiled(source)
        verdict = self._verdict(parent)
        if not isinstance(verdict, Passed):
            raise SubmissionError(
                f"the parent is not right ({verdict.cause}: {verdict.detail}), so nothing can be said of "
                "what the step gained; give a parent that passes, or none."
            )
        parent = weighed(parent, verdict, self.wanted)
        measure = on_card(self.op, self.device, self.traced, self.folder, self.given.precision)
        gain = measure(parent.path, child.path) if measure else Gain()
        estimated = (
            parent.estimate.total_us / child.estimate.total_us if parent.estimate and child.estimate else None
        )
        effect = gain.effect or (None if measure else estimated)
        if effect is None:
            return replace(tried, parent=parent.candidate.id)
        outcome = outcome_of(effect, gain.interval or (effect, effect))
        return replace(
            tried, parent=parent.candidate.id, outcome=outcome, effect=effect, interval=gain.interval
        )

    def _verdict(self, found: Evaluated) -> Verdict:
        scratch = found.path.parent / "parent-judge"
        scratch.mkdir(exist_ok=True)
        return verify(
            found.path, self.op, self.device.spec, precision=self.given.precision, mode=self.given.mode,
            scratch=scratch, static=found.static, live=self.device.live,
            allowed_calls=found.candidate.allowed_calls,
        )  # fmt: skip


def _screened(given: Submission, source: str) -> str:
    """The note as it may be kept; raises for text that speaks to its reader instead of telling something."""
    note = " ".join(visible(given.note).split())
    for what, text in (("note", note), ("kernel file", source), ("op file's name", given.op_path.stem)):
        if words := gives_orders(text):
            raise SubmissionError(
                f"the {what} reads as if it gave orders to its reader ({words!r}), and records are read by "
                "models; take that out and submit again."
            )
    return note


def _check_technique(name: str | None, library: Library) -> None:
    """Raises for a technique that the library has no card of."""
    if name is None:
        return
    page = library.page(name)
    if page is not None and page.kind == "technique" and name not in library.quarantine.entries():
        return
    known = [one.id for one in library.pages("technique")]
    near = ", ".join(difflib.get_close_matches(name, known, 3, 0.4)) or ", ".join(known[:3])
    raise SubmissionError(
        f"{visible(name)[:80]!r} is no technique of the library; nearest: {near}; `kbgen advise` names "
        "those that apply, or leave it out."
    )


def _known(library: Library, device: Device, source: str, technique: str) -> str | None:
    """The record of the same kernel and technique on the same device: saying it twice adds no evidence."""
    for name, episode in library.records().items():
        same = (episode.source, episode.device_id) == (source, device.spec.id)
        if same and technique in {step.technique for step in episode.steps}:
            return name
    return None
