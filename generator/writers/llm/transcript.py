"""The transcript: every question and answer of a run as one page, the same bytes whenever it is replayed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...prompts.prompt import VERSION
from ...report.files import write_whole
from ..writer import Candidate
from .chat import Answer, Turn


class Transcript:
    """Grows with every answer; holds no time, no cost and no secret."""

    def __init__(self, path: Path, writer: str) -> None:
        self._path = path
        self._parts = [f"# {writer}, {VERSION}"]
        self._system = ""

    def add(
        self, kind: str, turns: Sequence[Turn], answer: Answer, fault: str, made: Candidate | None
    ) -> None:
        """One question with what came of it; what earlier turns said is not repeated."""
        system, asked = turns[0][1], turns[-1][1]
        came = f"kernel {made.id}" if made else f"no kernel: {fault}"
        number = len(self._parts)
        shown = [f"system\n{system}"] if system != self._system else []
        self._system = system
        shown += [f"user\n{asked}", f"assistant ({answer.ended})\n{answer.text}"]
        body = "\n\n".join(_fenced(*text.split("\n", 1)) for text in shown)
        self._parts.append(f"## {number}. {kind}: {came}\n\n{body}")
        write_whole(self._path, "\n\n".join(self._parts) + "\n")


def _fenced(speaker: str, text: str) -> str:
    """`text` in a fence that nothing in it closes."""
    fence = "`" * max(4, 1 + max((len(run) for run in _runs(text)), default=0))
    return f"**{speaker}**\n\n{fence}\n{text}\n{fence}"


def _runs(text: str) -> list[str]:
    return [run for run in "".join(mark if mark == "`" else " " for mark in text).split() if run]
