"""Judges op files against themselves: a reference offered as a candidate must never be refused.

What torch computes is right by definition, so a refusal is the judge's own mistake. An op that no judge can
decide (its output is constant, or random) is named apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from .. import KbgenError
from ..profiling.op import load_op
from .side_by_side import each
from .verify.judge import verify

DEGENERATE = ("degenerate", "random")


@dataclass(frozen=True)
class Reference:
    """The verdict on one op file's own Model; `word` is "error" where no judgement could begin."""

    op: str
    word: str
    cause: str
    detail: str
    seconds: float

    @property
    def degenerate(self) -> bool:
        return self.word == "inconclusive" and self.cause in DEGENERATE


def judge_references(
    folder: Path, scratch: Path, say: Callable[[str], None], jobs: int = 1
) -> tuple[Reference, ...]:
    """Each op file of `folder`, its Model renamed ModelNew, any library call allowed; raises KbgenError."""
    files = sorted(folder.glob("*.py")) if folder.is_dir() else []
    if not files:
        raise KbgenError(f"{folder} holds no op file; give a folder of files with a class Model each.")
    found = list[Reference]()
    for one in each(_judge, [(path, scratch / path.stem) for path in files], jobs):
        found.append(one)
        say(f"{len(found)}/{len(files)} reference {one.op}: {one.cause or one.word}")
    return tuple(found)


def _judge(asked: tuple[Path, Path]) -> Reference:
    path, scratch = asked
    begun = monotonic()
    try:
        scratch.mkdir(parents=True)
        candidate = scratch / "candidate.py"
        candidate.write_text(as_candidate(path.read_text(encoding="utf-8")), encoding="utf-8")
        verdict = verify(candidate, load_op(path), None, scratch=scratch / "judged", allowed_calls=("*",))
        word, cause, detail = verdict.word, verdict.cause or "", verdict.detail
    except KbgenError as error:
        word, cause, detail = "error", "", str(error)
    return Reference(path.stem, word, cause, detail, round(monotonic() - begun, 2))


def as_candidate(source: str) -> str:
    """The op file with its class Model, wherever it is named, spelt ModelNew."""
    return re.sub(r"\bModel\b", "ModelNew", source)
