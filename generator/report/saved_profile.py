"""Reads back a profile that `kbgen profile --out` saved: its counted launches, or its diagnosis alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ... import KbgenError
from ...profiling.classify import Bottleneck, Diagnosis
from ...profiling.counters.record import CounterReport, Launch
from ...profiling.counters.vocabulary import vocabulary
from ...profiling.profile import Level
from ...profiling.rules import Confidence, rule_book

SCHEMA = "kbgen/profile/1"
LONGEST = 256 << 20  # bytes of a saved profile that are read


class SavedProfileError(KbgenError):
    """A file that is no saved profile of kbgen."""


@dataclass(frozen=True)
class SavedProfile:
    """`counters` is None where nothing was counted; then `diagnosis` is what the file says."""

    name: str
    family: str | None
    device: str | None
    counters: CounterReport | None
    diagnosis: Diagnosis


class _Found(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    cls: str = Field(alias="class")
    confidence: Confidence
    evidence: str
    kernel: str = ""


class _Document(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    schema_: Literal["kbgen/profile/1"] = Field(alias="schema")
    op: str
    family: str | None = None
    device: str | None = None
    level: Level | None = None
    bottlenecks: tuple[_Found, ...] | None = None
    undecided: tuple[str, ...] | None = None
    counters: CounterReport | None = None


def is_saved(path: Path) -> bool:
    """Whether the file begins as a saved profile does."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    with path.open("rb") as file:
        return b'"kbgen/profile/' in file.read(200)


def read_saved(path: Path) -> SavedProfile:
    """The profile; readings under keys that are not in the vocabulary are left out, and its notes say so."""
    again = "profile again with `kbgen profile --out FILE`"
    if path.stat().st_size > LONGEST:
        raise SavedProfileError(f"{path} has more than {LONGEST >> 20} MiB, which no profile has; {again}.")
    try:
        found = _Document.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise SavedProfileError(f"{path} is no saved profile: {place}: {first['msg']}; {again}.") from None
    return SavedProfile(
        name=found.op,
        family=found.family,
        device=found.device,
        counters=_known(found.counters) if found.counters else None,
        diagnosis=_diagnosis(found),
    )


def _known(report: CounterReport) -> CounterReport:
    """The report without readings under unknown keys, or that are no numbers."""
    known = vocabulary()
    strange: dict[str, None] = {}
    launches: list[Launch] = []
    for launch in report.launches:
        kept = {}
        for key, reading in launch.readings.items():
            if key in known and math.isfinite(reading.value):
                kept[key] = reading
            else:
                strange[key] = None
        launches.append(replace(launch, readings=kept))
    notes = (f"left out, not in the vocabulary: {', '.join(strange)}",) if strange else ()
    return replace(report, launches=tuple(launches), notes=(*report.notes, *notes))


def _diagnosis(found: _Document) -> Diagnosis:
    """Classes that this release does not know are left out."""
    classes = rule_book().classes
    bottlenecks = tuple(
        Bottleneck(one.cls, one.confidence, one.evidence, "saved", one.kernel, 0.0, classes[one.cls].remedies)
        for one in found.bottlenecks or ()
        if one.cls in classes
    )
    return Diagnosis(bottlenecks, found.undecided or (), None, found.level or "D")
