"""What was judged is told as far as it holds, whether a card contradicts it or a person stops it."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kbgen.generator.admit import STOPPED, Judged, judge
from kbgen.generator.climb import Climb
from kbgen.generator.decision import Benchmark, Label
from kbgen.generator.job import OptimizeRequest
from kbgen.generator.verify.verdict import Failed, Inconclusive, Passed
from kbgen.profiling.clock import MEASURED

pytestmark = pytest.mark.usefixtures("quick_judgements")

FAILED = Failed(cause="wrong-values", detail="off")
OPEN = Inconclusive(cause="too-slow", detail="slow")


@pytest.mark.parametrize(
    ("label", "verified"), [("win", True), ("no-win", True), ("inconclusive", True), ("failed", False)]
)
def test_a_kernel_that_fails_on_the_card_is_not_verified(label: Label, verified: bool) -> None:
    timed = Benchmark(label, "", MEASURED, processes=3)
    assert Judged("inconclusive", "", verdict=Passed(), benchmark=timed).verified is verified


def test_only_a_passing_verdict_is_verified() -> None:
    assert Judged("unmeasured", "", verdict=Passed()).verified
    assert not Judged("inconclusive", "", verdict=Inconclusive(cause="timeout", detail="")).verified
    assert not Judged("declined", "").verified


class Script:
    """Stands where the judge and the clock stand: each call takes the next answer, or raises it."""

    def __init__(self, verdicts: list[Any], times: list[Any]) -> None:
        self.verdicts, self.times = iter(verdicts), iter(times)
        self.said: list[str] = []

    def verify(self, *_: Any, **__: Any) -> Any:
        return self._next(self.verdicts)

    def benchmark(self, *_: Any, **__: Any) -> Any:
        return self._next(self.times)

    @staticmethod
    def _next(answers: Iterator[Any]) -> Any:
        answer = next(answers)
        if isinstance(answer, type):
            raise answer
        return answer


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Judge two scripted candidates, the best first."""

    def run(verdicts: list[Any], times: list[Any] = [], live: bool = False) -> Judged:  # noqa: B006
        script = Script(verdicts, times)
        monkeypatch.setattr("kbgen.generator.admit.verify", script.verify)
        monkeypatch.setattr("kbgen.generator.admit.benchmark", script.benchmark)
        told = {"path": tmp_path, "static": SimpleNamespace(kernels=())}
        found = [
            SimpleNamespace(candidate=SimpleNamespace(id=name, allowed_calls=()), **told)
            for name in ("plain", "best")
        ]
        device: Any = SimpleNamespace(live=live, spec=None)
        nothing: Any = None
        request = OptimizeRequest(tmp_path)
        return judge(Climb(tuple(found), ()), nothing, device, nothing, request, tmp_path, script.said.append)  # type: ignore[arg-type]

    return run


def timed(label: Label, review: str = "") -> Benchmark:
    return Benchmark(label, "", MEASURED, processes=3, review=review)


@pytest.mark.parametrize(
    ("verdicts", "times", "live", "status", "verified"),
    [
        ([Passed()], [], False, "unmeasured", True),
        ([FAILED, Passed()], [], False, "unmeasured", True),
        ([OPEN, Passed()], [], False, "unmeasured", True),
        ([FAILED, FAILED], [], False, "declined", False),
        ([Inconclusive(cause="degenerate", detail="")], [], False, "degenerate", False),
        ([FAILED, OPEN], [], False, "inconclusive", False),
        ([Passed(), Passed()], [timed("win")], True, "win", True),
        ([Passed(), FAILED], [timed("win")], True, "inconclusive", False),
        ([Passed()], [timed("win", "20x")], True, "inconclusive", True),
        ([Passed()], [timed("no-win")], True, "no-win", True),
        ([Passed()], [timed("failed")], True, "inconclusive", False),
    ],
)
def test_every_status_can_be_reached(
    judged: Any, verdicts: list[Any], times: list[Any], live: bool, status: str, verified: bool
) -> None:
    found = judged(verdicts, times, live)
    assert (found.status, found.verified) == (status, verified)


def test_stopped_before_anything_is_verified_claims_no_kernel(judged: Any) -> None:
    found = judged([FAILED, KeyboardInterrupt])
    assert (found.status, found.reason) == ("inconclusive", STOPPED)
    assert found.chosen is None
    assert not found.verified
    assert [name for name, _ in found.failures] == ["best"]


def test_stopped_while_it_is_timed_keeps_the_verified_kernel(judged: Any) -> None:
    found = judged([Passed()], [KeyboardInterrupt], live=True)
    assert found.status == "unmeasured"
    assert found.verified
    assert found.chosen.candidate.id == "best"
    assert "stopped by hand" in found.reason
