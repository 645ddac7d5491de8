"""Candidates that try to look fast on a simulated card: none of them may be called a win."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from kbgen.generator.benchmark import PROCESSES
from kbgen.generator.decision import CANDIDATE, Benchmark, decide
from kbgen.profiling.session import Subject, measure
from kbgen.profiling.simulated import SimulatedClock

TRUE_US = 100.0  # what the work takes, whoever does it
LEAST_US = 40.0  # what the card's peaks allow
Call = Callable[[int], Any]


def right(seed: int) -> list[int]:
    return [2 * seed]


def check(seed: int, arguments: tuple[Any, ...], result: Any) -> str:
    return "" if result == right(seed) else f"a timed call gave {result}"


@cache
def judged(make: Callable[[SimulatedClock], Call]) -> Benchmark:
    """Three processes with eager beside the candidate; every result may be checked."""
    taken = []
    for seed in range(PROCESSES):
        clock = SimulatedClock(seed=seed, flush_us=400.0)
        subjects = [
            Subject("eager", lambda seed: (seed,), clock.kernel(TRUE_US, name="eager"), trusted=True),
            Subject(CANDIDATE, lambda seed: (seed,), make(clock), check),
        ]
        taken.append(measure(subjects, clock, seed=seed))
    return decide(taken, least_us=LEAST_US)


def honest(clock: SimulatedClock) -> Call:
    def call(seed: int) -> list[int]:
        clock.launch(TRUE_US / 2, name="kernel")
        return right(seed)

    return call


def side_stream(clock: SimulatedClock) -> Call:
    """The events watch one stream, the work runs on another."""

    def call(seed: int) -> list[int]:
        clock.launch(45.0, name="kernel")
        clock.launch(TRUE_US, name="work", stream=5)
        return right(seed)

    return call


def many_side_streams(clock: SimulatedClock) -> Call:
    """The work is spread over streams, none of which is busy for long behind the flush."""

    def call(seed: int) -> list[int]:
        for stream in range(1, 5):
            clock.launch(TRUE_US, name="work", stream=stream)
        clock.launch(45.0, name="kernel")
        return right(seed)

    return call


def replayed(clock: SimulatedClock) -> Call:
    """The first result is given again and again."""
    kept: list[list[int]] = []

    def call(seed: int) -> list[int]:
        clock.launch(45.0, name="kernel")
        kept.append(right(seed))
        return kept[0]

    return call


def filled_in_later(clock: SimulatedClock) -> Call:
    """Fifteen calls hand out empty results; the fifteenth launch fills all of them."""
    waiting: list[tuple[int, list[int]]] = []

    def call(seed: int) -> list[int]:
        result: list[int] = []
        waiting.append((seed, result))
        clock.launch(45.0, name="kernel")
        if len(waiting) == 15:
            clock.launch(TRUE_US, name="kernel")
            for asked, held in waiting:
                held[:] = right(asked)
            waiting.clear()
        return result

    return call


def honest_for_a_while(clock: SimulatedClock) -> Call:
    """Right for as long as a warm-up lasts, and for as long as fast checkers look."""
    calls = 0

    def call(seed: int) -> list[int]:
        nonlocal calls
        calls += 1
        clock.launch(TRUE_US if calls < 40 else 45.0, name="kernel")
        return right(seed) if calls < 40 else [0]

    return call


def lazy_majority(clock: SimulatedClock) -> Call:
    """Six calls of ten are skipped: the median sees only those."""
    dice = random.Random(1)

    def call(seed: int) -> list[int]:
        works = dice.random() < 0.4
        clock.launch(TRUE_US if works else 45.0, name="kernel")
        return right(seed) if works else [0]

    return call


def other_kernel_when_lucky(clock: SimulatedClock) -> Call:
    """A cheap kernel stands in for the real one in most calls; its results happen to be right."""
    dice = random.Random(1)

    def call(seed: int) -> list[int]:
        if dice.random() < 0.6:
            clock.launch(45.0, name="shortcut")
        else:
            clock.launch(TRUE_US, name="kernel")
        return right(seed)

    return call


def impossible(clock: SimulatedClock) -> Call:
    """Faster than memory can be read."""

    def call(seed: int) -> list[int]:
        clock.launch(LEAST_US / 4, name="kernel")
        return right(seed)

    return call


def warm_cache(clock: SimulatedClock) -> Call:
    """Fast only while the cache still holds what the call before left there."""

    def call(seed: int) -> list[int]:
        clock.launch(TRUE_US, name="kernel", warm_us=45.0)
        return right(seed)

    return call


def slowed_neighbour(clock: SimulatedClock) -> Call:
    """It leaves a long kernel behind, to be in the way of the baseline's next call."""

    def call(seed: int) -> list[int]:
        clock.launch(TRUE_US, name="kernel")
        clock.launch(10 * TRUE_US, name="ballast", stream=3)
        return right(seed)

    return call


def on_the_host(clock: SimulatedClock) -> Call:
    """The processor does the work; the card only copies."""

    def call(seed: int) -> list[int]:
        clock.work(40 * TRUE_US)
        clock.launch(45.0, name="kernel")
        return right(seed)

    return call


CHEATS = (
    side_stream,
    many_side_streams,
    replayed,
    filled_in_later,
    honest_for_a_while,
    lazy_majority,
    other_kernel_when_lucky,
    impossible,
    warm_cache,
    slowed_neighbour,
    on_the_host,
)


def test_an_honest_kernel_of_half_the_time_wins() -> None:
    """The control: with these sessions a win can be had."""
    result = judged(honest)
    assert result.label == "win"
    assert result.speedup == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("make", CHEATS, ids=lambda make: make.__name__)
def test_a_cheat_is_no_win(make: Callable[[SimulatedClock], Call]) -> None:
    result = judged(make)
    assert result.label != "win", f"{result.speedup:.2f}x: {result.reason}"
    assert result.reason


@pytest.mark.parametrize("make", [replayed, filled_in_later, honest_for_a_while, lazy_majority])
def test_wrong_results_of_timed_calls_fail(make: Callable[[SimulatedClock], Call]) -> None:
    result = judged(make)
    assert result.label == "failed"
    assert "a timed call gave" in result.reason


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (side_stream, "the host waited"),
        (many_side_streams, "the host waited"),
        (other_kernel_when_lucky, "differ from call to call"),
        (slowed_neighbour, "stayed busy"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_the_clocks_disagree_on_is_told(make: Callable[[SimulatedClock], Call], said: str) -> None:
    result = judged(make)
    assert result.label == "inconclusive"
    assert said in result.reason
