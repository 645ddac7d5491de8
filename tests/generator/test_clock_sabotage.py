"""Candidates that work on the baselines, the profiler or the memory instead of on their own speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import pytest
import torch

from kbgen.generator.benchmark import PROCESSES
from kbgen.generator.benchmark_child import Bench, timed
from kbgen.generator.decision import CANDIDATE, GRAPHS, Benchmark, decide
from kbgen.profiling.samples import Session
from kbgen.profiling.session import Plan, Subject
from kbgen.profiling.simulated import SimulatedClock

TRUE_US = 100.0  # what the work takes, whoever does it
PLAN = Plan(least_samples=40, most_extra=10)
Call = Callable[[int], Any]


class Card(SimulatedClock):
    """A simulated card with what a process shares: settings, hooks, memory, a profiler that shows."""

    slower = 1.0  # every kernel of a baseline takes this many times as long
    hook_us = 0.0  # host time before every call of a baseline
    broken = ""
    watched = False
    memory: dict[int, list[int]]  # results that were given back, by the contents they belong to

    def launches(self, call: Callable[[], object]) -> Any:
        self.watched = True
        try:
            return super().launches(call)
        finally:
            self.watched = False


class Raced(Bench):
    """Eager (100 us), compile (`compiled_us`) and a candidate on a simulated card."""

    def __init__(self, card: Card, make: Callable[[Card], Call], seed: int, compiled_us: float) -> None:
        self.card, self.make, self.compiled_us = card, make, compiled_us
        self.request = {
            "baselines": ["eager", "compile"],
            "graphs": True,
            "seed": seed,
            "plan": asdict(Plan()),
        }

    def baselines(self, names: Sequence[str]) -> list[Subject]:
        times = {"eager": TRUE_US, "compile": self.compiled_us, GRAPHS: self.compiled_us + 2}
        return [
            Subject(name, lambda seed: (seed,), self._torch(name, times[name]), trusted=True)
            for name in names
        ]

    def _torch(self, name: str, takes_us: float) -> Call:
        def call(seed: int) -> list[int]:
            if self.card.broken:
                raise RuntimeError(self.card.broken)
            self.card.work(self.card.hook_us)
            self.card.launch(takes_us * self.card.slower, name=name)
            self.card.memory[seed] = right(seed)
            return right(seed)

        return call

    def candidates(self) -> list[Subject]:
        return [Subject(CANDIDATE, lambda seed: (seed,), self.make(self.card), check)]


def right(seed: int) -> list[int]:
    return [2 * seed]


def check(seed: int, arguments: tuple[Any, ...], result: Any) -> str:
    return "" if result == right(seed) else f"a timed call gave {result}"


def sessions(make: Callable[[Card], Call], compiled_us: float = 70.0, **how: Any) -> list[Session]:
    taken = []
    for seed in range(PROCESSES):
        card = Card(seed=seed, flush_us=400.0, **how)
        card.memory = {}
        taken.append(timed(Raced(card, make, seed, compiled_us), card))
    return taken


@cache
def judged(make: Callable[[Card], Call]) -> Benchmark:
    return decide(sessions(make), least_us=40.0)


def honest(card: Card) -> Call:
    def call(seed: int) -> list[int]:
        card.launch(50.0, name="kernel")
        card.allocate(1 << 20)
        return right(seed)

    return call


def slow(card: Card) -> Call:
    """Does the work honestly, in no less time than the baselines."""

    def call(seed: int) -> list[int]:
        card.launch(TRUE_US, name="kernel")
        return right(seed)

    return call


def slows_the_card(card: Card) -> Call:
    """A setting that makes torch's own kernels twice as slow."""
    card.slower = 2.0
    return slow(card)


def slows_the_card_later(card: Card) -> Call:
    """The same, after some calls, when everybody has been warmed up."""
    calls = 0

    def call(seed: int) -> list[int]:
        nonlocal calls
        calls += 1
        card.slower = 2.0 if calls > 12 else 1.0
        card.launch(TRUE_US, name="kernel")
        return right(seed)

    return call


def slows_the_card_a_little(card: Card) -> Call:
    """Less than a clock that settles might add."""
    card.slower = 1.045

    def call(seed: int) -> list[int]:
        card.launch(71.5, name="kernel")
        return right(seed)

    return call


def hooks_the_baselines(card: Card) -> Call:
    """Its launch takes 400 us of the host's time, so it makes the baselines' take as long."""
    card.hook_us = 400.0

    def call(seed: int) -> list[int]:
        card.work(400.0)
        card.launch(50.0, name="kernel")
        return right(seed)

    return call


def breaks_the_baselines(card: Card) -> Call:
    """Fills the memory, so that they cannot run."""
    card.broken = "OutOfMemoryError: 2 GB"
    return slow(card)


def smaller_grid(card: Card) -> Call:
    """The same kernel over a quarter of the tensor in most calls; what it leaves out happens to be right."""
    calls = 0

    def call(seed: int) -> list[int]:
        nonlocal calls
        calls += 1
        whole = calls % 2 == 0
        card.launch(52.0 if whole else 45.0, name="kernel", grid=(4096 if whole else 1024, 1, 1))
        return right(seed)

    return call


