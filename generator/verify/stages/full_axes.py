"""Judges a candidate at sizes of which one is as at full size and the others are small.

A number made of sizes can be right at every judged shape and wrong on the card: `1 + (rows >> 11)`, say, or a
table that knows one size. Where the walk through full size meets such a number, the candidate is called, in a
child of its own, at one set of such sizes after the other until each was met; a number that only several full
sizes give together is made to hold where a kernel's arguments alone make it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

from ....profiling.sandbox import Limits, run_child
from ....profiling.source import Literal
from ..inputs.families import FAR_BELOW
from ..inputs.setting import Case, Setting
from ..interpreter.launches import programs
from ..process.exchange import CHILD, CHILD_ENV, StepReport, read_report, read_tensors, write_request
from ..process.layout import NUMBERS, PITCHED
from ..shapes.stretched import rows_of
from ..verdict import Fault
from .answering import answer_made
from .answers import Answers
from .at_sizes import ALWAYS, at_sizes
from .further import LOOPS
from .halves import second_half
from .record import Record, device_answers
from .settings import written
from .whole_axes import MOST_ROWS, full_axes, full_pairs

_LONGEST_S = 10.0
"""Of a call with more rows, where programs were seen to take several, at the judged ones' pace; likewise."""

_PATIENCE_S = 6.0
"""For second calls, in seconds as the child's `Effort` counts."""

_OF_SIZES = ("wrong-values", "raises", "wrong-shape", "unwritten-output", "zeros", "constant")
"""Faults that no other size has shown."""

_LOOKED_FOR = "spikes"
"""Second calls at the sizes that were called, where time is left: a far element that random values drown."""


@dataclass(frozen=True)
class AtFullAxes:
    """`fault` where a call went wrong; `left` are the sites that no call has met; `reached` lines; `right`
    are families and layouts of calls that went right."""

    fault: Fault | None
    left: frozenset[tuple[str, int]]
    reached: tuple[int, ...]
    right: frozenset[tuple[str, str]]


def at_full_axes(
    record: Record,
    found: Sequence[Setting],
    precision: str,
    wanted: Mapping[str, Any],
    scratch: Path,
    limits: Limits,
    most_rows: int,
    altered: Sequence[str] = (),
) -> AtFullAxes | None:
    """Judge at full axes until all that is `wanted` (see `conditions.Unmet.of`) was met, at two at once where
    one alone does not meet it; None where there are no such sizes, or the calls come to no end. Where there
    is time, inputs are `altered` too."""
    small = found[0].op.overrides
    cases = _cases(record, full_axes(record.op, small, most_rows), altered)
    if not cases:
        return None
    called = called_apart(record, cases, precision, wanted, scratch, limits)
    if isinstance(called, str):
        record.notes.append(f"sizes with one axis as at full size were not judged ({called})")
        return None
    pairs = full_pairs(record.op, small, most_rows) if called.left and called.fault is None else {}
    cases, left = _cases(record, pairs, altered), _only(wanted, called.left)
    name, apart = "full pairs", scratch / "pairs"
    more = called_apart(record, cases, precision, left, apart, limits, name) if cases else ""
    if isinstance(more, str):
        return called
    return replace(more, reached=tuple(sorted({*called.reached, *more.reached})))


def _only(wanted: Mapping[str, Any], left: frozenset[tuple[str, int]]) -> dict[str, Any]:
    """What is left of it, numbers apart that no site is known of."""
    sites = {name: [one for one in wanted[name] if tuple(one[:2]) in left] for name in ("amounts", "held")}
    return {**sites, "values": []}


