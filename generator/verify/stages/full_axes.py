"""Judges a candidate at sizes of which one is as at full size and the others are small.

A number made of sizes can be right at every judged shape and wrong on the card: `1 + (rows >> 11)`, say, or a
table that knows one size. Where the walk through full size meets such a number, the candidate is called, in a
child of its own, at one set of such sizes after the other until each was met; a number that only several full
sizes give together is made to hold where a kernel's arguments alone make it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from ....profiling.constructors import is_built_in
from ....profiling.op import Op, OpError
from ....profiling.sandbox import Limits, run_child
from ....profiling.source import Literal
from ..inputs.setting import Case, Setting
from ..interpreter.launches import programs
from ..process.exchange import CHILD, CHILD_ENV, StepReport, read_report, read_tensors, write_request
from ..process.layout import PITCHED
from ..shapes.stretched import rows_of
from ..shapes.whole_tiles import bytes_of, whole_tiles
from ..verdict import Fault
from .answers import Answers
from .at_sizes import ALWAYS, at_sizes
from .record import Record, device_answers
from .settings import ROOM, written

_MOST_ROWS = 4096
"""Rows of the first output, each of which may be a program: more of them take too long."""

_LONGEST_S = 10.0
"""Of a call with more rows, where programs were seen to take several, at the judged ones' pace."""

_MOST_BYTES = 8 << 20
"""Where an axis is alone: one that stands twice, keys beside queries, needs the room."""

_LEAST_TILE = 16
"""Elements that a size halved for want of memory remains a multiple of."""

_MOST_PAIRS = 8

_PATIENCE_S = 6.0
"""CPU time for second calls."""

_OF_SIZES = ("wrong-values", "raises", "wrong-shape", "unwritten-output", "zeros", "constant")
"""Faults that no other size has shown."""

_LOOKED_FOR = "spikes"
"""Second calls at the sizes that were called, where time is left: a far element that random values drown."""


@dataclass(frozen=True)
class AtFullAxes:
    """`fault` where a call went wrong; `left` are the sites that no call has met; `reached` lines."""

    fault: Fault | None
    left: frozenset[tuple[str, int]]
    reached: tuple[int, ...]


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
    """Judge `cases` in a child of their own; why not, where the calls come to no end."""
    scratch.mkdir(parents=True, exist_ok=True)
    settings = {case.setting.name: case.setting for case in cases}
    shapes = [written(setting, record.source, scratch) for setting in settings.values()]
    write_request(scratch, shapes, [case.step for case in cases], None)
    request = {
        "device": device_answers(record.spec),
        "mode": record.mode,
        "patience_s": _PATIENCE_S,
        "cpu_s": limits.cpu_s,
        "retried": 0,
        "wanted": wanted,
    }
    outcome = run_child(CHILD, request, scratch=scratch, limits=limits, env=CHILD_ENV, warm=True)
    if outcome.reply is None or "reports" not in outcome.reply:
        return outcome.status
    record.seconds[name] = outcome.wall_s
    return _judged(record, cases, precision, outcome.reply, scratch)


def _judged(
    record: Record, cases: list[Case], precision: str, reply: Mapping[str, Any], scratch: Path
) -> AtFullAxes:
    reports = [read_report(document) for document in reply["reports"]]
    right = Answers(precision, strict=record.precision == "fp32")
    for number, report in enumerate(reports):
        if number >= len(cases):
            right.repeat(number, 0)
            cases.append(replace(cases[0], name=f"{cases[0].name}, with {report.forced}"))
        elif report.status != "skipped":
            right.find(number, cases[number])
    answered = right.review(cases, reports, read_tensors(scratch))
    made = [place for place, report in enumerate(reports) if report.status != "skipped"]
    cases = [cases[place] for place in made]
    reviewed = [one for place in made if (one := answered[place]) is not None]
    record.fields["cases"] += tuple(one.result for one in reviewed)
    record.fields["shapes"] |= {case.setting.name: dict(case.setting.op.overrides) for case in cases}
    fault = next((one.fault for one in reviewed if one.fault is not None), None)
    if fault is not None and fault.cause in _OF_SIZES:
        fault = Fault("hard-coded-shape", f"right at the judged shapes, but {fault.detail}")
    left = frozenset((scope, number) for scope, number, _ in reply["left"])
    return AtFullAxes(fault, left, tuple(reply["reached"]))


def _cases(record: Record, axes: Mapping[str, Mapping[str, Literal]], altered: Sequence[str]) -> list[Case]:
    """Calls for each axis; where there is time, those in rows of odd length, with spikes, and altered."""
    cases = []
    for place, (name, sizes) in enumerate(axes.items()):
        seed = record.seed + 1000 * (place + 10)
        families = ("normal", _LOOKED_FOR)
        given = record.mode, seed, families, place
        cases += at_sizes(record.op, f"full {name}", sizes, *given, layout=PITCHED, altered=altered)
    named = list(dict.fromkeys(case.setting.name for case in cases))
    later = {_LOOKED_FOR: 2, **{family: 3 for family in altered if family not in ALWAYS}}
    cases.sort(key=lambda case: later.get(case.family, int(case.step.layout == PITCHED)))
    second = [case.family in later or case.step.layout == PITCHED for case in cases]
    places = [named.index(case.setting.name) for case in cases]
    return [
        replace(case, step=replace(case.step, shape=place, optional=more))
        for case, place, more in zip(cases, places, second, strict=True)
    ]


