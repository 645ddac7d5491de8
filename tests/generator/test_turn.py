"""A card is held while something is measured on it, and free while a task compiles."""

from __future__ import annotations

import ast
import fcntl
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator import tuning
from kbgen.generator.benchmark_child import Bench, timed
from kbgen.generator.tuning import tuned_in
from kbgen.generator.turn import Turns
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


def test_what_compiles_does_so_while_the_card_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "PLACES", ())
    path = tmp_path / "card.lock"
    path.touch()
    bench = Watched(path)
    session = timed(bench, bench.card)
    assert [record.error for record in session.samples] == [""] * 3
    for name in ("eager", "compile", "candidate"):
        assert bench.seen[name][0] is False
        assert len(bench.seen[name]) > 50
        assert all(bench.seen[name][1:])
    assert not held(path)
    seconds = session.environment["seconds"]
    assert list(seconds) == ["compile", "class", "alone", "candidate", "session", "waited", "held"]
    assert 0 < seconds["held"] <= sum(seconds[name] for name in ("alone", "session")) + 0.01


class Tuner:
    """Stands in for what torch's compiler times its configurations with."""

    path: Path

    @classmethod
    def benchmark_choice(cls, choice: str) -> tuple[str, bool]:
        return choice, held(cls.path)

    def bench(self, launcher: str) -> tuple[str, bool]:
        return launcher, self.benchmark_choice(launcher)[1]


def test_only_what_the_compiler_times_takes_a_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Tuner.path = tmp_path / "card.lock"
    Tuner.path.touch()
    places = ((__name__, "Tuner", "benchmark_choice"), (__name__, "Tuner", "bench"))
    monkeypatch.setattr(tuning, "PLACES", places)
    turns = Turns(str(Tuner.path))
    with tuned_in(turns):
        assert not held(Tuner.path)
        assert Tuner.benchmark_choice("a") == ("a", True)
        assert Tuner().bench("b") == ("b", True)
        assert not held(Tuner.path)
    assert Tuner().bench("c") == ("c", False)
    assert turns.held_s > 0


def test_a_compiler_without_such_places_holds_the_card_throughout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "card.lock"
    path.touch()
    monkeypatch.setattr(tuning, "PLACES", ((__name__, "Tuner", "measured_elsewhere"),))
    with tuned_in(Turns(str(path))):
        assert held(path)
    assert not held(path)


def test_the_places_are_in_the_torch_that_is_here() -> None:
    """By its text: importing the compiler takes seconds."""
    for module, owner, name in tuning.PLACES:
        found = find_spec(module)
        assert found is not None
        assert found.origin is not None
        tree = ast.parse(Path(found.origin).read_text(encoding="utf-8"))
        (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == owner)
        assert name in {node.name for node in body if isinstance(node, ast.FunctionDef)}
