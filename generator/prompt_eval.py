"""Measures prompts: whether each keeps its token budget, and whether what it cites really stands in it.

    measure([Path("examples")], "h100", library).to_json()["over"]

Each op file is traced and diagnosed; nothing is compiled and no model is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from .. import KbgenError
from ..kb.chunk import chunk
from ..kb.library import Library
from ..profiling.device import Device, detect
from ..profiling.op import load_op
from ..profiling.trace import trace
from .by_hand import briefed
from .job import Event
from .loop import Say
from .prompts.prompt import Prompt, PromptError
from .prompts.quoting import blunted
from .prompts.tasks import draft

_ANY = 10**9
"""A budget that everything fits into."""

_MARK = re.compile(r'<passage id="([^"]*)"')


class NoOpsError(KbgenError):
    """No op file is where they were said to be."""


@dataclass(frozen=True)
class Row:
    """One op file. `tokens` is the prompt's size counted from above, None where none could be made; `room` is
    what its budget leaves beside what must be said, for a kernel to improve and a complaint; `misquoted` are
    the ids of passages that are cited and do not stand in the prompt as the library has them, or stand in it
    and are not cited."""

    op: str
    tokens: int | None = None
    room: int | None = None
    passages: int = 0
    misquoted: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    fault: str = ""


@dataclass(frozen=True)
class Prompts:
    """The rows in the order of the folders."""

    gpu: str
    budget: int
    rows: tuple[Row, ...]

    def to_json(self) -> dict[str, Any]:
        """The figures over all rows, then the rows; `over` counts prompts beyond their budget, and op files
        whose must-be-said alone is beyond it."""
        sizes = [row.tokens for row in self.rows if row.tokens is not None]
        rooms = [row.room for row in self.rows if row.room is not None]
        return {
            "gpu": self.gpu,
            "budget": self.budget,
            "prompts": len(sizes),
            "over": sum(row.tokens is None or row.tokens > self.budget for row in self._asked()),
            "faults": len(self.rows) - len(self._asked()),
            "tokens": {"least": min(sizes), "median": median(sizes), "most": max(sizes)} if sizes else None,
            "least_room": min(rooms, default=None),
            "passages": sum(row.passages for row in self.rows),
            "misquoted": sum(len(row.misquoted) for row in self.rows),
            "rows": [asdict(row) for row in self.rows],
        }

    @property
    def right(self) -> bool:
        """Whether every prompt keeps its budget and its word."""
        found = self.to_json()
        return not found["over"] and not found["misquoted"] and bool(found["prompts"])

    def _asked(self) -> list[Row]:
        """Rows that came as far as a prompt, or failed to for want of room alone."""
        return [row for row in self.rows if not row.fault or row.room is not None]


def measure(
    places: Sequence[Path], gpu: str, library: Library, *, budget: int, say: Say = lambda event: None
) -> Prompts:
    """The prompts for the op files among `places`, which are such files or folders of them."""
    device = detect(gpu)
    known = {one.id: one.text for page in library.pages() for one in chunk(page.id, page.title, page.body)}
    rows = []
    for path in _op_files(places):
        say(Event("prompt", path.stem))
        rows.append(_row(path, device, library, known, budget))
    return Prompts(device.spec.id, budget, tuple(rows))


def _op_files(places: Sequence[Path]) -> Iterator[Path]:
    for place in places:
        found = sorted(place.glob("*.py")) if place.is_dir() else [place]
        if not found:
            raise NoOpsError(f"{place} holds no op file; give .py files in KernelBench's form, or folders.")
        yield from found


def _row(path: Path, device: Device, library: Library, known: Mapping[str, str], budget: int) -> Row:
    try:
        traced = trace(load_op(path, {}))
        briefing = briefed(traced, device, "fp32", library)
    except KbgenError as error:
        return Row(path.stem, fault=str(error))
    needed = replace(briefing, parts=tuple(part for part in briefing.parts if part.needed))
    least = draft(needed, None, _ANY).tokens
    try:
        prompt = draft(briefing, None, budget)
    except PromptError as error:
        return Row(path.stem, room=budget - least, fault=str(error))
    return Row(
        path.stem,
        prompt.tokens,
        budget - least,
        len(prompt.passages),
        misquoted(prompt, known),
        prompt.left_out,
    )


def misquoted(prompt: Prompt, known: Mapping[str, str]) -> tuple[str, ...]:
    """Ids whose passage does not stand in the prompt exactly once and whole, or is not cited."""
    shown = _MARK.findall(prompt.user)
    wrong = {name for name in shown if name not in prompt.passages}
    for name in prompt.passages:
        text = blunted(known.get(name, "")).strip()
        if shown.count(name) != 1 or not text or f">\n{text}\n</passage>" not in prompt.user:
            wrong.add(name)
    return tuple(sorted(wrong))
