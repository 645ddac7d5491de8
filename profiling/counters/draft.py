"""Builds the launches of an Nsight Compute report from cells: names, units and numbers as printed."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

from . import nvidia
from .ncu_rules import told_metrics, told_pipe, told_stalls
from .numerals import ABSENT, Marks, Token, token
from .record import CounterReport, Launch, Reading, Remark
from .units import converted, scalable, scaled, unit
from .vocabulary import vocabulary

# Keys that are counted in whole numbers: "1.024" of theirs is 1024 in any locale.
_WHOLE = frozenset(
    [
        "grid",
        "block",
        "regs",
        "units",
        *(f"limit_{what}" for what in ("blocks", "regs", "smem", "warps", "barriers")),
    ]
)
_DIM = re.compile(r"launch__(grid|block)_dim_([xyz])")
_CC = "device__attribute_compute_capability_"
_NAME = "device__attribute_display_name"
_MOST_PCT = 200  # throughput over its nominal peak is seen at 101 %; twice the peak is a misread number

Value = tuple[float, str]  # in the unit that nvidia.wanted() gives, and where it was read


@dataclass
class Draft:
    """One launch while its file is still being read."""

    kernel: str
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    device_name: str | None = None
    arch: str | None = None
    remarks: list[Remark] = field(default_factory=list)
    cells: dict[str, tuple[str, Token]] = field(default_factory=dict)  # metric -> unit, number
    values: dict[str, Value] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)  # dimensions and capability told by metrics


class Drafts:
    """The launches of one file, and what its numbers tell of the locale they were printed in."""

    def __init__(self) -> None:
        self.launches: list[Draft] = []
        self._marks = Marks()
        self._left_out: Counter[str] = Counter()
        self._example: dict[str, str] = {}

    def open(self, kernel: str, *, grid: str = "", block: str = "", capability: str = "") -> Draft:
        """A new launch; sizes as "(9, 32, 1)", the capability as "10.0"."""
        match = re.fullmatch(r"(\d+)[.,](\d)", capability.strip())
        arch = f"sm_{match[1]}{match[2]}" if match else None
        draft = Draft(kernel.strip(), triple(grid), triple(block), arch=arch)
        self.launches.append(draft)
        return draft

    def add(self, draft: Draft, label: str, spelling: str, text: str) -> None:
        """One cell: what the page calls the metric, its unit and its number, all as printed."""
        name = nvidia.named(label, spelling)
        if name is None:
            if label.startswith(("device__attribute_", "launch__")):
                self._attribute(draft, label, text)
                return
            if not spelling:
                return  # lists and names of all kinds: their commas are no decimal marks
        number = token(text)
        if isinstance(number, str):
            if name is not None and number != ABSENT:
                self.leave_out("is no number", f"{text.strip()[:40]!r} of {label}")
            return
        six = len(number.marks) == 1 and len(number.groups[-1]) == 6
        self._marks.see(number, of_c=bool(spelling) and (six or scalable(spelling)))
        if name is not None and name not in draft.cells:
            draft.cells[name] = (spelling, number)

    def put(self, draft: Draft, name: str, spelling: str, value: float | str | None) -> None:
        """One metric that comes as a number or string of its own, not as printed text."""
        if isinstance(value, str):
            self._attribute(draft, name, value)
        elif value is not None and math.isfinite(value):
            if name not in nvidia.wanted():
                self._attribute(draft, name, str(int(value)))
            elif (found := converted(Decimal(repr(value)), spelling, nvidia.wanted()[name])) is not None:
                draft.values[name] = (float(found), name)
            else:
                self.leave_out(f"is in a unit that kbgen does not know for it ({spelling})", name)

    def leave_out(self, why: str, what: str) -> None:
        """Counts a value or row that is not taken over, with the first example of each cause."""
        self._left_out[why] += 1
        self._example.setdefault(why, what)

    def report(self, notes: tuple[str, ...] = (), tool_version: str | None = None) -> CounterReport:
        """The launches with their readings, and a note for every kind of value that was left out."""
        launches = tuple(self._launch(index, draft) for index, draft in enumerate(self.launches))
        left_out = tuple(
            f"left out{f' ({count} of the kind)' if count > 1 else ''}: {self._example[why]} {why}."
            for why, count in self._left_out.items()
        )
        return CounterReport("ncu", launches, tool_version, (*notes, *left_out))

    def _attribute(self, draft: Draft, name: str, text: str) -> None:
        """What a metric tells of the device or the launch that is no reading."""
        if name == _NAME:
            draft.device_name = text.strip() or None
        elif (name.startswith(_CC) or _DIM.fullmatch(name)) and isinstance(number := token(text), Token):
            draft.known[name] = int(number.digits(0))

    def _launch(self, index: int, draft: Draft) -> Launch:
        for name, (spelling, number) in draft.cells.items():
            if (value := self._value(name, spelling, number)) is not None:
                draft.values.setdefault(name, (value, name))
        major, minor = draft.known.get(f"{_CC}major"), draft.known.get(f"{_CC}minor")
        arch = draft.arch or (f"sm_{major}{minor}" if major is not None and minor is not None else None)
        readings = {
            key: reading
            for key, reading in resolve(draft.values, draft.remarks, nvidia.family(arch)).items()
            if self._possible(key, reading)
        }
        grid = draft.grid or _dims(draft.known, "grid")
        flags = []
        if grid and "grid" in readings and math.prod(grid) != readings["grid"].value:
            flags.append(f"the grid is {grid} in one place and {readings['grid'].value:g} blocks in another")
        return Launch(
            index, draft.kernel, readings, grid, draft.block or _dims(draft.known, "block"),
            draft.device_name, arch, tuple(draft.remarks), tuple(flags),
        )  # fmt: skip

    def _value(self, name: str, spelling: str, number: Token) -> float | None:
        wanted = nvidia.wanted()[name]
        value = self._marks.value(number)
        if number.doubtful and number.marks == "." and scaled(spelling):
            value = number.digits(1)  # what the tool has scaled it prints the way of C
        elif value is None and number.doubtful and name in _whole_names():
            value = number.digits(0)
        elif value is None and number.doubtful and spelling == "%":
            value = number.digits(1)  # a thousand per cent is none
        what = f"{number.text!r} of {name}"
        if value is None:
            self.leave_out("has a mark that may be decimal or not, as the file does not tell", what)
            return None
        found = converted(value, spelling, wanted)
        if found is None:
            known = "in an unknown unit" if unit(spelling) is None else f"in {spelling or 'no unit'}"
            self.leave_out(f"is {known}, not in {wanted or 'a plain number'}", what)
            return None
        return float(found)

    def _possible(self, key: str, reading: Reading) -> bool:
        """Whether the value can be what its key says; what cannot is a misprint or a misread locale."""
        percent = vocabulary()[key].unit == "%"
        if reading.value < 0 or (percent and reading.value > _MOST_PCT):
            self.leave_out("cannot be", f"{reading.value:g} for {key}")
            return False
        if key in _WHOLE and not reading.value.is_integer():
            self.leave_out("is no whole number", f"{reading.value:g} for {key}")
            return False
        return True


@lru_cache(maxsize=1)
def _whole_names() -> frozenset[str]:
    return frozenset(name for key in _WHOLE for name in nvidia.metric_names(key))


def resolve(values: Mapping[str, Value], remarks: list[Remark], family: str | None) -> dict[str, Reading]:
    """Canonical keys from metrics: read, computed from their parts, or told by a rule."""
    known = {**told_metrics(remarks, values), **values}
    shares = told_stalls(remarks)
    readings: dict[str, Reading] = {}
    for key, entry in nvidia.metric_map().keys.items():
        names = dict.fromkeys([*nvidia.metric_names(key, family), *nvidia.metric_names(key)])
        if (name := next((name for name in names if name in known), None)) is not None:
            readings[key] = Reading(*known[name])
        elif entry.parts is not None and (computed := _computed(entry.parts, known)) is not None:
            readings[key] = computed
    cycles = readings.get("cycles_per_issue")
    for reason in nvidia.metric_map().stalls.reasons:
        key = f"stall_{reason}"
        (name,) = nvidia.metric_names(key)
        if name in known and cycles is not None and cycles.value > 0:
            readings[key] = Reading(known[name][0] / cycles.value, f"{name} / {cycles.source}")
        elif key in shares:
            readings[key] = shares[key]
    return {**told_pipe(remarks, values), **readings}


def _computed(parts: nvidia.Parts, known: Mapping[str, Value]) -> Reading | None:
    names = parts.sum or parts.product or parts.difference
    if any(name not in known for name in names):
        return None
    numbers = [known[name][0] for name in names]
    if parts.sum:
        return Reading(sum(numbers), " + ".join(names))
    if parts.product:
        return Reading(math.prod(numbers), " x ".join(names))
    return Reading(numbers[0] - sum(numbers[1:]), " - ".join(known[name][1] for name in names))


def triple(text: str) -> tuple[int, int, int] | None:
    """ "(9, 32, 1)" as numbers, None for anything else."""
    match = re.fullmatch(r"\(\s*(\d+),\s*(\d+),\s*(\d+)\s*\)", text.strip())
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def _dims(known: Mapping[str, int], what: str) -> tuple[int, int, int] | None:
    x, y, z = (known.get(f"launch__{what}_dim_{axis}") for axis in "xyz")
    return (x, y, z) if x is not None and y is not None and z is not None else None