def most_rows(cases: Sequence[Case], reports: Sequence[StepReport]) -> int:
    """Rows that a call at full axes may have: as many as the programs that it may start were seen to take."""
    made = [
        (rows_of(case.setting.op), sum(map(programs, report.launches)), report.seconds)
        for case, report in zip(cases, reports, strict=True)
        if report.status == "ok" and report.launches and not case.step.ghost
    ]
    in_tiles = max((_MOST_ROWS * rows // max(1, started) for rows, started, _ in made), default=0)
    in_time = max((_LONGEST_S * rows / seconds for rows, _, seconds in made if seconds), default=0.0)
    return max(_MOST_ROWS, min(in_tiles, int(in_time)))


def full_axes(
    op: Op, small: Mapping[str, Literal], most_rows: int = _MOST_ROWS
) -> dict[str, dict[str, Literal]]:
    """Per constant that `small` cuts down, sizes with it as the op ships it, or half of that, and so on; or
    together with another one that it has to match; those with few rows first. Widths that a network has
    written into its constructor stay cut: whole ones would not fit. The first output has `most_rows`
    at most."""
    tiles = whole_tiles(op, small, max(ROOM.wide, 2 * (bytes_of(op, small) or 0)))
    bases = [*([tiles] if tiles else []), small, _smaller(small, 4), _smaller(small, 16)]
    cut = [name for name, value in small.items() if value != op.constants[name] and not is_built_in(name)]
    alone = [small, _smaller(small, 16)]
    found: dict[str, dict[str, Literal]] = {}
    for name in cut:
        values = (*_whole_dimension(op, small, name), *_halves(op.constants[name]))
        choices = [{name: value} for value in values]
        choices += [{one: op.constants[one] for one in (name, other)} for other in cut if other != name]
        fitting = (
            sizes
            for choice in choices
            if (sizes := _fitting(op, choice, bases, alone, most_rows)) is not None
        )
        sizes = next(fitting, None)
        if sizes is not None and sizes not in found.values():
            found[name] = sizes
    return dict(sorted(found.items(), key=lambda one: rows_of(op.with_overrides(one[1]))))


def full_pairs(op: Op, small: Mapping[str, Literal], most_rows: int) -> dict[str, dict[str, Literal]]:
    """Likewise two of them at once and next to nothing along all others, the smallest first: `pages * page`
    is what neither gives."""
    cut = [name for name, value in small.items() if value != op.constants[name] and not is_built_in(name)]
    found: dict[str, dict[str, Literal]] = {}
    for one, other in combinations(cut, 2):
        both = {name: op.constants[name] for name in (one, other)}
        sizes = _alone(op, {**_smaller(small, 16), **both}, most_rows)
        if sizes is not None:
            found[f"{one} and {other}"] = sizes
    ordered = sorted(found.items(), key=lambda pair: op.bytes_at(pair[1]) or 0)
    return dict(ordered[:_MOST_PAIRS])


def _whole_dimension(op: Op, small: Mapping[str, Literal], name: str) -> list[Literal]:
    """The value with which this constant alone makes an input's dimension as long as at full size, where
    others take part in it: keys of a past and of a present, say."""
    value = op.constants[name]
    if type(value) is not int:
        return []
    with contextlib.suppress(OpError):
        given = (op.with_overrides({**small, name: one}) for one in (value, value + 1))
        now, more = (one.footprint().inputs for one in given)
        triples = zip(op.footprint().inputs, now, more, strict=True)
        sides = [side for shapes in triples for side in zip(*shapes, strict=True)]
        short = max((full - held for full, held, next_ in sides if next_ == held + 1), default=0)
        return [value + short] if short > 0 else []
    return []


def _smaller(small: Mapping[str, Literal], times: int) -> dict[str, Literal]:
    return {
        name: max(2, value // times)
        if isinstance(value, int) and value > 2 and not is_built_in(name)
        else value
        for name, value in small.items()
    }


def _alone(op: Op, sizes: Mapping[str, Literal], most_rows: int) -> dict[str, Literal] | None:
    """`sizes` with ones for what the file names and the small shape had no need to cut, a batch or heads say,
    whatever saves most first, until they are small enough; None where they never are."""
    left = {
        name
        for name in op.text.free()
        if name not in sizes and type(op.constants.get(name)) is int and op.constants[name] != 1
    }
    found, taken = dict(sizes), op.bytes_at(sizes)
    while taken is not None and not _fits(op, found, taken, _MOST_BYTES, most_rows):
        tried = {name: op.bytes_at({**found, name: 1}) for name in sorted(left)}
        fewer = {name: least for name, least in tried.items() if least is not None and least < taken}
        if not fewer:
            return None
        best = min(fewer, key=lambda name: fewer[name])
        found[best], taken = 1, fewer[best]
        left.remove(best)
    return found if taken is not None else None


def _halves(value: Literal) -> Iterator[Literal]:
    """A size and, as long as it stays whole tiles, its halves."""
    yield value
    while isinstance(value, int) and value % (2 * _LEAST_TILE) == 0:
        value //= 2
        yield value


def _fitting(
    op: Op,
    choice: Mapping[str, Literal],
    bases: Sequence[Mapping[str, Literal]],
    alone: Sequence[Mapping[str, Literal]],
    most_rows: int,
) -> dict[str, Literal] | None:
    """The first of `bases`, then of those in which the axis is `alone`, with the constants in `choice`, where
    that is small enough to run."""
    for base in bases:
        sizes = {**base, **choice}
        taken = bytes_of(op, sizes)
        if taken is not None and _fits(op, sizes, taken, ROOM.wide, most_rows):
            return sizes
    found = (_alone(op, {**base, **choice}, most_rows) for base in alone)
    return next((sizes for sizes in found if sizes is not None), None)


def _fits(op: Op, sizes: Mapping[str, Literal], taken: int, most: int, most_rows: int) -> bool:
    return taken <= most and rows_of(op.with_overrides(sizes)) <= most_rows
