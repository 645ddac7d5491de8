"""Measures the judge: cheats it refuses for the right cause, honest kernels it passes, references it spares.

    evaluate_judge(*folders(None, None, None)).to_json()["total"]

A cheat that is refused for another cause than its own counts as wrong: the judge was lucky, not right.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

from .exhibits import PASSED, Exhibit, ExhibitError, read_exhibits
from .job import Event
from .references import Reference, judge_references
from .side_by_side import cores_of, each
from .verify.verdict import OPEN_CAUSES, Verdict

Say = Callable[[Event], None]
BROKEN = "error"
"""Of a judgement that ended without a verdict."""

PARTS = ("scan", "shapes", "reference", "child start", "calls", "full size", "compare", "apart", "controls")


@dataclass(frozen=True)
class Row:
    """One candidate: what was expected, what the judge said, and where the seconds went."""

    name: str
    op: str
    kind: str
    expected: str
    got: str
    detail: str
    seconds: float
    split: dict[str, float]

    @property
    def right(self) -> bool:
        return self.got == self.expected

    @property
    def refused(self) -> bool:
        """Whatever for: neither passed nor left open."""
        return self.got not in (PASSED, BROKEN, *OPEN_CAUSES)


@dataclass(frozen=True)
class JudgeResult:
    """All rows; `layers` are the isolation layers that every child had, `cores` how many each judgement had
    of its own, 0 where they shared them."""

    rows: tuple[Row, ...]
    references: tuple[Reference, ...]
    layers: tuple[str, ...]
    seconds: float
    cores: int

    @property
    def right(self) -> bool:
        """Every candidate got what it must, and no reference was refused."""
        refused = any(one.word in ("failed", "error") for one in self.references)
        return all(row.right for row in self.rows) and not refused

    def to_json(self) -> dict[str, Any]:
        """Totals, per exploit class, per part of the time, and every row."""
        cheats = [row for row in self.rows if row.expected != PASSED]
        honest = [row for row in self.rows if row.expected == PASSED]
        kinds = sorted({row.kind for row in cheats})
        return {
            "right": self.right,
            "total": {
                "cheats": {**_share(cheats), "refused": sum(row.refused for row in cheats)},
                "honest": _share(honest),
                **self._reference_totals(),
            },
            "classes": [{"class": kind, **_share([r for r in cheats if r.kind == kind])} for kind in kinds],
            "seconds": self._times(),
            "layers": self.layers,
            "rows": [{**asdict(row), "right": row.right} for row in self.rows],
            "references": [asdict(one) for one in self.references],
        }

    def _reference_totals(self) -> dict[str, Any]:
        if not self.references:
            return {}
        judgeable = [one for one in self.references if not one.degenerate]
        return {
            "references": {
                "passed": sum(one.word == "passed" for one in judgeable),
                "refused": [one.op for one in judgeable if one.word in ("failed", "error")],
                "undecided": [one.op for one in judgeable if one.word == "inconclusive"],
                "degenerate": [f"{one.op} ({one.cause})" for one in self.references if one.degenerate],
                "total": len(judgeable),
            }
        }

    def _times(self) -> dict[str, Any]:
        """Wall-clock seconds; the split is over candidates that ran, those refused by their text did not."""
        ran = [row for row in self.rows if row.split]
        return {
            "total": self.seconds,
            "cores": self.cores,
            "ran": len(ran),
            "median": _median([row.seconds for row in ran]),
            "median of passed": _median([row.seconds for row in ran if row.got == PASSED]),
            "longest": max((row.seconds for row in ran), default=0.0),
            "split": {part: _median([row.split[part] for row in ran]) for part in PARTS},
        }


def _share(rows: Sequence[Row]) -> dict[str, int]:
    return {"right": sum(row.right for row in rows), "total": len(rows)}


def _median(values: Sequence[float]) -> float:
    return round(median(values), 3) if values else 0.0


def folders(cheats: Path | None, honest: Path | None, ops: Path | None) -> tuple[Path, Path, Path]:
    """The folders given, and for the others a checkout's own; raises ExhibitError where this is none."""
    if cheats and honest and ops:
        return cheats, honest, ops
    tests = Path(__file__).parents[1] / "tests"
    own = (tests / "cheats", tests / "honest", tests / "generator" / "verify" / "ops")
    if not all(folder.is_dir() for folder in own):
        raise ExhibitError(
            "cheats and honest kernels belong to the project's tests, which an installed kbgen does not "
            "have; run in a checkout, or give --cheats, --honest and --ops."
        )
    return cheats or own[0], honest or own[1], ops or own[2]


def evaluate_judge(
    cheats: Path, honest: Path, ops: Path, *,
    references: Path | None = None, jobs: int = 1, on_event: Say | None = None,
) -> JudgeResult:  # fmt: skip
    """Judge every candidate of both folders, then every reference, `jobs` at once; raises KbgenError before
    the first. Seconds are those of a judgement alone where each has cores of its own."""
    say = on_event or (lambda event: None)
    exhibits = (*read_exhibits(cheats, ops), *read_exhibits(honest, ops))
    begun = monotonic()
    rows, layers = [], set[tuple[str, ...]]()
    with tempfile.TemporaryDirectory(prefix="kbgen-judge-") as temporary:
        scratch = Path(temporary)
        places = [scratch / one.path.parent.name / one.path.stem for one in exhibits]
        for row, held in each(_row, tuple(zip(exhibits, places, strict=True)), jobs):
            rows.append(row)
            layers |= {held} if held else set()
            say(Event("judge", f"{len(rows)}/{len(exhibits)} {row.name}: {row.got}"))
        judged = (
            judge_references(references, scratch / "references", lambda text: say(Event("judge", text)), jobs)
            if references
            else ()
        )
    common = tuple(layer for layer in next(iter(layers), ()) if all(layer in one for one in layers))
    shares = cores_of(jobs)
    cores = len(shares[0]) if jobs == 1 or shares[0] != shares[1] else 0
    return JudgeResult(tuple(rows), judged, common, round(monotonic() - begun, 1), cores)


def _row(asked: tuple[Exhibit, Path]) -> tuple[Row, tuple[str, ...]]:
    """A judgement that breaks off is a wrong row of its own: those after it are still made."""
    exhibit, scratch = asked
    begun, told = monotonic(), (exhibit.path.stem, exhibit.op_path.stem, exhibit.kind, exhibit.expected)
    try:
        verdict = exhibit.judge(scratch)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        return Row(*told, BROKEN, why, round(monotonic() - begun, 3), {}), ()
    taken, got = round(monotonic() - begun, 3), verdict.cause or PASSED
    return Row(*told, got, verdict.detail, taken, split(verdict)), verdict.layers


def split(verdict: Verdict) -> dict[str, float]:
    """Where the seconds of a judgement went; empty where the text alone decided.

    The reference runs beside the child. Calls count once as they go by, though two processes make them. What
    the child does besides these and the walk through full size (it starts, reads inputs, leaves outputs)
    counts as its start. Children of their own, at full size itself, at its axes and at lone sizes, come after
    it: `apart`.
    """
    if "child" not in verdict.seconds:
        return {}
    taken = dict(verdict.seconds)
    inside = taken.get("calls", 0.0) + taken.get("full size", 0.0)
    taken["child start"] = max(0.0, taken["child"] - inside)
    return {part: round(taken.get(part, 0.0), 3) for part in PARTS}
