"""The road of `kbgen optimize`: read, trace, diagnose, advise, climb, verify, time, admit, remember, report.

result = optimize(OptimizeRequest(Path("examples/rmsnorm.py"), gpu="h100"))
result.status, result.candidate_path
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ..kb.library import Library
from ..profiling.classify import Diagnosis, diagnose_op
from ..profiling.compile_cache import CompileCache
from ..profiling.counters.collect import collect_op
from ..profiling.counters.record import CounterReport
from ..profiling.device import Device, detect
from ..profiling.op import Op, load_op
from ..profiling.static import expect_inspecting
from ..profiling.trace import TracedOp, trace
from ..retrieval.advise import Advice, advise
from .admit import judge
from .answers import search_answers
from .climb import Climb
from .comparison import Measure, on_card
from .job import Asking as Asking
from .job import Event as Event
from .job import OptimizeRequest as OptimizeRequest
from .job import OptimizeResult as OptimizeResult
from .known import known_from, measured_first, nothing_known
from .moved import Count, Watch
from .remember import remember
from .report.files import open_folder, write_files
from .search import Climber
from .strategies.choose import choose_strategy
from .summary import Summary
from .verify.judge import expect_judging
from .writers.choose import choose_writer
from .writers.synth.transforms.inherent import INHERENT
from .writers.synth.writer import SynthWriter
from .writers.writer import Answering, Request, Writer

Say = Callable[[Event], None]
MOST_CANDIDATES = 16


def optimize(
    request: OptimizeRequest, say: Say = lambda event: None, writer: Writer | None = None
) -> OptimizeResult:
    """Run the whole road. Raises KbgenError for what the user can mend; leaves no half-written result."""
    summary = Summary(request)
    writer = writer or choose_writer(request.writer, request.asking, request.out)
    device = detect(request.gpu)
    op = load_op(request.op_path, request.overrides)
    with _scratch() as scratch, Library.open(request.library) as library:
        expect_inspecting(scratch)
        say(Event("trace", f"{op.name} at full size for {device.spec.name}"))
        with summary.clock("trace"):
            traced = trace(op, request.mode)
            smaller = tuple(trace(op.with_overrides(s.overrides), request.mode) for s in op.planned_sets())
            diagnosis = diagnose_op(traced, device.roof)
        open_folder(request.out)
        say(Event("advise", diagnosis.primary.evidence if diagnosis.primary else "no bottleneck stands out"))
        with summary.clock("advise"):
            advice = _advice(request, diagnosis, traced, device, library, writer)
        expect_judging(scratch)
        with summary.clock("search"):
            wanted = Request(op, traced, smaller, device.spec)
            measure = on_card(op, device, traced, scratch, request.precision)
            watch = Watch(traced, device.spec, _counting(op, device, request, scratch))
            climb = _searched(
                request, wanted, writer, device, diagnosis, advice, library, scratch, say, measure, watch
            )
        with summary.clock("judge"):
            judged = judge(
                climb, op, device, traced, request, scratch, lambda text: say(Event("verify", text))
            )
        result = summary.result(device, traced, diagnosis, advice, climb, judged)
        recorded = remember(library, result, request, device, traced, diagnosis, advice, climb, judged)
        say(Event("record", recorded or "nothing to record"))
        return write_files(result, recorded, judged, request.out)


def _advice(
    request: OptimizeRequest,
    diagnosis: Diagnosis,
    traced: TracedOp,
    device: Device,
    library: Library,
    writer: Writer,
) -> Advice | None:
    if not request.knowledge:
        return None
    advice = advise(diagnosis, traced, device.spec, library, (*writer.transforms, *INHERENT))
    return measured_first(advice)


def _searched(
    request: OptimizeRequest, wanted: Request, writer: Writer, device: Device, diagnosis: Diagnosis,
    advice: Advice | None, library: Library, scratch: Path, say: Say, measure: Measure | None, watch: Watch,
) -> Climb:  # fmt: skip
    """A climb where the writer answers for its kernels, a search over answers where nobody does."""
    if not isinstance(writer, Answering):
        return _climb(request, wanted, writer, advice, library, scratch, say, measure, watch)
    grown = Climb((), ())
    if writer.effort.seeded:
        grown = _climb(request, wanted, SynthWriter(), advice, library, scratch, say, measure, watch)
    climb = search_answers(
        writer, wanted, request, device, diagnosis, advice, library, scratch,
        lambda text: say(Event("write", text)), measure, request.max_candidates or MOST_CANDIDATES,
        grown.best.candidate if grown.best else None,
    )  # fmt: skip
    return replace(climb, tried=(*grown.tried, *climb.tried))


def _climb(
    request: OptimizeRequest, wanted: Request, writer: Writer, advice: Advice | None, library: Library,
    scratch: Path, say: Say, measure: Measure | None, watch: Watch,
) -> Climb:  # fmt: skip
    """From the plain kernel, by what the advice knows, or by nothing."""
    known = (
        known_from(advice, writer, library, wanted.traced, wanted.spec) if advice else nothing_known(writer)
    )
    climber = Climber(
        writer,
        wanted,
        known.order,
        scratch,
        deadline=time.monotonic() + request.budget_s,
        most=request.max_candidates or MOST_CANDIDATES,
        say=lambda text: say(Event("write", text)),
        measure=measure,
        proven=known.proven,
        seen=known.seen,
        watch=watch,
        strategy=choose_strategy(request.strategy),
        headroom=known.headroom,
        cache=CompileCache(),
    )
    return climber.climb()


def _counting(op: Op, device: Device, request: OptimizeRequest, scratch: Path) -> Count | None:
    """How a candidate's kernels are counted, with the quick set; None where the device is not here."""
    if not device.live:
        return None

    def count(path: Path) -> CounterReport:
        folder = scratch / f"counters-{path.parent.name}"
        return collect_op(op, path, mode=request.mode, full=False, scratch=folder)

    return count


@contextmanager
def _scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="kbgen-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
