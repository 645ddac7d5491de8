"""Three processes that do not tell the same, and wins that a person should look at first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.decision import Benchmark, decide
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.limit import least_us
from kbgen.profiling.op import load_op
from kbgen.profiling.probe import ClockState
from kbgen.profiling.samples import Session
from kbgen.profiling.session import Subject, measure
from kbgen.profiling.simulated import SimulatedClock
from kbgen.profiling.trace import trace

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


def test_fewer_operations_lift_the_arithmetic_bound_alone(tmp_path: Path) -> None:
    """A sum over the rows of a product is a product with a vector: the judge says "algorithmic"."""
    path = tmp_path / "op.py"
    path.write_text(
        "import torch\n"
        "class Model(torch.nn.Module):\n    def forward(self, a, b):\n        return (a @ b).sum(-1)\n"
        "def get_inputs():\n    return [torch.randn(4096, 4096), torch.randn(4096, 4096)]\n"
    )
    spec, traced = find_spec("h100"), trace(load_op(path))
    bytes_us = 2 * 4096 * 4096 * 4 / spec.dram_gb_s / 1e3
    assert least_us(traced, spec) > 2 * bytes_us
    assert least_us(traced, spec, saves_arithmetic=True) == pytest.approx(bytes_us, rel=0.01)
