"""A baseline that is less exact than the op asks is told, and the speedup over the others beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch

from kbgen.generator.benchmark import baselines
from kbgen.generator.benchmark_child import Bench
from kbgen.generator.decision import decide
from kbgen.generator.in_class import EXACT, EXACT_COMPILED, coarser, in_class
from kbgen.generator.turn import Turns
from kbgen.profiling.op import load_op
from kbgen.profiling.samples import Session
from kbgen.profiling.session import Plan, Subject, measure
from kbgen.profiling.simulated import SimulatedClock
from kbgen.profiling.trace import trace

OFF = {"eager": "relative L2 error 0.0003", "compile": "relative L2 error 0.0003"}
CONVOLUTION = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
    def forward(self, x):
        return self.conv(x)
def get_inputs():
    return [torch.randn(2, 3, 8, 8)]
"""


def session(seed: int, off: dict[str, str], **times: float) -> Session:
    card = SimulatedClock(seed=seed, noise=0.01)
    subjects = [
        Subject(name, lambda seed: (), card.kernel(us), trusted=name != "candidate")
        for name, us in times.items()
    ]
    return replace(measure(subjects, card, Plan(), seed), environment={"off_class": off})


def taken(off: dict[str, str]) -> list[Session]:
    times = {"eager": 100.0, EXACT: 300.0, "compile": 90.0, "candidate": 150.0}
    return [session(seed, off, **times) for seed in range(2)]


def test_both_are_told() -> None:
    result = decide(taken(OFF))
    assert (result.label, result.fastest) == ("no-win", "compile")
    assert result.speedup == pytest.approx(0.6, rel=0.03)
    exact = result.in_class
    assert exact is not None
    assert (exact.fastest, dict(exact.off)) == (EXACT, OFF)
    assert exact.speedup == pytest.approx(2.0, rel=0.03)
    assert exact.interval is not None
    assert exact.interval[0] <= exact.speedup <= exact.interval[1]
    assert "less exact than the op asks: eager, compile; 2." in result.reason
    assert json.loads(json.dumps(result.to_json()))["in_class"]["fastest"] == EXACT


def test_where_all_are_exact_there_is_nothing_to_tell() -> None:
    assert in_class(taken({}), "candidate") is None
    assert decide(taken({})).in_class is None


def test_where_none_is_exact_there_is_no_speedup_to_tell() -> None:
    found = in_class(taken(dict.fromkeys(("eager", EXACT, "compile"), "off")), "candidate")
    assert found is not None
    assert (found.fastest, found.speedup, found.told()) == (None, None, "")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    path = tmp_path / "conv.py"
    path.write_text(CONVOLUTION)
    return Bench({
        "op": str(path), "source": CONVOLUTION, "overrides": {}, "candidates": {}, "mode": "as-is",
        "precision": "fp32", "seed": 3, "plan": asdict(Plan()),
    }, "cpu")  # fmt: skip


def test_only_what_convolves_in_float32_has_the_further_baseline(tmp_path: Path) -> None:
    for number, (text, there) in enumerate((
        (CONVOLUTION, True),
        (CONVOLUTION.replace("randn(2, 3, 8, 8)", "randn(2, 3, 8, 8).double()").replace(
            "Conv2d(3, 4, 3)", "Conv2d(3, 4, 3, dtype=torch.float64)"), False),
        (CONVOLUTION.replace("self.conv(x)", "torch.relu(x)"), False),
    )):  # fmt: skip
        path = tmp_path / f"op{number}.py"
        path.write_text(text)
        assert (EXACT in baselines(trace(load_op(path)))) is there


def test_each_is_held_to_what_a_candidate_is_held_to(bench: Bench) -> None:
    eager, exact = bench.baselines(["eager", EXACT])

    def rounded(*arguments: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = eager.call(*arguments)
        return result * (1 + 2.0**-11)

    def failing(*arguments: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("out of memory")

    subjects: Sequence[Subject] = [
        eager, exact, replace(eager, name="tf32", call=rounded), replace(eager, name="broken", call=failing),
    ]  # fmt: skip
    told = bench.off_class(subjects, Turns(None))
    assert list(told) == ["tf32"]
    assert "relative L2 error" in told["tf32"]


def test_the_exact_one_switches_tf32_off_for_its_own_calls_alone(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[bool]()
    plain = torch.nn.Conv2d.forward

    def forward(self: torch.nn.Conv2d, x: torch.Tensor) -> torch.Tensor:
        seen.append(torch.backends.cudnn.allow_tf32)
        return plain(self, x)

    monkeypatch.setattr(torch.nn.Conv2d, "forward", forward)
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    monkeypatch.setattr(torch, "compile", lambda model, mode: model)
    for subject in bench.baselines(["eager", EXACT, "eager", EXACT_COMPILED, "compile"]):
        subject.call(*subject.prepare(1))
    assert seen == [True, False, True, False, True]


def test_tf32_that_the_op_hides_shows_beside_eager_without_it(bench: Bench) -> None:
    """A mean of many takes the error of each down below what is refused; it is still no float32's."""
    found = coarser({"eager": 4e-5, EXACT: 3e-8, "compile": 2e-7}, 1e-6)
    assert found == {"eager": "relative L2 error 4e-05, without TF32 3e-08"}
    assert coarser({"eager": 4e-5}, 1e-3) == {}
    eager, exact = bench.baselines(["eager", EXACT])
    assert bench.off_class([eager, exact], Turns(None)) == {}
    assert bench.off_class([eager], Turns(None)) == {}  # nobody to compare with
