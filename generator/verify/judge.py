"""Decides whether a candidate file computes what the op file computes, and whether by its own kernels.

The road: read its text (`scan`), choose the calls (`cases`), let a shut-in child make them on the interpreter
(`child`), compute the right answers here (`oracle`), compare (`review`), show that impostors would have been
refused (`controls`), and ask the target's compiler (`target`). Expected results never exist in a process that
runs the candidate.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from ... import KbgenError
from ...hardware_specs.spec import DeviceSpec
from ...profiling.cuda_source import is_cuda
from ...profiling.footprint import NETWORK_CALLS
from ...profiling.op import Op, OpError
from ...profiling.sandbox import Limits, expect
from ...profiling.static import StaticReport
from .cuda import judge_cuda
from .judgement import Judgement
from .process.exchange import CHILD, CHILD_ENV
from .reference.budget import FLOORS
from .shapes.hints import hints
from .stages.record import Record
from .stages.settings import ROOM, Room, settings
from .text.scan import scan
from .text.seeds import own_seed
from .text.signature import misread
from .verdict import Fault, Verdict

_CPU_S = 90
CHILD_LIMITS = Limits(wall_s=120.0, cpu_s=_CPU_S, memory_bytes=8 << 30, file_bytes=1 << 30, processes=8)

_SHARED_CPU_S = 135
"""The limit of a candidate's calls, and half as much for cores that two threads share."""

MODES = ("as-is", "train", "eval")

_MOST_KEPT = 4
"""Constants that are tried as shipped, one after the other, the smallest first."""

_Judged = tuple[Verdict, Judgement | None]


class JudgeError(KbgenError):
    """A judgement that cannot begin."""


def limits_for(kernels: int) -> Limits:
    """A network's kernels go through the interpreter one after another: each beyond the first four may take
    ten seconds of CPU more. By the wall's clock it is twice that: other searches may share the machine."""
    cpu_s = _SHARED_CPU_S + 10 * max(0, kernels - 4)
    return replace(CHILD_LIMITS, wall_s=2.0 * cpu_s, cpu_s=cpu_s)


_MOST_WAITING, _SLOWED = 4.0, _SHARED_CPU_S / _CPU_S
"""Processes to a core that a limit of the wall's clock waits for; and times the CPU time of a core alone that
one takes whose other thread is busy."""


def _on_this_machine(limits: Limits) -> Limits:
    """Where CPU time is to decide, by the wall's clock as much more as processes wait for each core, and more
    of it where most of them are busy: two of what counts as a core may be threads of one. The mean that the
    system gives lags by a minute, so the wall's clock gets no less of this than CPU time."""
    if limits.cpu_s is None or limits.wall_s < limits.cpu_s:
        return limits
    waiting = os.getloadavg()[0] / len(os.sched_getaffinity(0))
    slowed = min(_SLOWED, max(1.0, 2 * waiting))
    wall_s = limits.wall_s * max(slowed, min(_MOST_WAITING, waiting))
    return replace(limits, wall_s=wall_s, cpu_s=round(limits.cpu_s * slowed))


