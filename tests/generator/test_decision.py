"""Three processes that do not tell the same, and wins that a person should look at first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from kbgen.generator.decision import Benchmark, decide
from kbgen.profiling.probe import ClockState
from kbgen.profiling.samples import Session
from kbgen.profiling.session import Subject, measure
from kbgen.profiling.simulated import SimulatedClock

Times = Mapping[str, float]
GEMM = "ampere_sgemm_128x64_tn"
USUAL = {"eager": 300.0, "compile": 120.0, "candidate": 100.0}


def session(times: Times, seed: int, kernel: str = "", host_us: float = 0.0, **clock: Any) -> Session:
    """One process; all baselines launch `kernel`, and the candidate needs `host_us` more of the host."""
    card = SimulatedClock(seed=seed, **{"noise": 0.02, **clock})

    def subject(name: str, takes_us: float) -> Subject:
        own = name == "candidate"

        def call(*_: object) -> None:
            card.work(host_us if own else 0.0)
            card.launch(takes_us, name=name if own or not kernel else kernel)

        return Subject(name, lambda seed: (), call, trusted=not own)

    return measure([subject(name, takes_us) for name, takes_us in times.items()], card, seed=seed)


def test_a_card_that_throttles_in_one_process_only_is_told_and_the_race_stays_fair() -> None:
    hot = ClockState(1200, 2619, 88, 700.0, ("hardware thermal slowdown",))
    cool = ClockState(1980, 2619, 40, 300.0, ())
    slow = session(USUAL, 2, drift=lambda now_us: 1.6, states=(cool, hot))
    result = decide([session(USUAL, 0, states=(cool, cool)), session(USUAL, 1, states=(cool, cool)), slow])
    assert (result.label, result.review) == ("win", "")
    assert result.speedup == pytest.approx(1.2, abs=0.02)
    assert result.timings["candidate"].throttle == ("hardware thermal slowdown",)


def test_a_noisy_neighbour_makes_it_inconclusive_and_not_a_loss() -> None:
    """Samples that scatter by half show neither a gain nor that there is none."""
    result = decide([session({"eager": 104.0, "candidate": 100.0}, seed, noise=0.5) for seed in range(3)])
    assert result.label == "inconclusive"
    assert "too noisy to compare with eager" in result.reason
    assert result.interval is not None
    assert result.interval[1] - result.interval[0] > 0.1


def test_a_neighbour_in_one_process_leaves_the_others_word_that_there_is_no_gain() -> None:
    times = {"eager": 100.0, "candidate": 100.0}
    taken = [session(times, 0), session(times, 1), session(times, 2, noise=0.5)]
    assert decide(taken).label == "no-win"


def test_a_baseline_that_is_slower_in_one_process_is_for_a_person() -> None:
    """Autotuning may pick badly once; which process to believe is nobody's to say."""
    taken = [session(USUAL, 0), session(USUAL, 1), session({**USUAL, "compile": 190.0}, 2)]
    result = decide(taken)
    assert result.speedup == pytest.approx(1.2, abs=0.02)
    assert result.review == "the processes disagree: 1.20x, 1.20x, 1.89x"


def test_a_candidate_that_keeps_its_caller_waiting_does_not_win() -> None:
    result = decide([session(USUAL, seed, host_us=500.0) for seed in range(3)])
    assert result.label == "no-win"
    assert "but only on the card: a caller waits" in result.reason


def judged(speedup: float, kernel: str) -> Benchmark:
    times = {"eager": 100.0 * speedup, "candidate": 100.0}
    return decide([session(times, seed, kernel) for seed in range(3)])


@pytest.mark.parametrize(
    ("speedup", "kernel", "said"),
    [
        (2.5, GEMM, "over a vendor's library (eager)"),
        (1.5, GEMM, ""),
        (2.5, "vectorized_elementwise_kernel", ""),
        (11.0, "vectorized_elementwise_kernel", "more than kernels usually gain"),
    ],
)
def test_a_large_gain_is_for_a_person_and_over_a_library_a_smaller_one_is(
    speedup: float, kernel: str, said: str
) -> None:
    result = judged(speedup, kernel)
    assert result.label == "win"
    assert said in result.review
    assert bool(said) == bool(result.review)


@pytest.mark.parametrize(
    ("parts_us", "said"), [(90.0, ""), (110.0, "over a vendor's library"), (None, "over")]
)
def test_a_gain_by_parts_is_explained_where_it_takes_as_long_as_these(
    parts_us: float | None, said: str
) -> None:
    """2.5x over a library: what all the arithmetic takes on tensor cores tells wonder from fact."""
    taken = [session({"eager": 250.0, "candidate": 100.0}, seed, GEMM) for seed in range(3)]
    result = decide(taken, parts_us=parts_us)
    assert (said in result.review, bool(result.review)) == (True, bool(said))


@pytest.mark.parametrize(("needed_us", "algorithmic"), [(55.0, True), (120.0, False), (None, False)])
def test_what_the_results_do_not_need_explains_a_gain_and_no_more(
    needed_us: float | None, algorithmic: bool
) -> None:
    """Half of a product is thrown away: a kernel that leaves it out is no wonder, a faster one still is."""
    taken = [session({"eager": 350.0, "candidate": 100.0}, seed, GEMM) for seed in range(3)]
    result = decide(taken, parts_us=110.0, needed_us=needed_us)
    assert (result.algorithmic, not result.review) == (algorithmic, algorithmic)


def test_a_kernel_that_needs_fewer_operations_may_gain_more() -> None:
    taken = [session({"eager": 2500.0, "candidate": 100.0}, seed, GEMM) for seed in range(3)]
    assert decide(taken, least_us=60.0, saves_arithmetic=True).review == ""
    assert decide(taken, least_us=60.0).review != ""
    assert decide(taken, least_us=120.0, saves_arithmetic=True).label == "inconclusive"


def test_every_sample_travels_with_the_result() -> None:
    taken = [session(USUAL, seed) for seed in range(3)]
    document = json.loads(json.dumps(decide(taken).to_json()))
    for name, place in zip(USUAL, range(3), strict=True):
        told = document["samples_us"][name]
        assert [len(process) for process in told] == [len(one.samples[place].device_us) for one in taken]
        assert told[0] == pytest.approx(taken[0].samples[place].device_us, abs=0.005)
