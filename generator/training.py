"""Exports the library's lessons as training data: rows of JSON, or KernelBench's folders.

    export(library, Path("sft.jsonl"), "sft").rows

The same library gives the same bytes, whenever and wherever it is exported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import KbgenError, __version__
from ..kb.lessons import Lessons, choose, pairs
from ..kb.library import Library
from ..kb.records import Episode, Task
from ..profiling.op import load_op
from ..profiling.trace import trace
from .kernelbench import write_folders
from .lesson_row import preference_row, sft_row
from .prompts.prompt import VERSION
from .report.files import write_whole
from .training_forms import MARGIN, Format


class TrainingError(KbgenError):
    """Data cannot be exported as asked."""


@dataclass(frozen=True)
class Exported:
    """What was written where; `withheld` are the ids of records by why they were left out, `unranked` those
    of lessons that stand in no pair (None where no pairs were asked for)."""

    format: Format
    path: Path
    rows: int
    lessons: int
    withheld: Mapping[str, Sequence[str]]
    unranked: tuple[str, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """The counts; the ids stand in the manifest."""
        return {
            "format": self.format,
            "path": str(self.path),
            "rows": self.rows,
            "lessons": self.lessons,
            **({} if self.unranked is None else {"unranked": len(self.unranked)}),
            "withheld": {reason: len(names) for reason, names in self.withheld.items()},
        }


def export(
    library: Library, out: Path, form: Format, *,
    ops: Path | None = None, licence: str = "", margin: float = MARGIN,
) -> Exported:  # fmt: skip
    """Write `out`: a file of JSON lines with its manifest beside it, or a folder of files with it inside.
    `ops` is a folder of op files for records that hold none, `licence` is for op files that state none."""
    found = choose(library, licence, _finder(ops))
    try:
        made = _written(found, out, form, margin)
    except OSError as error:
        raise TrainingError(f"{out} cannot be written ({error.strerror}); give another place.") from None
    name = "manifest.json" if form == "kernelbench" else f"{out.name}.manifest.json"
    manifest = {
        "schema": "kbgen/training-manifest/1",
        "kbgen": __version__,
        "prompt": VERSION,
        "format": form,
        "rows": made.rows,
        "lessons": made.lessons,
        "withheld": made.withheld,
        **({"unranked": made.unranked, "margin": margin} if made.unranked is not None else {}),
    }
    text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False)
    write_whole((out if form == "kernelbench" else out.parent) / name, f"{text}\n")
    return made


def _written(found: Lessons, out: Path, form: Format, margin: float) -> Exported:
    if form == "kernelbench":
        return Exported(form, out, write_folders(found.chosen, out), len(found.chosen), found.withheld)
    if out.is_dir():
        raise TrainingError(f"{out} is a folder; give the name of a file, such as {out}/{form}.jsonl.")
    if form == "sft":
        rows, unranked = [sft_row(lesson) for lesson in found.chosen], None
    else:
        ranked = pairs(found.chosen, margin)
        rows = [preference_row(pair) for pair in ranked]
        of_pairs = {one.record for pair in ranked for one in (pair.fast, pair.slow)}
        unranked = tuple(one.record for one in found.chosen if one.record not in of_pairs)
    lines = (json.dumps(row, sort_keys=True, ensure_ascii=False, allow_nan=False) for row in rows)
    write_whole(out, "".join(f"{line}\n" for line in lines))
    return Exported(form, out, len(rows), len(found.chosen), found.withheld, unranked)


def _finder(ops: Path | None) -> Callable[[Episode], Task | None]:
    """Finds a record's op file by the fingerprint of its graph; what cannot be traced is passed over."""
    if ops is not None and not ops.is_dir():
        raise TrainingError(f"{ops} is no folder; give --ops a folder of op files.")
    known: dict[str, Task] = {}
    for path in sorted(ops.glob("*.py")) if ops else ():
        try:
            traced = trace(load_op(path, {}))
        except KbgenError:
            continue
        known[traced.fingerprint] = Task(traced.op.source, (), traced.mode, "", ())
    return lambda episode: known.get(episode.fingerprint)
