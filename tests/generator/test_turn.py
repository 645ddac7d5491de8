"""A card is held while something is measured on it, and free while a task compiles."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kbgen.generator.benchmark_child import Bench, timed
from kbgen.profiling.session import Plan, Subject
from kbgen.profiling.simulated import SimulatedClock


def held(path: Path) -> bool:
    """Whether somebody has the lock of the file."""
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


class Watched(Bench):
    """Writes down, at every call of a subject, whether the card was held then."""

    def __init__(self, path: Path) -> None:
        self.card, self.path = SimulatedClock(noise=0.02), path
        self.seen: dict[str, list[bool]] = {}
        self.request = {
            "baselines": ["eager", "compile"], "graphs": False, "seed": 3, "plan": asdict(Plan()),
            "turn": str(path),
        }  # fmt: skip

    def _subject(self, name: str, us: float) -> Subject:
        run: Callable[[], Any] = self.card.kernel(us)

        def call() -> Any:
            self.seen.setdefault(name, []).append(held(self.path))
            return run()

        return Subject(name, lambda seed: (), call, trusted=name != "candidate")

    def baselines(self, names: Sequence[str]) -> list[Subject]:
        return [self._subject(name, 100.0) for name in names]

    def candidates(self) -> list[Subject]:
        return [self._subject("candidate", 50.0)]


def test_what_compiles_does_so_before_the_card_is_held(tmp_path: Path) -> None:
    path = tmp_path / "card.lock"
    path.touch()
    bench = Watched(path)
    session = timed(bench, bench.card)
    assert [record.error for record in session.samples] == [""] * 3
    assert bench.seen["compile"][0] is False
    assert bench.seen["candidate"][0] is False
    for name, first in (("eager", 0), ("compile", 1), ("candidate", 1)):
        assert len(bench.seen[name]) > 50
        assert all(bench.seen[name][first:])
    assert not held(path)
