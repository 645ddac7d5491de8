"""Asks how the candidate behaves at full size, where its values cannot be had, and judges the answer.

The child walks through full size (`rehearsal.py`); here is what it needs for that, and what follows from it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from ....profiling.build import Input, build
from ....profiling.fakes import fakes
from ....profiling.op import Op, OpError
from ....profiling.source import Literal
from ..comparison.review import Reviewed
from ..inputs.places import is_level, rises
from ..inputs.setting import Setting, init_arguments
from ..interpreter.phantom import Rising
from ..process.exchange import Form, FullSize, StepReport
from ..reference.operators import takes_parts, words
from ..shapes.longest import CALLS, is_loop
from ..shapes.sizing import free_sizes, sizes_of
from ..shapes.whole_tiles import bytes_of
from ..text.candidate import with_constants
from ..verdict import CaseResult, Fault
from .at_sizes import OF_VALUES, BesidePlan
from .highest import Highest
from .record import Record


def full_size(
    record: Record, judged: Sequence[Setting], beside_plan: BesidePlan, scratch: Path
) -> FullSize | None:
    """The op as shipped, and sizes beside that; None where it cannot be described."""
    op = record.op
    cut = _cut_down(op, judged[0].op.overrides)

    def described(name: str, choices: Sequence[Mapping[str, Literal]]) -> FullSize | None:
        sizes = next((one for one in choices if _has(op, one, judged[0])), None)
        return None if sizes is None else _described(record, judged, op.with_overrides(sizes), name, scratch)

    found = _described(record, judged, op, "full", scratch)
    beyond = dict[str, FullSize]()
    for told, (name, sizes) in {_LARGER: ("beyond", _larger(cut)), _FARTHER: ("far", _far(op))}.items():
        within = [one for one in sizes if (bytes_of(op, one) or 0) < _REACH_BYTES]
        reached = described(name, within)
        beyond |= {told: reached} if reached is not None else {}
    if found is None:
        return None
    if any(dict(setting.op.overrides) == dict(op.overrides) for setting in judged):
        return replace(found, beyond=beyond, judged=True) if beyond else None
    asked = tuple(place for place, one in enumerate(judged) if one.name in OF_VALUES)
    return replace(
        found,
        tiles=tuple(case.step for case in beside_plan.all()),
        natural=len(beside_plan.natural),
        asked=asked,
        beside=described("beside", _one_less(cut)),
        beyond=beyond,
    )


def _cut_down(op: Op, small: Mapping[str, Literal]) -> dict[str, int]:
    """The sizes of some length that judged shapes cut down, the largest first."""
    sizes = {name: op.constants[name] for name in small if name in op.constants}
    whole = {name: size for name, size in sizes.items() if isinstance(size, int) and size >= _LARGE}
    return dict(sorted(whole.items(), key=lambda pair: -pair[1]))


_LARGE = 64


def _one_less(cut: Mapping[str, int]) -> list[dict[str, Literal]]:
    """The largest of them less one."""
    return [{name: size - 1} for name, size in list(cut.items())[:1]]


def _larger(cut: Mapping[str, int]) -> list[dict[str, Literal]]:
    """The two largest of them more than twice as large, odd or even, or else the largest, or three times."""
    sizes = [(name, 2 * size + size // 3) for name, size in cut.items()]
    found: list[dict[str, Literal]] = [
        {name: size + more for name, size in sizes[:few]} for few in (2, 1) for more in (1, 0)
    ]
    return found + [{name: 3 * size} for name, size in list(cut.items())[:1]]


def _far(op: Op) -> list[dict[str, Literal]]:
    """All of the op's sizes that are short at full size beyond a thousand, or else the two largest of them,
    or one: a grid that is cut to a round number fills what a single long axis makes of it. None of a loop,
    whose steps take as long as the walk has."""
    full = sizes_of(op.constants)
    short = [name for name in free_sizes(op) if _SHORTEST < full.get(name, 0) <= _SHORT]
    short.sort(key=lambda name: -full[name])
    if len(op.footprint().calls) > CALLS or any(is_loop(op, name) for name in short):
        return []
    return [dict.fromkeys(short[:few], _FAR) for few in (len(short), 2, 1) if len(short) >= few > 0]


_LARGER, _FARTHER = "its largest sizes twice as large", "its short sizes beyond a thousand"

_SHORTEST, _SHORT, _FAR = 4, 512, 1011
"""Fewer elements are parts of a whole; more of them are long already."""


def _has(op: Op, sizes: Mapping[str, Literal], small: Setting) -> bool:
    """Whether the op has such sizes, by more than chance. Nobody checks places that are looked up in what has
    no values: an op that reckons some has an answer, too, at small sizes that leave the same remainders."""
    if bytes_of(op, sizes) is None or op.holds_by_chance(sizes):
        return False
    if small.operators.isdisjoint(_LOOKS_UP):
        return True
    usual = sizes_of({**op.constants, **small.op.overrides})
    alike = {name: usual[name] + (size - usual[name]) % _PACKED for name, size in sizes_of(sizes).items()}
    return op.is_sound({**small.op.overrides, **alike})


_LOOKS_UP = words("index index_select gather take embedding")

_PACKED = 64
"""Elements of which what is packed, or kept in blocks, has a whole number."""


_REACH_BYTES = 1 << 31
"""Beyond full size, offsets of 32 bits need not suffice."""


def _described(
    record: Record,
    judged: Sequence[Setting],
    op: Op,
    name: str,
    scratch: Path,
) -> FullSize | None:
    try:
        args, kwargs = init_arguments(op, record.seed)
        with fakes(), Highest() as highest:
            _, inputs = build(op.module(), op.path, record.seed)
    except OpError:
        return None
    file = scratch / f"candidate_{name}.py"
    file.write_text(with_constants(record.source, op.overrides), encoding="utf-8")
    forms: list[Form | Input] = [
        (
            tuple(map(int, one.shape)),
            tuple(map(int, one.stride())),
            one.dtype,
            beginnings(judged, inputs, place) or highest.of(one),
        )
        if isinstance(one, torch.Tensor)
        else one
        for place, one in enumerate(inputs)
    ]
    return FullSize(str(file.resolve()), args, kwargs, record.seed, forms)


def beginnings(judged: Sequence[Setting], inputs: Sequence[Input], place: int) -> Rising | None:
    """What stands in a row that rises at judged shapes and falls at none: numbers up to the length of the
    axis that it ends at there, or else up to its own."""
    rows = [one for setting in judged if isinstance(one := setting.shipped[place], torch.Tensor)]
    if not any(map(rises, rows)) or not all(rises(one) or is_level(one) for one in rows):
        return None
    ends = [int(row[-1]) for row in rows]
    for other, value in enumerate(inputs):
        for axis in range(value.ndim) if isinstance(value, torch.Tensor) and other != place else ():
            if [_length(setting.shipped[other], axis) for setting in judged] == ends:
                return Rising(_length(value, axis))
    return Rising(_length(inputs[place], 0) - 1)


def _length(value: Input, axis: int) -> int:
    assert isinstance(value, torch.Tensor)
    return int(value.shape[axis])


def as_at_full_size(one: Reviewed, forced: str) -> Reviewed:
    """A call at a small shape with conditions as full size has them: a fault there leaves full size open."""
    if not forced or one.fault is None:
        return one
    why = f"full size alone has {forced}; a judged call with that fails: {one.fault.detail}"
    return replace(one, fault=Fault("unjudged-path", why))


def dropped(name: str, why: str, report: StepReport) -> Reviewed:
    """A call without a right answer; where it was to stand for conditions of full size, they stay open."""
    result = CaseResult(name, "dropped", why)
    if report.tiles != 0:
        return Reviewed(result)
    return Reviewed(result, Fault("unjudged-path", f"what full size alone has cannot be judged: {why}"))


def at_full_size(
    record: Record,
    rehearsed: Mapping[str, Any] | None,
    reports: Sequence[StepReport],
    operators: Collection[str],
) -> Fault | None:
    """What speaks against a candidate that made no mistake at the judged shapes; `operators` of the op."""
    if rehearsed is None:
        return None
    if rehearsed["why_not"]:
        record.notes.append(f"full size was not walked through to its end ({rehearsed['why_not']})")
    for cause, detail in rehearsed["faults"]:
        return Fault(cause, detail)
    for unread in rehearsed["unread"].values() if not takes_parts(operators) else ():
        return Fault("hard-coded-shape", f"right at the judged shapes, but {unread}")
    seen = {launch.split("[")[0] for report in reports for launch in report.launches}
    strange = [name for name in rehearsed["kernels"] if name not in seen]
    if strange:
        return Fault(
            "unjudged-path", f"at full size it launches {', '.join(strange)}, which no judged call did"
        )
    modes = {mode for report in reports for mode in report.dot_precisions}
    lower = [mode for mode in rehearsed["modes"] if mode not in modes]
    if lower:
        return Fault(
            "unjudged-path", f"at full size it multiplies in {', '.join(lower)}, as no judged call did"
        )
    return None