def other_blocks(card: Card) -> Call:
    """The same kernel and grid with fewer threads in each block of most calls."""
    calls = 0

    def call(seed: int) -> list[int]:
        nonlocal calls
        calls += 1
        card.launch(45.0, name="kernel", block=(128 if calls % 2 else 32, 1, 1))
        return right(seed)

    return call


def idle_when_watched(card: Card) -> Call:
    """Shows the profiler nothing, so that no two calls can be told apart."""

    def call(seed: int) -> list[int]:
        if not card.watched:
            card.launch(45.0, name="shortcut")
        return right(seed)

    return call


def little_beside(card: Card) -> Call:
    """Hides too little on another stream for the clocks to disagree."""

    def call(seed: int) -> list[int]:
        card.launch(9.0, name="rest", stream=5)
        card.launch(60.0, name="kernel")
        return right(seed)

    return call


def what_lies_around(card: Card) -> Call:
    """Gives what a baseline left in memory for these contents, and computes only where there is nothing."""

    def call(seed: int) -> list[int]:
        card.launch(45.0 if seed in card.memory else TRUE_US, name="kernel")
        return card.memory.get(seed, right(seed))

    return call


def wrong_when_watched(card: Card) -> Call:
    """Launches the kernels of an honest call under the profiler, and none of its inputs."""

    def call(seed: int) -> list[int]:
        card.launch(50.0, name="kernel")
        return [0] if card.watched else right(seed)

    return call


def test_an_honest_kernel_wins_and_its_memory_is_told() -> None:
    result = judged(honest)
    assert (result.label, result.fastest) == ("win", "compile")
    assert result.timings[CANDIDATE].peak_bytes == 1 << 20
    assert result.timings["eager"].peak_bytes == 0
    assert result.to_json()["timings"][CANDIDATE]["peak_bytes"] == 1 << 20


@pytest.mark.parametrize(
    ("make", "label", "said"),
    [
        (slows_the_card, "inconclusive", "beside the candidate, and took"),
        (slows_the_card_later, "inconclusive", "beside the candidate, and took"),
        (slows_the_card_a_little, "no-win", "but not than it was without the candidate"),
        (hooks_the_baselines, "inconclusive", "keeps its caller"),
        (breaks_the_baselines, "inconclusive", "no eager time"),
        (smaller_grid, "inconclusive", "kernel 1024x1x1 blocks of 128x1x1; kernel 4096x1x1 blocks"),
        (other_blocks, "inconclusive", "256x1x1 blocks of 128x1x1; kernel 256x1x1 blocks of 32x1x1"),
        (idle_when_watched, "inconclusive", "the profiler saw no kernel"),
        (little_beside, "inconclusive", "it runs rest on a stream of its own"),
        (wrong_when_watched, "failed", "a timed call gave [0]"),
        (what_lies_around, "no-win", "not shown to be faster"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_saboteur_does_not_win(make: Callable[[Card], Call], label: str, said: str) -> None:
    result = judged(make)
    assert result.label == label, f"{result.speedup}: {result.reason}"
    assert said in result.reason


def test_a_baseline_that_breaks_beside_the_candidate_is_no_slower_rival() -> None:
    """The strongest baseline fails in every process, and eager alone would be beaten."""
    taken = sessions(honest)
    for session in taken:
        next(one for one in session.samples if one.subject == "compile").error = "OutOfMemoryError: 2 GB"
    result = decide(taken)
    assert result.label == "inconclusive"
    assert (
        "compile ran before the candidate was loaded and fails beside it: OutOfMemoryError" in result.reason
    )


# ---- captured graphs


def test_graphs_are_a_baseline_where_launching_takes_longer_than_running() -> None:
    assert GRAPHS not in decide(sessions(honest)).timings
    bound = decide(sessions(honest, launch_us=90.0))
    assert GRAPHS in bound.timings
    assert bound.timings[GRAPHS].first_call_us > 0


# ---- what is changed in torch meanwhile


def test_what_a_candidate_replaces_during_its_calls_is_seen() -> None:
    """Patched after it was built, and whatever the clock itself held on to."""
    real = torch.cuda.Event.elapsed_time

    def patches(card: Card) -> Call:
        def call(seed: int) -> list[int]:
            torch.cuda.Event.elapsed_time = lambda self, other: 0.001  # type: ignore[method-assign, assignment]
            card.launch(50.0, name="kernel")
            return right(seed)

        return call

    try:
        result = decide(sessions(patches))
    finally:
        torch.cuda.Event.elapsed_time = real  # type: ignore[method-assign, assignment]
    assert (result.label, result.speedup) == ("failed", None)
    assert "Event::elapsed_time; a kernel file leaves torch as it is" in result.reason


def test_a_setting_that_is_changed_during_the_calls_is_seen() -> None:
    def loosens(card: Card) -> Call:
        def call(seed: int) -> list[int]:
            torch.set_float32_matmul_precision("high")
            card.launch(50.0, name="kernel")
            return right(seed)

        return call

    try:
        result = decide(sessions(loosens))
    finally:
        torch.set_float32_matmul_precision("highest")
    assert result.label == "failed"
    assert "replaces the precision of float32 matrix products" in result.reason
