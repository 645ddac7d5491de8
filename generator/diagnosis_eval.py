"""Measures the diagnosis on profiles of known cause: with their counters, and with the counters withheld.

    evaluate_diagnosis(None).to_json()["totals"]

At level A a profile counts as right only if the class that its label puts first comes first. Without counters
there is a third outcome: a class that then cannot be told must be left open, neither right nor wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from .. import KbgenError
from ..profiling.classify import Diagnosis, classify_launch
from ..profiling.counters.level import without_counters
from ..profiling.rules import rule_book
from .labelled import Labelled, independent_profiles, labelled_profiles, measured_profiles

Level = Literal["A", "B"]
Outcome = Literal["right", "also right", "open", "wrong"]

WANTED = 0.95
"""Share of profiles, of each set and split, whose first class must be one that the label allows."""


class EvaluationError(KbgenError):
    """There are no labelled profiles to measure on."""


@dataclass(frozen=True)
class Row:
    """One profile at one level. `outcome` "also right": the first class is one that the label allows beside
    its own; "open": the label's class is among the undecided. `unseen` are contributors not found."""

    name: str
    origin: str  # "labelled", "independent", or the card it was measured on
    split: str
    level: Level
    expected: str
    got: str
    confidence: str
    outcome: Outcome
    unseen: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class DiagnosisEval:
    """All rows, level A before level B."""

    rows: tuple[Row, ...]

    @property
    def right(self) -> bool:
        """Whether at level A every set and split reaches the share that is wanted."""
        return all(group["accepted"] >= WANTED for group in self.totals() if group["level"] == "A")

    def totals(self) -> list[dict[str, Any]]:
        """Per set, split and level: `top1` over all, `accepted` with the also right, `of_decided` over those
        that were not left open."""
        groups = dict.fromkeys((row.origin, row.split, row.level) for row in self.rows)
        return [self._total(*group) for group in groups]

    def _total(self, origin: str, split: str, level: Level) -> dict[str, Any]:
        rows = [row for row in self.rows if (row.origin, row.split, row.level) == (origin, split, level)]
        count = Counter(row.outcome for row in rows)
        decided = len(rows) - count["open"]
        return {
            "origin": origin,
            "split": split,
            "level": level,
            "profiles": len(rows),
            **{outcome.replace(" ", "_"): count[outcome] for outcome in get_args(Outcome)},
            "top1": round(count["right"] / len(rows), 4),
            "accepted": round((count["right"] + count["also right"]) / len(rows), 4),
            "of_decided": round(count["right"] / decided, 4) if decided else None,
            "contributors_unseen": sum(len(row.unseen) for row in rows),
        }

    def confusion(self) -> list[dict[str, Any]]:
        """Per class and level: how many profiles it labels, and what came first for them."""
        found = []
        for level in ("A", "B"):
            for name in (*rule_book().classes, "unclassified"):
                got = Counter(row.got for row in self.rows if (row.level, row.expected) == (level, name))
                if got:
                    said = ", ".join(f"{other} {count}" for other, count in got.most_common())
                    counts = {"profiles": got.total(), "right": got[name]}
                    found.append({"level": level, "class": name, **counts, "first": said})
        return found

    def to_json(self) -> dict[str, Any]:
        """Totals, the confusion table, every miss, and every row."""
        wrong = [row for row in self.rows if row.outcome == "wrong"]
        return {
            "right": self.right,
            "wanted": WANTED,
            "totals": self.totals(),
            "confusion": self.confusion(),
            "missed": [asdict(row) for row in wrong],
            "rows": [asdict(row) for row in self.rows],
        }


def evaluate_diagnosis(folder: Path | None = None) -> DiagnosisEval:
    """Diagnoses every labelled and measured profile below `folder`, by default a checkout's own tests; raises
    EvaluationError where there are none. Level B takes a timing: it leaves out those with counters alone."""
    root = folder or Path(__file__).parents[1] / "tests" / "profiling"
    timed = [*labelled_profiles(root / "labelled"), *measured_profiles(root)]
    profiles = [*timed, *independent_profiles(root / "independent")]
    if not profiles:
        raise EvaluationError(
            f"{root} holds no labelled profiles (labelled/manifest.yaml); they belong to the project's "
            "tests, which an installed kbgen does not have: run in a checkout, or give the folder."
        )
    return DiagnosisEval((*_rows(profiles, "A"), *_rows(timed, "B")))


def _rows(profiles: Sequence[Labelled], level: Level) -> Iterator[Row]:
    for profile in profiles:
        if level == "A":
            found, expected = classify_launch(profile.launch, profile.spec), profile.expected
        else:
            found = classify_launch(without_counters(profile.launch), profile.spec, profile.known)
            expected = profile.expected_b or profile.expected
        yield _row(profile, level, expected, found)


def _row(profile: Labelled, level: Level, expected: str, found: Diagnosis) -> Row:
    first = found.bottlenecks[0]
    names = {hit.cls for hit in found.bottlenecks}
    unseen = tuple(name for name in profile.contributors if name not in names) if level == "A" else ()
    return Row(
        name=profile.name,
        origin=profile.origin,
        split=profile.split,
        level=level,
        expected=expected,
        got=first.cls,
        confidence=first.confidence,
        outcome=_outcome(expected, first.cls, found.undecided, profile.also),
        unseen=unseen,
        why=profile.why,
    )


def _outcome(expected: str, got: str, undecided: Sequence[str], also: Sequence[str]) -> Outcome:
    """A class left undecided is open only where nothing else was put in its place."""
    if got == expected:
        return "right"
    if got in also:
        return "also right"
    return "open" if got == "unclassified" and expected in undecided else "wrong"
