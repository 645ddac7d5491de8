"""Turns what an agent asked into the words of the command that does it, to be run in a child."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import asked
from .sources import SourceError, regular, source_file

Words = list[str]


def _on_op(given: asked.OnOp, folder: Path) -> tuple[str, Words]:
    """The op's path, and the options that go with any op."""
    path = source_file("op", given.op_path, given.op_text, given.op_name, folder)
    options = [f"--gpu={given.gpu}", f"--mode={given.mode}"]
    options += [f"--set={name}={value!r}" for name, value in given.overrides.items()]
    return str(path), options


def _judged(given: asked.Judged, folder: Path) -> Words:
    op, options = _on_op(given, folder)
    return [op, _candidate(given, folder), *options, f"--precision={given.precision}"]


def _candidate(given: asked.Judged | asked.Profile, folder: Path) -> str:
    return str(source_file("candidate", given.candidate_path, given.candidate_text, "candidate", folder))


def _allowed(calls: list[str]) -> Words:
    return [f"--allow={call}" for call in calls]


def optimize(given: asked.Optimize, folder: Path) -> Words:
    op, options = _on_op(given, folder)
    options += [f"--precision={given.precision}", f"--budget={given.budget_s:.0f}s", f"--out={folder}"]
    options += [f"--max-candidates={given.max_candidates}"] if given.max_candidates else []
    return ["optimize", op, *options, *([] if given.knowledge else ["--no-knowledge"])]


def verify(given: asked.Verify, folder: Path) -> Words:
    return ["verify", *_judged(given, folder), *_allowed(given.allow)]


def bench(given: asked.Bench, folder: Path) -> Words:
    return ["bench", *_judged(given, folder)]


def record(given: asked.Record, folder: Path) -> Words:
    words = ["record", *_judged(given, folder), *_allowed(given.allow), f"--note={given.note}"]
    words += [f"--technique={given.technique}"] if given.technique else []
    if given.parent_path is None and given.parent_text is None:
        return words
    parent = source_file("parent", given.parent_path, given.parent_text, "parent", folder)
    return [*words, f"--parent={parent}"]


def profile(given: asked.Profile, folder: Path) -> Words:
    op, options = _on_op(given, folder)
    named = given.candidate_path is not None or given.candidate_text is not None
    subject = [op, _candidate(given, folder)] if named else [op]
    return ["profile", *subject, *options, f"--level={given.level}", f"--out={folder / 'profile.json'}"]


def advise(given: asked.Advise, folder: Path) -> Words:
    if given.report_path is None:
        op, options = _on_op(given, folder)
        return ["advise", op, *options]
    if given.op_path is not None or given.op_text is not None:
        raise SourceError("report_path and an op: both were given; give the profile or the op.")
    words = ["advise", str(regular("report", given.report_path)), f"--gpu={given.gpu}"]
    return [*words, f"--kernel={given.kernel}"] if given.kernel else words


COMMANDS: dict[str, Callable[[Any, Path], Words]] = {
    "advise": advise,
    "profile": profile,
    "verify": verify,
    "bench": bench,
    "optimize": optimize,
    "record": record,
}
"""By tool: the command's words, after any text was saved in the job's folder. Each raises SourceError."""