def verify(
    candidate: Path,
    op: Op,
    spec: DeviceSpec | None,
    *,
    precision: str = "fp32",
    mode: str = "as-is",
    scratch: Path,
    seed: int | None = None,
    allowed_calls: Sequence[str] = (),
    limits: Limits = CHILD_LIMITS,
    static: StaticReport | None = None,
    live: bool = False,
) -> Verdict:
    """Judge `candidate` against `op` on the interpreter, and against what `spec`'s compiler makes of it where
    a target is named; everything is repeatable from the verdict's `replay`.

    `static` spares the offline compile where it was made already; `live` says that the target is the card in
    this machine, so that compute-sanitizer can watch it. `precision` declares the class of error to admit,
    `mode` is "as-is", "train" or "eval", `allowed_calls` names the torch calls (`torch.nn.functional.linear`)
    that the candidate may leave to the library; "*" allows any.
    """
    seed = secrets.randbelow(1 << 31) if seed is None else seed
    limits = _on_this_machine(limits)
    _check_choices(precision, mode)
    source = _read(candidate)
    record = Record(candidate, source, op, spec, precision, mode, seed, tuple(allowed_calls), limits)
    if is_cuda(source):
        return judge_cuda(record, scratch, live)
    with record.clock("scan"):
        record.scan = scan(source, allowed_calls)
    if record.scan.fault is not None:
        return record.concluded(record.scan.fault)
    if (found := misread(source, op.source) or own_seed(source, op.source)) is not None:
        return record.concluded(Fault(*found))
    judged = partial(_judged, limits=limits, static=static, live=live)
    verdict, judgement = judged(record, scratch, ROOM)
    if judgement is None:
        return verdict
    if (second := judgement.again) is not None:
        return judged(_anew(record, second.note), scratch / "again", second.room, patient=True)[0]
    return (_with_one_kept(record, judgement, scratch, judged) if judgement.guards else None) or verdict


def _with_one_kept(
    record: Record, refusing: Judgement, scratch: Path, judged: Callable[..., _Judged]
) -> Verdict | None:
    """The verdict at shapes that leave one constant as shipped, the first at which the candidate does not
    refuse the smallest of them in words; None if there is none. Some kernels know few widths of a head."""
    if not hints(record.source).refuses or record.op.footprint().work >= NETWORK_CALLS:
        return None
    shipped, smallest = record.op.constants, refusing.found[0].op.overrides
    cut = {name: size for name in smallest if type(size := shipped[name]) is int and size != smallest[name]}
    for name, size in sorted(cut.items(), key=lambda one: one[1])[:_MOST_KEPT]:
        anew = _anew(record, f"it refuses other sizes in words: {name} stays {size}")
        anew = replace(anew, op=replace(record.op, kept=frozenset([name])))
        verdict, judgement = judged(anew, scratch / f"with_{name}", ROOM)
        if judgement is not None and not judgement.guards:
            return verdict
    return None


def _anew(record: Record, note: str) -> Record:
    return replace(record, fields={}, seconds={}, labels=set(), notes=[note])


def _judged(
    record: Record,
    scratch: Path,
    room: Room,
    limits: Limits,
    static: StaticReport | None,
    live: bool,
    patient: bool = False,
) -> _Judged:
    """The verdict, and the judgement that led to it; None where there is no shape to judge at."""
    try:
        with record.clock("shapes"):
            found = settings(record.op, record.mode, record.seed, room, record.source)
    except OpError as error:
        return record.inconclusive("no-oracle", str(error)), None
    if not found:
        return record.inconclusive(
            "no-oracle",
            "no smaller shape of this op was found that the interpreter, and its reference on a CPU, can run",
        ), None
    record.fields["shapes"] = {setting.name: dict(setting.op.overrides) for setting in found}
    with _one_thread():
        judgement = Judgement(record, found, scratch, limits, static, live, patient)
        return judgement.verdict(), judgement


def expect_judging(scratch: Path) -> None:
    """Let the process that a candidate's is forked from import meanwhile what it needs."""
    expect(CHILD, scratch=scratch, env=CHILD_ENV)


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Small tensors gain nothing from torch's threads, and wait for each other on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _check_choices(precision: str, mode: str) -> None:
    if precision not in FLOORS:
        raise JudgeError(f"there is no precision {precision!r}; choose one of {', '.join(FLOORS)}.")
    if mode not in MODES:
        raise JudgeError(f"there is no mode {mode!r}; choose one of {', '.join(MODES)}.")


def _read(candidate: Path) -> str:
    if not candidate.is_file():
        raise JudgeError(f"there is no file {candidate}; give the path of a Python file with class ModelNew.")
    try:
        return candidate.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise JudgeError(f"{candidate} is not UTF-8 text ({error}); save it as a Python file.") from error
