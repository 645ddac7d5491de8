"""Brings an existing Triton kernel to a device: judged as it is, set anew, judged again, beside our own.

result = retune(OptimizeRequest(Path("op.py"), gpu="mi300x"), Path("kernel.py"))
result.candidate_path, result.beside
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ... import KbgenError
from ...profiling.classify import diagnose_op
from ...profiling.compile_cache import CompileCache
from ...profiling.device import Device, detect
from ...profiling.op import Op, load_op
from ...profiling.source import read_source
from ...profiling.trace import TracedOp, trace
from ..admit import Judged, judge
from ..beam import TRAFFIC
from ..climb import Climb
from ..comparison import compare, on_card
from ..counted import counted_bytes
from ..job import GIVEN, Event, OptimizeRequest, OptimizeResult
from ..loop import optimize
from ..report.files import open_folder, write_files
from ..search import Climber
from ..strategies.descent import descent
from ..summary import Summary
from ..verify.judge import verify
from ..verify.verdict import Failed, Verdict
from ..writers.writer import Request
from .both import kernel_alone
from .parameters import BY_CLOCK
from .writer import ANY_CALL, RetuneWriter

Say = Callable[[Event], None]
MOST_CANDIDATES = 64
LEAST = "Memory traffic is taken to be the least possible: the judge counted none."


class RefusedKernelError(KbgenError):
    """The kernel is wrong as it is; there is nothing to set anew."""


@dataclass(frozen=True)
class _Stage:
    """What all steps of a run share."""

    request: OptimizeRequest
    device: Device
    op: Op
    traced: TracedOp
    scratch: Path
    say: Say


def retune(
    request: OptimizeRequest, kernel: Path, say: Say = lambda event: None,
    own: Callable[[OptimizeRequest, Say], OptimizeResult] = optimize,
) -> OptimizeResult:  # fmt: skip
    """Set the parameters of `kernel` for the device asked for, with `request.op_path` as the reference. What
    the built-in writer makes of the reference (`own`) lies in the folder `built-in` of the results, and
    `beside` says which is better, and by which evidence.

    Raises RefusedKernelError where the judge refuses the kernel as it is, KbgenError for files that cannot be
    read. A kernel that does not compile for the device as it is goes on: that is what may be mended.
    """
    request = replace(request, writer=f"{GIVEN}:{kernel}")
    summary, device, op = Summary(request), detect(request.gpu), load_op(request.op_path, request.overrides)
    source = read_source(kernel, "class ModelNew")
    source.tree()
    text = kernel_alone(source.text)
    with tempfile.TemporaryDirectory(prefix="kbgen-") as folder:
        with summary.clock("trace"):
            traced = trace(op, request.mode)
        stage = _Stage(request, device, op, traced, Path(folder), say)
        open_folder(request.out)
        with summary.clock("first judge"):
            verdict = _as_it_is(stage, kernel, text)
        # line numbers were for the judge; what is handed over needs no gaps where the reference was
        without_gaps = re.sub(r"\n{4,}", "\n\n\n", text).lstrip("\n")
        writer = RetuneWriter(without_gaps, counted_bytes(verdict, traced, device.spec.l2_bytes))
        with summary.clock("search"):
            climb = _climb(stage, writer)
        with summary.clock("judge"):
            judged = judge(
                climb, op, device, traced, request, stage.scratch, lambda text: say(Event("verify", text))
            )
        result = summary.result(device, traced, diagnose_op(traced, device.roof), None, climb, judged)
        result = replace(result, beside=_beside(stage, result, judged, own))
        return write_files(result, None, judged, request.out)


def _as_it_is(stage: _Stage, kernel: Path, text: str) -> Verdict:
    """The judge's word on the file, for no device in particular."""
    stage.say(Event("verify", f"{kernel.name} as it is"))
    scratch = stage.scratch / "as-it-is"
    scratch.mkdir()
    given = scratch / kernel.name
    given.write_text(text, encoding="utf-8")
    request = stage.request
    verdict = verify(
        given, stage.op, None, precision=request.precision, mode=request.mode, scratch=scratch,
        allowed_calls=ANY_CALL,
    )  # fmt: skip
    if isinstance(verdict, Failed):
        raise RefusedKernelError(
            f"{kernel} is wrong as it is ({verdict.cause}: {verdict.detail}); mend it first, then have it "
            "set for a device."
        )
    return verdict


def _climb(stage: _Stage, writer: RetuneWriter) -> Climb:
    request = stage.request
    measure = on_card(stage.op, stage.device, stage.traced, stage.scratch, request.precision)
    blind = [one.name for one in writer.parameters.values() if one.kind in BY_CLOCK and measure is None]
    climber = Climber(
        writer,
        Request(stage.op, stage.traced, (), stage.device.spec),
        [name for name in writer.transforms if name not in blind],
        stage.scratch,
        deadline=time.monotonic() + request.budget_s,
        most=request.max_candidates or MOST_CANDIDATES,
        say=lambda text: stage.say(Event("write", text)),
        measure=measure,
        strategy=descent,
        cache=CompileCache(),
    )
    climb = climber.climb()
    notes = [TRAFFIC if writer.traffic is not None else LEAST]
    if not writer.parameters:
        notes.append("Nothing in the file may be set otherwise: no number of it stands for a tile.")
    if blind:
        notes.append(f"Left as they are, since no estimate tells their values apart: {', '.join(blind)}.")
    return replace(climb, notes=(*climb.notes, *notes))


def _beside(
    stage: _Stage,
    given: OptimizeResult,
    judged: Judged,
    own: Callable[[OptimizeRequest, Say], OptimizeResult],
) -> dict[str, Any]:
    """What the built-in writer makes of the reference, and which of the two is better by what evidence."""
    asked = replace(stage.request, writer="synth", out=stage.request.out / "built-in")
    try:
        ours = own(asked, stage.say)
    except KbgenError as error:
        return {"better": "given", "why": f"the built-in writer has no kernel: {error}", "path": None}
    figures = {"path": ours.candidate_path, "status": ours.status, "estimate_us": ours.estimate_us}
    better, why = _better(stage, given, judged, ours)
    return {**figures, "better": better, "why": why}


def _better(stage: _Stage, given: OptimizeResult, judged: Judged, ours: OptimizeResult) -> tuple[str, str]:
    if not ours.verified or ours.candidate_path is None:
        return "given", f"the built-in writer's kernel is not verified ({ours.reason or ours.status})"
    if not given.verified or judged.chosen is None:
        return "built-in", f"the given kernel is not verified ({given.reason or given.status})"
    if stage.device.live:
        gain = compare(
            Path(ours.candidate_path), judged.chosen.path, stage.op, stage.device, stage.traced,
            scratch=stage.scratch / "beside", precision=stage.request.precision,
        )  # fmt: skip
        if gain.effect is not None and gain.interval is not None:
            low, high = gain.interval
            said = (
                f"measured side by side: the given one is {gain.effect:.2f}x [{low:.2f}, {high:.2f}] as fast"
            )
            return ("given" if low > 1 else "built-in" if high < 1 else "neither"), said
    if given.estimate_us is None or ours.estimate_us is None:
        return "neither", "one of them has no estimate, and no card is here to time them"
    ratio = ours.estimate_us / given.estimate_us
    said = (
        f"estimated, not measured: {given.estimate_us:.1f} us for the given one, {ours.estimate_us:.1f} us "
        "for the built-in writer's; its traffic is planned, that of the given one counted at a small shape"
    )
    return ("given" if ratio > 1.05 else "built-in" if ratio < 0.95 else "neither"), said
