"""What a search found: the candidates that took their parent's place, and every step taken on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .evaluated import Evaluated
from .moved import Moved


@dataclass(frozen=True)
class Tried:
    """One technique on one parent. `effect` is time before / after, above 1 is faster: measured on the card
    with its 95 % `interval`, or, where that is None, estimated. `moved` is told of accepted steps."""

    transform: str
    parent: str | None
    child: str | None
    outcome: str
    effect: float | None
    reason: str
    kept: bool = False
    interval: tuple[float, float] | None = None
    moved: Moved | None = None

    @property
    def evidence(self) -> Literal["measured", "estimated"]:
        return "measured" if self.interval else "estimated"


@dataclass(frozen=True)
class Climb:
    """Every accepted candidate, plain one first, and every step taken on the way. `uncounted` says why no
    counters show what the steps moved, "" where they do or none could be expected; `spent` is what a writer's
    answers took, None where there were none; `notes` say what the report must not leave out."""

    accepted: tuple[Evaluated, ...]
    tried: tuple[Tried, ...]
    declined: str = ""
    uncounted: str = ""
    spent: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Evaluated | None:
        return self.accepted[-1] if self.accepted else None


class OutOfBudgetError(Exception):
    """The time or the number of candidates is used up."""