def called_apart(
    record: Record,
    cases: list[Case],
    precision: str,
    wanted: Mapping[str, Any],
    scratch: Path,
    limits: Limits,
    name: str = "full axes",
) -> AtFullAxes | str:
    """Judge `cases` in a child of their own, an instance to each name of a setting; why not, where the calls
    come to no end."""
    scratch.mkdir(parents=True, exist_ok=True)
    settings = {case.setting.name: case.setting for case in cases}
    places = {name: place for place, name in enumerate(settings)}
    cases = [replace(one, step=replace(one.step, shape=places[one.setting.name])) for one in cases]
    shapes = [written(setting, record.source, scratch) for setting in settings.values()]
    write_request(scratch, shapes, [case.step for case in cases], None)
    request = {
        "device": device_answers(record.spec),
        "mode": record.mode,
        "patience_s": _PATIENCE_S,
        "cpu_s": limits.cpu_s,
        "retried": 0,
        "wanted": wanted,
        "helped": [] if wanted else second_half(cases, record.source),  # else one asks what others have met
        "processors": len(os.sched_getaffinity(0)),
    }
    right, ended = Answers(precision, strict=record.precision == "fp32"), Event()
    with ThreadPoolExecutor(1) as pool:
        answered = pool.submit(answer_made, right, scratch, tuple(cases), ended)
        try:
            outcome = run_child(CHILD, request, scratch=scratch, limits=limits, env=CHILD_ENV, warm=True)
        finally:
            ended.set()
    answered.result()
    if outcome.reply is None or "reports" not in outcome.reply:
        return outcome.status
    record.seconds[name] = outcome.wall_s
    return _judged(record, cases, right, outcome.reply, scratch)


def _judged(
    record: Record, cases: list[Case], right: Answers, reply: Mapping[str, Any], scratch: Path
) -> AtFullAxes:
    reports = [read_report(document) for document in reply["reports"]]
    for number, report in enumerate(reports):
        if number >= len(cases):
            right.repeat(number, 0)
            cases.append(replace(cases[0], name=f"{cases[0].name}, with {report.forced}"))
        elif report.status != "skipped" and number not in (right.known.keys() | right.dropped.keys()):
            right.find(number, cases[number])
    answered = right.review(cases, reports, read_tensors(scratch))
    made = [place for place, report in enumerate(reports) if report.status != "skipped"]
    went_right = [place for place in made if (one := answered[place]) and one.result.outcome == "passed"]
    passed = frozenset((cases[place].family, cases[place].step.layout) for place in went_right)
    wrong = [(one.fault, cases[place]) for place in made if (one := answered[place]) and one.fault]
    fault, case = wrong[0] if wrong else (None, cases[0])
    if fault is not None and fault.cause in _OF_SIZES and case.step.layout != NUMBERS:
        fault = Fault("hard-coded-shape", f"right at the judged shapes, but {fault.detail}")
    cases = [cases[place] for place in made]
    reviewed = [one for place in made if (one := answered[place]) is not None]
    record.fields["cases"] += tuple(one.result for one in reviewed)
    record.fields["shapes"] |= {case.setting.name: dict(case.setting.op.overrides) for case in cases}
    left = frozenset((scope, number) for scope, number, _ in reply["left"])
    return AtFullAxes(fault, left, tuple(reply["reached"]), passed)


def _cases(record: Record, axes: Mapping[str, Mapping[str, Literal]], altered: Sequence[str]) -> list[Case]:
    """Calls for each axis; where there is time, those in rows of odd length, with spikes, and altered."""
    goes_on = len(record.op.footprint().calls) > LOOPS
    cases: list[Case] = []
    for place, (name, sizes) in enumerate(axes.items()):
        seed = record.seed + 1000 * (place + 10)
        families = ("normal", _LOOKED_FOR, *((FAR_BELOW,) if goes_on else ()))
        given = record.mode, seed, families, place
        cases += at_sizes(record.op, f"full {name}", sizes, *given, layout=PITCHED, altered=altered)
    later = {_LOOKED_FOR: 2, FAR_BELOW: 2, **{family: 3 for family in altered if family not in ALWAYS}}
    cases.sort(key=lambda case: later.get(case.family, int(case.step.layout == PITCHED)))
    return [
        replace(case, step=replace(case.step, optional=case.family in later or case.step.layout == PITCHED))
        for case in cases
    ]


def most_rows(cases: Sequence[Case], reports: Sequence[StepReport]) -> int:
    """Rows that a call at full axes may have: as many as the programs that it may start were seen to take."""
    made = [
        (rows_of(case.setting.op), sum(map(programs, report.launches)), report.effort_s)
        for case, report in zip(cases, reports, strict=True)
        if report.status == "ok" and report.launches and not case.step.ghost
    ]
    in_tiles = max((MOST_ROWS * rows // max(1, started) for rows, started, _ in made), default=0)
    in_time = max((_LONGEST_S * rows / seconds for rows, _, seconds in made if seconds), default=0.0)
    return max(MOST_ROWS, min(in_tiles, int(in_time)))
