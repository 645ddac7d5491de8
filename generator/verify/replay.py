"""Judges again what a verdict was about, with the same seeds, and says whether the answer is the same.

The verdict carries both sources, so it can be repeated where the files are gone or have moved on; what has
changed since is listed beside.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import KbgenError
from ...hardware_specs.spec import find_spec
from ...profiling.op import Op
from ...profiling.sandbox import Limits
from .judge import verify
from .stages.record import digest, versions
from .verdict import CaseResult, Verdict, from_json


class ReplayError(KbgenError):
    """A file that holds no verdict, or none that can be repeated."""


@dataclass(frozen=True)
class Replayed:
    """`same` = the same word and cause; `differences` are sentences on what came out otherwise, `changed` on
    what went in otherwise: files, versions, layers."""

    verdict: Verdict
    same: bool
    differences: tuple[str, ...]
    changed: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The new verdict, with what the comparison says under `replayed`."""
        told = {"same": self.same, "differences": list(self.differences), "changed": list(self.changed)}
        return {**self.verdict.to_json(), "replayed": told}


def replay(path: Path, scratch: Path) -> Replayed:
    """Repeat the verdict in `path`, which `kbgen verify --json` wrote, or an optimize run as report.json."""
    document = _read(path)
    asked, before = document["replay"], from_json(document)
    folder = scratch / "sources"
    folder.mkdir(parents=True, exist_ok=True)
    candidate, op_file = folder / Path(asked["candidate"]).name, Path(asked["op"])
    if candidate.name == op_file.name:
        candidate = folder / f"candidate_{candidate.name}"
    candidate.write_text(asked["candidate_source"], encoding="utf-8")
    (folder / op_file.name).write_text(asked["op_source"], encoding="utf-8")
    op = Op(folder / op_file.name, asked["op_source"], {}, {})
    spec = find_spec(asked["device"]) if asked["device"] else None
    verdict = verify(
        candidate, op.with_overrides(asked["overrides"]), spec,
        precision=asked["precision"], mode=asked["mode"], scratch=scratch / "judge", seed=asked["seed"],
        allowed_calls=asked["allowed_calls"], limits=Limits(**asked["limits"]),
    )  # fmt: skip
    same = (verdict.word, verdict.cause) == (before.word, before.cause)
    return Replayed(
        verdict, same, tuple(_differences(before, verdict)), tuple(_changed(asked, before, verdict))
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReplayError(
            f"{path} cannot be read as JSON ({error}); give what `kbgen verify --json` wrote."
        ) from error
    if isinstance(document, dict) and isinstance(document.get("verdict"), dict):
        document = document["verdict"]
    held = document.get("replay") if isinstance(document, dict) else None
    if not isinstance(held, dict) or "candidate_source" not in held or "limits" not in held:
        raise ReplayError(
            f"{path} holds no verdict that can be repeated; give what `kbgen verify --json` wrote."
        )
    return dict(document)


def _differences(before: Verdict, now: Verdict) -> Iterator[str]:
    if (before.word, before.cause) != (now.word, now.cause):
        yield f"the verdict was {_told(before)}, and is {_told(now)}"
    elif before.detail != now.detail:
        yield f"the detail was {before.detail!r}, and is {now.detail!r}"
    cases = {case.name: case for case in before.cases}
    for case in now.cases:
        was = cases.get(case.name)
        if was is None:
            yield f"{case.name} was not among the cases"
        elif _compared(was) != _compared(case) and "skipped" not in (was.outcome, case.outcome):
            yield f"{case.name} was {_outcome(was)}, and is {_outcome(case)}"


def _changed(asked: Mapping[str, Any], before: Verdict, now: Verdict) -> Iterator[str]:
    for name in ("candidate", "op"):
        path = Path(asked[name])
        if not path.is_file():
            yield f"{path} is no longer there; its text in the verdict was judged"
        elif digest(path.read_text(encoding="utf-8", errors="replace")) != asked[f"{name}_sha256"]:
            yield f"{path} has changed since; its text in the verdict was judged"
    for name, version in versions().items():
        if before.versions.get(name) != version:
            yield f"{name} was {before.versions.get(name)}, and is {version}"
    if set(before.layers) != set(now.layers):
        yield f"the layers were {', '.join(before.layers)}, and are {', '.join(now.layers)}"


def _told(verdict: Verdict) -> str:
    return f"{verdict.word} ({verdict.cause})" if verdict.cause else verdict.word


def _compared(case: CaseResult) -> tuple[Any, ...]:
    return case.outcome, case.oracle_error, case.budget


def _outcome(case: CaseResult) -> str:
    error = "" if case.oracle_error is None else f" with error {case.oracle_error:.3g}"
    return f"{case.outcome}{error}"
